import { type RunRequestKind, sendRequest } from "../../system/run-requests.ts";
import { findRun } from "./find-run.ts";

export type { RunRequestKind } from "../../system/run-requests.ts";

/** P-40: asks something of the run of this working tree. Returns its id; undefined when none, or not `only`, is running. */
export async function sendRunRequest(cwd: string, request: RunRequestKind, only?: string): Promise<string | undefined> {
  const found = findRun(cwd);
  if (!found?.isAlive || (only !== undefined && found.run !== only)) return undefined;
  await sendRequest(found, request);
  return found.run;
}
