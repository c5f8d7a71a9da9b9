import type { Input } from "../command.ts";
import { completionScript, type Shell } from "../completion-scripts.ts";
import type { Io } from "../io.ts";

/** Prints the script that makes a shell complete our commands. */
export async function run(input: Input, io: Io): Promise<void> {
  io.out(completionScript(input.args[0] as Shell));
}
