import { sendRunRequest } from "../../app/run/send-request.ts";
import { stopRun } from "../../app/run/stop-run.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { printRequestResult, printNoActiveRun } from "../run-messages.ts";

/** Stops the run in this working tree, now or after its iteration. */
export async function run({ options }: Input, io: Io): Promise<number> {
  if (options["after"])
    return printRequestResult(io, await sendRunRequest(io.cwd, "stop after"), "will stop after this iteration");
  const result = await stopRun({
    cwd: io.cwd,
    onSignalled: ({ run, owner }) => io.err(`Stopping run ${run} (process ${owner.pid}).\n`),
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
