import type { AgentOutcome } from "../domain/agent-event.ts";
import { agentEnding } from "../domain/agent-ending.ts";
import { RalphError } from "../domain/error.ts";
import { NOTHING_USED } from "../domain/usage.ts";
import { type AttendedResult, runAttended } from "../system/process/attended-process.ts";
import { writeWhole } from "../system/folder.ts";
import { MARKER } from "../system/process/marker.ts";
import type { RunDeps } from "./run-deps.ts";
import { givenTo, runSession, type SessionEnd, sessionFor, type SessionRequest } from "./session.ts";

/** A session that works on something: alone, or with a person where one attends. */
export const workSession = (deps: RunDeps, request: SessionRequest): Promise<SessionEnd> =>
  deps.attend === undefined ? runSession(deps, request) : runAttendedSession(deps, request);

/** Step 6 of `step`: the terminal is the agent's until it ends. What is said there is heard by the person alone. */
async function runAttendedSession(deps: RunDeps, request: SessionRequest): Promise<SessionEnd> {
  const { harness, name } = request.agent;
  const asked = sessionFor(deps, request);
  const command = harness.attended?.(asked);
  if (command === undefined) throw notAttended(name);
  for (const { path, text } of command.files) await writeWhole(path, text);
  const result = await runAttended({
    file: command.file,
    args: command.args,
    env: { ...deps.env, ...request.env, ...command.env },
    cwd: request.cwd,
    marker: { name: MARKER, value: `${deps.run}.${request.name}` },
    keepsProcesses: deps.rules.keepsProcesses,
  });
  const outcome = outcomeOf(result);
  request.onEvent({ type: "agent.ended", outcome });
  return {
    outcome,
    message: "",
    usage: NOTHING_USED,
    sessionId: asked.sessionId,
    stoppedBy: undefined,
    isOverBudget: false,
    swept: result.swept.length,
    durationMs: result.durationMs,
    given: givenTo(request, asked),
  };
}

export const notAttended = (harness: string): RalphError =>
  new RalphError("config", `The harness ${harness} has no interface for a person`, {
    hint: "Choose another with --harness, or let it work alone: ralphctl run",
  });

/** Ctrl-C is how people leave a program: that is an end like any other. */
function outcomeOf({ code, signal, stoppedBy }: AttendedResult): AgentOutcome {
  if (stoppedBy !== undefined) return { kind: "aborted" };
  if (code === 0 || code === 130 || signal === "SIGINT") return { kind: "done" };
  return agentEnding(undefined, { code, signal, stderr: "" });
}
