import type { RunHost } from "../app/run/run.ts";
import type { Input } from "./command.ts";
import { loopSurroundings } from "./flags.ts";
import type { Io } from "./io.ts";
import { version } from "../domain/version.ts";

/** The host of a run started from the command line. */
export function runHost(input: Input, io: Io, emit: RunHost["emit"]): RunHost {
  io.saveMemory();
  return {
    ...loopSurroundings(input, io),
    emit,
    caughtUp: io.drained,
    interrupts: io.interrupts(),
    self: io.self,
    isRoot: io.isRoot,
    version,
  };
}
