import { ATTEMPT, DOOR, SESSION_VARIABLES, sessionOf } from "../domain/run/session.ts";
import type { Environment } from "../domain/environment.ts";
import { gitFolder } from "../system/git/folder.ts";
import { ancestors } from "../system/process/ancestors.ts";
import { hasMarker, MARKER } from "../system/process/marker.ts";
import { readTreeLock } from "../system/tree-lock.ts";

/**
 * The environment with the session that this process belongs to (T-16). Clients of MCP start a server with few of their
 * own variables, and an agent may unset them: then the nearest process above that has them counts.
 */
export function withSession(env: Environment, cwd: () => string): Environment {
  const attempt = env[ATTEMPT] || undefined;
  if (attempt !== undefined && env[DOOR] !== undefined) return env;
  const above: Environment[] = [];
  for (const ancestor of ancestors()) {
    above.push(ancestor.env);
    const found = ancestor.env[ATTEMPT] || undefined;
    if (found === undefined || (attempt !== undefined && found !== attempt)) continue;
    return { ...env, ...Object.fromEntries(SESSION_VARIABLES.map((name) => [name, ancestor.env[name]])) };
  }
  const known = [env, ...above];
  if (sessionOf(env) === undefined && (known.some(sessionOf) || isChecked(known, cwd)))
    return { ...env, [ATTEMPT]: "" };
  return env;
}

/**
 * Whether the run that holds this working tree started us to check or prepare work: such programs run code that agents
 * wrote. Hooks are a person's.
 */
function isChecked(known: readonly Environment[], cwd: () => string): boolean {
  const nearest = known.find((env) => env[MARKER] !== undefined);
  if (nearest === undefined || nearest["RALPHCTL_HOOK"] !== undefined) return false;
  const own = gitFolder(cwd())?.own;
  const run = own === undefined ? undefined : readTreeLock(own)?.run;
  return run !== undefined && hasMarker(`${MARKER}=${nearest[MARKER]}`, { name: MARKER, value: run });
}
