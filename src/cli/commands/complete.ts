import type { Input } from "../command.ts";
import { proposals } from "../completion.ts";
import type { Io } from "../io.ts";
import { commands } from "./index.ts";

/** Answers a shell: one proposal per line, with its explanation after a tab. */
export async function run(input: Input, io: Io): Promise<void> {
  io.out(
    proposals(commands, input.args)
      .map(({ word, doc }) => `${word}\t${doc}\n`)
      .join(""),
  );
}
