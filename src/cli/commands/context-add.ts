import type { Input } from "../command.ts";
import { addAndTell } from "../context-change.ts";
import type { Io } from "../io.ts";

/** Adds a paragraph that the next iteration will see. */
export async function run(input: Input, io: Io): Promise<void> {
  await addAndTell(input.args[0] === "-" ? await io.readInput() : input.args.join(" "), input, io);
}
