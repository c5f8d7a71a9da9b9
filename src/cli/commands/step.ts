import { runWorkspace } from "../../app/run/run.ts";
import { RalphError } from "../../domain/error.ts";
import type { Input } from "../command.ts";
import { codeAfterRun } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { runHost } from "../run-host.ts";
import { createRunOutput } from "../run-output.ts";
import { runRequest } from "../run-request.ts";
import { taskText } from "../run-words.ts";

/** One session with a person, in the agent's own interface: the terminal is handed over. */
export async function run(input: Input, io: Io): Promise<number> {
  const request = runRequest(input);
  if (!io.hasTerminal) {
    throw new RalphError("usage", "step hands the terminal over to the agent, and there is none here", {
      hint: "Run it at a terminal, or let the agent work alone: ralphctl run",
    });
  }
  const output = createRunOutput(input, io);
  const host = runHost(input, io, output.emit);
  const finished = await runWorkspace(request, {
    ...host,
    // A terminal that was closed answers nothing, and holds the tree no longer.
    attend: { isDone: async (task) => await io.confirm(`Is it done? ${taskText(task)}`, host.interrupts.stop) },
  });
  output.end(finished);
  return codeAfterRun(finished.ending);
}
