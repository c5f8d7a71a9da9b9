import type { ScopeChoice } from "../app/workspace.ts";
import { shellWord } from "../domain/shell-word.ts";
import { EXIT_CODES } from "./exit-code.ts";
import type { Io } from "./io.ts";

/** Says that there is nothing to look at, and how that changes. Returns the exit code. */
export function tellNoRun(choice: ScopeChoice, { err }: Pick<Io, "err">): number {
  const named = Object.entries(choice).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const [first] = named;
  const whose = first === undefined ? "" : ` of the ${first.join(" ")}`;
  const flags = named.map(([kind, id]) => ` --${kind} ${shellWord(id)}`).join("");
  err(`There was no run${whose} yet. Begin one: ralphctl run${flags}\n`);
  return EXIT_CODES.nothing.code;
}
