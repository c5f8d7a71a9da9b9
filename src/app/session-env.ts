import { DOOR } from "../domain/run/session.ts";
import type { Environment } from "../domain/environment.ts";
import { ancestors } from "../system/process/ancestors.ts";

/** Identifies the session to processes inside it. */
const ATTEMPT = "RALPHCTL_ATTEMPT";
const OF_SESSIONS = [ATTEMPT, "RALPHCTL_RUN", "RALPHCTL_TASK", "RALPHCTL_SCOPE", "RALPHCTL_ITERATION", DOOR];

/**
 * The environment with the session that this process belongs to. Clients of MCP start a server with few of their own
 * variables: then the nearest ancestor process that has the session's variables is used. An attempt that is set, even to
 * nothing, wins.
 */
export function withSession(env: Environment): Environment {
  const attempt = env[ATTEMPT];
  if (attempt === "" || (attempt !== undefined && env[DOOR] !== undefined)) return env;
  for (const ancestor of ancestors()) {
    const found = ancestor.env[ATTEMPT];
    if (found === undefined || (attempt !== undefined && found !== attempt)) continue;
    return { ...env, ...Object.fromEntries(OF_SESSIONS.map((name) => [name, ancestor.env[name]])) };
  }
  return env;
}
