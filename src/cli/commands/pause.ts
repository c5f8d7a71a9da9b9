import { askRun } from "../../app/run/ask-run.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { tellAsked } from "../format/run-text.ts";

/** Lets the run of this working tree finish its iteration, and begin no other. */
export async function run(_: Input, io: Io): Promise<number> {
  return tellAsked(io, await askRun(io.cwd, "pause"), "pauses after this iteration, until ralphctl resume");
}
