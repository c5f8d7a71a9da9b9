import { type RunRequestKind, sendRequest } from "../../system/run-requests.ts";
import { gitFolder } from "../../system/git/folder.ts";
import { findStore } from "../task-store.ts";
import { findRun } from "./find-run.ts";
import { livingRuns } from "./run-logs.ts";
import { signalRun } from "./stop-run.ts";

export type { RunRequestKind } from "../../system/run-requests.ts";

/** U-04: the same of any run of the workspace, by its id. False: it does not go on. */
export async function sendTo(run: string, request: RunRequestKind, { cwd, from }: AskedFrom): Promise<boolean> {
  const place = await livingPlace(run, cwd);
  if (place !== undefined) await sendRequest({ gitFolder: place.git, run }, request, from);
  return place !== undefined;
}

/** U-04: stops a run of the workspace, as Ctrl-C in its own terminal would; its log says from where. */
export async function stopFrom(run: string, { cwd, from }: AskedFrom): Promise<boolean> {
  const place = await livingPlace(run, cwd);
  if (place === undefined) return false;
  await sendRequest({ gitFolder: place.git, run }, "stop after", from);
  signalRun(place.root, run);
  return true;
}

interface AskedFrom {
  readonly cwd: string;
  readonly from: string;
}

async function livingPlace(run: string, cwd: string) {
  const { root } = await findStore(cwd);
  const found = livingRuns(root).find((each) => each.run === run);
  const git = found && gitFolder(found.root);
  return git && { root: found.root, git: git.own };
}

/** P-40: asks something of the run of this working tree. Returns its id; undefined when none, or not `only`, is running. */
export async function sendRunRequest(cwd: string, request: RunRequestKind, only?: string): Promise<string | undefined> {
  const found = findRun(cwd);
  if (!found?.isAlive || (only !== undefined && found.run !== only)) return undefined;
  await sendRequest(found, request);
  return found.run;
}
