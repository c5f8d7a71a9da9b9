import type { AgentExit, AgentOutcome } from "./agent-event.ts";

type Ended = Pick<AgentExit, "code" | "signal" | "stoppedBy" | "stderr">;

/**
 * The outcome of a session, from what its CLI reported and how its process ended. Neither alone is enough: CLIs exit
 * with 0 after failures, and a result means nothing when the agent crashed after it (P-14).
 */
export function agentEnding(reported: AgentOutcome | undefined, exit: Ended): AgentOutcome {
  const { code, signal, stoppedBy } = exit;
  if (stoppedBy === "abort") return { kind: "aborted" };
  if (stoppedBy === "inactivity" || stoppedBy === "wall") return { kind: "timed-out", watchdog: stoppedBy };
  const hadResult = stoppedBy === "grace" || stoppedBy === "background";
  if (reported !== undefined && (reported.kind !== "done" || hadResult || code === 0)) return reported;
  return { kind: "crashed", code, signal, detail: crashDetail(reported, exit) };
}

function crashDetail(reported: AgentOutcome | undefined, { code, signal, stderr }: Ended): string {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const what = reported === undefined ? `ended with ${how} and no result` : `gave its result, but ended with ${how}`;
  const said = stderr.trim().split("\n").slice(-5).join("\n");
  return said === "" ? what : `${what}: ${said}`;
}
