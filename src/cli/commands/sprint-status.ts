import { type SprintStatus, sprintStatus } from "../../app/sprint/sprint-status.ts";
import { printableLine } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson } from "../json.ts";

/** Prints the state of a sprint. */
export async function run(input: Input, io: Io): Promise<void> {
  const request = { directory: input.args[0] ?? "", isStrict: input.options["strict"] === true };
  const status = await sprintStatus(request, surroundings(input, io));
  io.out(isJson(input) ? `${JSON.stringify(jsonOf(status))}\n` : statusText(status));
  if (isJson(input)) return;
  for (const warning of status.warnings) io.err(`warning: ${printableLine(warning)}\n`);
}

const jsonOf = ({ run: name, summary, ...status }: SprintStatus): unknown => ({
  ...status,
  run: name ?? null,
  summary: summary ?? null,
});

function statusText({ id, folder, shape, goal, run: name, state, summary, steps }: SprintStatus): string {
  const settled = steps.filter(({ status }) => status === "done" || status === "dropped").length;
  const facts = [
    ["State", `${state}${name === undefined ? "" : ` (run ${name})`}`],
    ...(goal === "" ? [] : [["Goal", goal] as const]),
    ...(summary === undefined ? [] : [["Summary", summary] as const]),
    [shape === "ralph" ? "Steps" : "Phases", `${settled} of ${steps.length} settled`],
  ] as const;
  const width = Math.max(0, ...steps.map((step) => printableLine(step.id).length));
  return [
    `Sprint ${printableLine(id)} in ${printableLine(folder)}`,
    "",
    ...facts.map(([label, value]) => `  ${label.padEnd("Summary".length)}  ${printableLine(value)}`),
    ...(steps.length === 0 ? [] : [""]),
    ...steps.map(
      (step) => `  ${printableLine(step.id).padEnd(width)}  ${step.status.padEnd(11)}  ${printableLine(step.title)}`,
    ),
    "",
  ].join("\n");
}
