import { askRun } from "../../app/run/ask-run.ts";
import type { Input } from "../command.ts";
import { tellAsked } from "../format/run-text.ts";
import type { Io } from "../io.ts";

/** Lets the run of this working tree finish its iteration, and begin no other. */
export const pause = async (_: Input, io: Io): Promise<number> =>
  tellAsked(io, await askRun(io.cwd, "pause"), "pauses after this iteration, until ralphctl resume");

/** Lets the run of this working tree go on, after a pause or in the middle of a wait. */
export const resume = async (_: Input, io: Io): Promise<number> =>
  tellAsked(io, await askRun(io.cwd, "resume"), "goes on");
