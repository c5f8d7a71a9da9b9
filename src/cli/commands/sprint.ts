import { isSprintRunning } from "../../app/sprint/sprint-running.ts";
import { type SprintStatus, sprintStatus } from "../../app/sprint/sprint-status.ts";
import { startSprint, type StartedSprint } from "../../app/sprint/start-sprint.ts";
import { printableLine } from "../../domain/printable.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { printWarnings, surroundings } from "../flags.ts";
import { pageOf } from "../../format/page-parts.ts";
import { plural } from "../../format/run-text.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { isJson } from "../json.ts";
import { stop as stopRun } from "./stop.ts";

/** Prepares a sprint for its run. */
export async function start(input: Input, io: Io): Promise<void> {
  const directory = input.args[0]!;
  const isStrict = input.options["strict"] === true;
  const started = await startSprint({ directory, isStrict }, surroundings(input, io));
  printWarnings(io, started.warnings);
  io.err(`${startedText(started)}\nNext:\n  ralphctl run --sprint ${shellWord(directory)}\n`);
}

function startedText({ id, folder, shape, progress, added }: StartedSprint): string {
  const many = plural(added, shape === "ralph" ? "step" : "phase");
  return `Sprint ${printableLine(id)} is ready: ${printableLine(folder)}/PROGRESS.yaml was ${progress}, and ${many} became tasks.`;
}

/** Prints the state of a sprint. */
export async function status(input: Input, io: Io): Promise<void> {
  const request = { directory: input.args[0]!, isStrict: input.options["strict"] === true };
  const status = await sprintStatus(request, surroundings(input, io));
  if (isJson(input)) return io.out(`${JSON.stringify(jsonOf(status))}\n`);
  await printPage(io, statusText(status));
  printWarnings(io, status.warnings);
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
  return pageOf([
    [`Sprint ${printableLine(id)} in ${printableLine(folder)}`],
    facts.map(([label, value]) => `  ${label.padEnd("Summary".length)}  ${printableLine(value)}`),
    steps.map(
      (step) => `  ${printableLine(step.id).padEnd(width)}  ${step.status.padEnd(11)}  ${printableLine(step.title)}`,
    ),
  ]);
}

/** Stops the run in this working tree, if it works on the sprint. */
export async function stop(input: Input, io: Io): Promise<number> {
  if (await isSprintRunning(input.args[0]!, surroundings(input, io))) return await stopRun(input, io);
  io.err("No active run of this sprint in this working tree.\n");
  return EXIT_CODES.nothing.code;
}
