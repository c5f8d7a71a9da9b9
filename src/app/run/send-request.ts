import { requestPause, requestResume, requestStopAfter, type RunPlace } from "../../system/run-requests.ts";
import { findRun } from "./find-run.ts";

export type RunRequestKind = "stop after" | "pause" | "resume";

const REQUESTS: Readonly<Record<RunRequestKind, (place: RunPlace) => Promise<void>>> = {
  "stop after": requestStopAfter,
  pause: requestPause,
  resume: requestResume,
};

/** P-40: asks something of the run of this working tree. Returns its id; undefined when none is running. */
export async function sendRunRequest(cwd: string, request: RunRequestKind): Promise<string | undefined> {
  const found = findRun(cwd);
  if (!found?.isAlive) return undefined;
  await REQUESTS[request](found);
  return found.run;
}
