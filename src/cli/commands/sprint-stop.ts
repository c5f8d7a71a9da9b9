import { isSprintRunning } from "../../app/sprint/sprint-running.ts";
import type { Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { stop } from "./stop.ts";

/** Stops the run in this working tree, if it works on the sprint. */
export async function run(input: Input, io: Io): Promise<number> {
  const directory = input.args[0] ?? "";
  if (await isSprintRunning(directory, surroundings(input, io))) return await stop(input, io);
  io.err("No active run of this sprint in this working tree.\n");
  return EXIT_CODES.nothing.code;
}
