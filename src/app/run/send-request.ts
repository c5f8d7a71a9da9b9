import { type RunRequestKind, sendRequest } from "../../system/run-requests.ts";
import { gitFolder } from "../../system/git/folder.ts";
import type { askFleet } from "../fleet/fleet-request.ts";
import { findStore, isOfFleet } from "../task-store.ts";
import type { Surroundings } from "../workspace.ts";
import { findRun } from "./find-run.ts";
import { livingRuns } from "./run-logs.ts";
import { endedError, signalRun } from "./stop-run.ts";

export type { RunRequestKind } from "../../system/run-requests.ts";

/** U-04: the same of any run of the workspace, by its id. False: it does not go on. */
export async function sendTo(run: string, request: RunRequestKind, { cwd, env, from }: AskedFrom): Promise<boolean> {
  if (isOfFleet(env)) return (await askOfFleet({ cwd, env }, request, { run, from })) !== undefined;
  const place = await livingPlace(run, cwd);
  if (place !== undefined) await sendRequest({ gitFolder: place.git, run }, request, from);
  return place !== undefined;
}

/** U-04: stops a run of the workspace, as Ctrl-C in its own terminal would; its log says from where. */
export async function stopFrom(run: string, { cwd, env, from }: AskedFrom): Promise<boolean> {
  if (isOfFleet(env)) return (await askOfFleet({ cwd, env }, "stop", { run, from })) !== undefined;
  const place = await livingPlace(run, cwd);
  if (place === undefined) return false;
  await sendRequest({ gitFolder: place.git, run }, "stop after", from);
  signalRun(place.root, run);
  return true;
}

/** F-06: by the fleet, wherever the run is. Its code is loaded only for that. */
const askOfFleet: typeof askFleet = async (...asked) =>
  await (await import("../fleet/fleet-request.ts")).askFleet(...asked);

type AskPlace = Pick<Surroundings, "cwd" | "env">;

interface AskedFrom extends AskPlace {
  readonly from: string;
}

/** P-40: stops this run of a working tree without waiting for its end; a second call stops it at once. */
export async function stopNow({ cwd, env }: AskPlace, run: string): Promise<void> {
  if (!isOfFleet(env)) signalRun(cwd, run);
  else if ((await askOfFleet({ cwd, env }, "stop", { run })) === undefined) throw endedError();
}

async function livingPlace(run: string, cwd: string) {
  const { root } = await findStore(cwd);
  const found = livingRuns(root).find((each) => each.run === run);
  const git = found && gitFolder(found.root);
  return git && { root: found.root, git: git.own };
}

/** P-40: asks something of the run of this working tree. Returns its id; undefined when none, or not `only`, is running. */
export async function sendRunRequest(
  place: AskPlace,
  request: RunRequestKind,
  only?: string,
): Promise<string | undefined> {
  if (isOfFleet(place.env)) return await askOfFleet(place, request, { run: only });
  const found = findRun(place.cwd);
  if (!found?.isAlive || (only !== undefined && found.run !== only)) return undefined;
  await sendRequest(found, request);
  return found.run;
}
