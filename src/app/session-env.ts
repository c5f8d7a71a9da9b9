import type { Environment } from "../domain/environment.ts";
import { ancestors } from "../system/process/ancestors.ts";

/** By which a session is known to whatever runs in it. */
const ATTEMPT = "RALPHCTL_ATTEMPT";
const OF_SESSIONS = [ATTEMPT, "RALPHCTL_RUN", "RALPHCTL_TASK", "RALPHCTL_SCOPE", "RALPHCTL_ITERATION"];

/**
 * The environment with the session that this process belongs to. Clients of MCP start a server with few of their own
 * variables: then the nearest process above that knows of a session tells. Whoever sets the variable, were it to
 * nothing, is believed.
 */
export function withSession(env: Environment): Environment {
  if (env[ATTEMPT] !== undefined) return env;
  for (const ancestor of ancestors()) {
    if (ancestor.env[ATTEMPT] === undefined) continue;
    return { ...env, ...Object.fromEntries(OF_SESSIONS.map((name) => [name, ancestor.env[name]])) };
  }
  return env;
}
