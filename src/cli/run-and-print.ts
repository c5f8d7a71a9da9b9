import { choiceOf } from "../app/run/other-scopes.ts";
import type { RunHost } from "../app/run/run.ts";
import type { RunRequest } from "../app/run/run-request.ts";
import { settleTrust } from "../app/trust/trust.ts";
import { type Run, startRun } from "../app/run/start-run.ts";
import { describeScope } from "../domain/scope-name.ts";
import type { RunFinished } from "../domain/run/event.ts";
import type { Input } from "./command.ts";
import { loopSurroundings } from "./flags.ts";
import type { Io } from "./io.ts";
import { openRunOutput, type RunOutput } from "./run-output.ts";
import { isJson } from "./json.ts";

export interface RunInvocation {
  readonly request: RunRequest;
  readonly input: Input;
  readonly io: Io;
  /** A person works with the agent: `step`. */
  readonly attend?: RunHost["attend"];
}

/**
 * Runs a request and prints it. If the workspace has nothing to do but other scopes have, the person at the terminal may
 * choose one of them.
 */
export async function runAndPrint({ request, input, io, attend }: RunInvocation): Promise<RunFinished> {
  for (let asked = request; ;) {
    if (io.isInteractive) await settleTrust(asked.scope, loopSurroundings(input, io));
    const output = await openRunOutput(input, io, attend !== undefined);
    const finished = await endOf(startRun(asked, { ...output.host, attend }), output);
    const key = await chosen(finished, input, io);
    if (key === undefined) {
      output.end(finished);
      return finished;
    }
    asked = { ...asked, scope: await choiceOf(key, loopSurroundings(input, io)) };
  }
}

/** The end of a run. An error is told after the summary of what the run did. */
export async function endOf({ finished }: Run, { close, endBroken }: RunOutput): Promise<RunFinished> {
  try {
    return await finished;
  } catch (error) {
    endBroken();
    throw error;
  } finally {
    close();
  }
}

async function chosen({ elsewhere = [] }: RunFinished, input: Input, io: Io): Promise<string | undefined> {
  if (elsewhere.length === 0 || !io.isInteractive || isJson(input)) return undefined;
  return await io.choose(
    "The workspace itself has nothing to do. What should the run work on?",
    elsewhere.map((key) => ({ value: key, label: describeScope(key).replace(/^the /, "") })),
    io.interrupts().stop,
  );
}
