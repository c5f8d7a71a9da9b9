import { hasMarker, MARKER, runMarker } from "../../system/process/marker.ts";
import { withAncestors } from "../../system/process/ancestors.ts";
import { type LocalConnection, socketHolders } from "../../system/process/socket-holders.ts";
import { livingRuns } from "../run/run-logs.ts";
import { findStore } from "../task-store.ts";

/**
 * T-16, U-04: whether a program that a run of this workspace started is at the other end: an agent can read the token, as
 * everything of the person's, but it can only claim. Hooks are a person's.
 */
export async function isAskedByAgent(connection: LocalConnection, cwd: string): Promise<boolean> {
  const runs = livingRuns((await findStore(cwd)).root);
  if (runs.length === 0) return false;
  const isOfRun = (env: Readonly<Record<string, string>>): boolean =>
    env["RALPHCTL_HOOK"] === undefined &&
    runs.some(({ run }) => hasMarker(`${MARKER}=${env[MARKER] ?? ""}`, runMarker(run)));
  return socketHolders(connection).some((pid) => [...withAncestors(pid)].some(({ env }) => isOfRun(env)));
}
