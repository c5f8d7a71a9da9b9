import type { Environment } from "../domain/environment.ts";
import { ancestors } from "../system/process/ancestors.ts";

/** Identifies the session to processes inside it. */
const ATTEMPT = "RALPHCTL_ATTEMPT";
const OF_SESSIONS = [ATTEMPT, "RALPHCTL_RUN", "RALPHCTL_TASK", "RALPHCTL_SCOPE", "RALPHCTL_ITERATION"];

/**
 * The environment with the session that this process belongs to. Clients of MCP start a server with few of their own
 * variables: then the nearest ancestor process that has the session's variables is used. A variable that is set, even to
 * nothing, wins.
 */
export function withSession(env: Environment): Environment {
  if (env[ATTEMPT] !== undefined) return env;
  for (const ancestor of ancestors()) {
    if (ancestor.env[ATTEMPT] === undefined) continue;
    return { ...env, ...Object.fromEntries(OF_SESSIONS.map((name) => [name, ancestor.env[name]])) };
  }
  return env;
}
