import { askRun } from "../../app/run/ask-run.ts";
import { stopRun } from "../../app/run/stop-run.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { tellAsked, tellNoRun } from "../format/run-text.ts";

/** Stops the run of this working tree, now or after its iteration. */
export async function run({ options }: Input, io: Io): Promise<number> {
  if (options["after"]) return tellAsked(io, await askRun(io.cwd, "stop after"), "stops after this iteration");
  const result = await stopRun({
    cwd: io.cwd,
    onSignalled: ({ run, owner }) => io.err(`Stopping run ${run} (process ${owner.pid}).\n`),
  });
  if (result.kind === "nothing") return tellNoRun(io);
  io.err(
    result.kind === "stopped"
      ? `Run ${result.run} has ended.\n`
      : `Run ${result.run} had died; what it had left running was ended: ${processes(result.pids)}.\n`,
  );
  return 0;
}

const processes = (pids: readonly number[]): string =>
  `${pids.length === 1 ? "process" : "processes"} ${pids.join(", ")}`;
