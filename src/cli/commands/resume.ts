import { askRun } from "../../app/run/ask-run.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { tellAsked } from "../format/run-text.ts";

/** Lets the run of this working tree go on, after a pause or in the middle of a wait. */
export async function run(_: Input, io: Io): Promise<number> {
  return tellAsked(io, await askRun(io.cwd, "resume"), "goes on");
}
