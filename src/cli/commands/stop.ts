import { sendRunRequest } from "../../app/run/send-request.ts";
import { stopRun } from "../../app/run/stop-run.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { printRequestResult, printNoActiveRun } from "../run-messages.ts";

/** Stops the run in this working tree, now or after its iteration. */
export async function stop({ options }: Input, io: Io): Promise<number> {
  if (options["after"])
    return printRequestResult(io, await sendRunRequest(io, "stop after"), "will stop after this iteration");
  const result = await stopRun({
    cwd: io.cwd,
    env: io.env,
    onSignalled: ({ run, owner }) =>
      io.err(
        owner === undefined
          ? `Stopping run ${run} on all machines. They finish proofs that are under way.\n`
          : `Stopping run ${run} (process ${owner.pid}). It finishes a proof that is under way.\n`,
      ),
  });
  if (result.kind === "nothing") return printNoActiveRun(io);
  io.err(
    result.kind === "stopped"
      ? `Run ${result.run} has ended.\n`
      : `Run ${result.run} had crashed. Ended what it left running: ${processes(result.pids)}.\n`,
  );
  return 0;
}

const processes = (pids: readonly number[]): string =>
  `${pids.length === 1 ? "process" : "processes"} ${pids.join(", ")}`;

/** Pauses the run in this working tree after its iteration. */
export async function pause(_: Input, io: Io): Promise<number> {
  const told = "will pause after this iteration, until you run ralphctl resume";
  return printRequestResult(io, await sendRunRequest(io, "pause"), told);
}

/** Continues the run in this working tree, after a pause or during a wait. */
export const resume = async (_: Input, io: Io): Promise<number> =>
  printRequestResult(io, await sendRunRequest(io, "resume"), "continues");
