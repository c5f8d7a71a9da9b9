import type { ScopeChoice } from "../app/workspace.ts";
import { EXIT_CODES } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { shellWord } from "../domain/shell-word.ts";

/** for commands that control a run. Returns the exit code. */
export function printNoActiveRun(io: Io): number {
  io.err("No active run in this working tree.\n");
  return EXIT_CODES.nothing.code;
}

/** Prints the run that got a request, or that there is none. */
export function printRequestResult(io: Io, run: string | undefined, what: string): number {
  if (run === undefined) return printNoActiveRun(io);
  io.err(`Run ${run} ${what}.\n`);
  return EXIT_CODES.complete.code;
}

/** For commands that show a run. Returns the exit code. */
export function printNoRunsYet(choice: ScopeChoice, { err }: Pick<Io, "err">): number {
  const named = Object.entries(choice).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const [first] = named;
  const whose = first === undefined ? "" : ` of the ${first.join(" ")}`;
  const flags = named.map(([kind, id]) => ` --${kind} ${shellWord(id)}`).join("");
  err(`No runs${whose} yet. Start one: ralphctl run${flags}\n`);
  return EXIT_CODES.nothing.code;
}
