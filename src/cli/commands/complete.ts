import { printableLine } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { complete, type Completion, FOLDERS, isShells, type Proposal } from "../completion.ts";
import { completionScript, type Shell } from "../completion-scripts.ts";
import type { Io } from "../io.ts";
import { commands } from "./index.ts";

/** Answers a shell: one proposal per line, with its explanation after a tab. */
export async function propose(input: Input, io: Io): Promise<void> {
  const completion = complete(commands, input.args);
  const all = [...completion.proposals, ...(await lookedUp(completion, io))];
  const lines = all.map(({ word, doc }) => {
    const whole = isShells(word) ? word : `${completion.prefix}${word}`;
    return `${printableLine(whole)}\t${printableLine(doc)}\n`;
  });
  io.out(lines.join(""));
}

/** Completion shows proposals or nothing, never an error. */
async function lookedUp({ values, current }: Completion, io: Io): Promise<Proposal[]> {
  if (values === undefined) return [];
  const found = await import("../../app/known-values.ts")
    .then(async ({ knownValues }) => knownValues({ kind: values, typed: current }, { cwd: io.cwd, env: io.env }))
    .catch(() => []);
  // A sprint may be any folder.
  if (found.length === 0 && values === "sprint") return [{ word: FOLDERS, doc: "" }];
  return found.map(({ value, doc }) => ({ word: value, doc }));
}

/** Prints the completion script of a shell. */
export async function script(input: Input, io: Io): Promise<void> {
  io.out(completionScript(input.args[0] as Shell));
}
