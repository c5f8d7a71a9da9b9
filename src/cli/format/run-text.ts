import { EXIT_CODES } from "../exit-code.ts";
import type { Io } from "../io.ts";

/** what commands say that steer a run, where there is none. */
export function tellNoRun(io: Io): number {
  io.err("No run has this working tree: nothing to do.\n");
  return EXIT_CODES.nothing.code;
}

/** What became of a request: the run that has it, or that there is none. */
export function tellAsked(io: Io, run: string | undefined, what: string): number {
  if (run === undefined) return tellNoRun(io);
  io.err(`Run ${run} ${what}.\n`);
  return EXIT_CODES.complete.code;
}
