import { startSprint, type StartedSprint } from "../../app/sprint/start-sprint.ts";
import { printableLine } from "../../domain/printable.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Input } from "../command.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";

/** Prepares a sprint for its run. */
export async function run(input: Input, io: Io): Promise<void> {
  const directory = input.args[0] ?? "";
  const isStrict = input.options["strict"] === true;
  const started = await startSprint({ directory, isStrict }, surroundings(input, io));
  for (const warning of started.warnings) io.err(`warning: ${printableLine(warning)}\n`);
  io.err(`${startedText(started)}\nNext:\n  ralphctl run --sprint ${shellWord(directory)}\n`);
}

function startedText({ id, folder, shape, progress, added }: StartedSprint): string {
  const things = shape === "ralph" ? "step" : "phase";
  const many = `${added} ${things}${added === 1 ? "" : "s"}`;
  return `Sprint ${printableLine(id)} is ready: ${printableLine(folder)}/PROGRESS.yaml was ${progress}, and ${many} became tasks.`;
}
