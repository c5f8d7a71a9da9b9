import { dirname, join } from "node:path";
import { isSettled } from "../../domain/task.ts";
import { closeRow, useOf } from "../../lane/lane-row.ts";
import { saveForeignContent } from "../../lane/lost.ts";
import { entriesIn, kindOf, removeAll } from "../../system/folder.ts";
import { folderSize, type FolderSize } from "../../system/folder-size.ts";
import { mustBytes } from "../../system/git/git.ts";
import type { Repository } from "../../system/git/repository.ts";
import { listKept, removeRef } from "../../system/git/saved-ref.ts";
import { openView } from "../../system/git/view.ts";
import { dropWork, listWork } from "../../system/git/work-ref.ts";
import { treeMarker } from "../../system/process/marker.ts";
import { sweep } from "../../system/process/sweep.ts";
import { withHome } from "../run/with-home.ts";
import { type Caller, reading } from "../task/caller.ts";
import { openWorkspace } from "../workspace.ts";
import { placeOf } from "../../domain/lane-env.ts";
import { findPlaces, type KnownPlace, placeName } from "./places.ts";
import { knownPlace } from "./show-lanes.ts";

/** A place that is gone now. */
export interface RemovedPlace extends Pick<KnownPlace, "name" | "folder"> {
  readonly size: FolderSize | undefined;
  /** The ref with what only it had. */
  readonly saved: string | undefined;
}

/** Removes one lane, after saving what only it has. Nothing is lost, and the next run makes it again. */
export async function removeLane(name: string, caller: Caller): Promise<RemovedPlace> {
  return await withFreePlaces(caller, async (home, places) => await removePlace(home, knownPlace(name, places)));
}

export interface RemovedGarbage {
  readonly places: readonly RemovedPlace[];
  /** Work refs of settled tasks. */
  readonly work: readonly string[];
  /** Refs of lost files that were older than asked. */
  readonly lost: readonly string[];
}

const LOST_MS = 30 * 24 * 60 * 60 * 1000;

/** Removes all lanes and the room, work of settled tasks, and old lost files if asked. */
export async function collectGarbage(
  { isLost }: { readonly isLost: boolean },
  caller: Caller,
): Promise<RemovedGarbage> {
  return await withFreePlaces(caller, async (home, places) => {
    const removed: RemovedPlace[] = [];
    for (const place of places) removed.push(await removePlace(home, place));
    const work = await dropSettledWork(home, caller);
    const lost = isLost ? await dropLost(home, Date.now() - LOST_MS) : [];
    return { places: removed, work, lost };
  });
}

/** L-41: ends what killed runs left in lanes, and saves it. Returns sentences. */
export async function sweepLanes(caller: Caller): Promise<string[]> {
  return await withFreePlaces(caller, async (home, places) => {
    const said: string[] = [];
    for (const place of places.filter(({ row }) => useOf(row) === "left")) {
      const row = place.row!;
      const ended = await sweep(treeMarker(row.run, home.gitFolder));
      const ref = await saveContent(home, place);
      closeRow(row);
      said.push(
        `Run ${row.run} was killed in ${placeName(place)}: ended ${ended.length} of its processes, and ` +
          (ref === undefined ? "no work was left there" : `saved its work as ${ref}`),
      );
    }
    return said;
  });
}

/** No run uses a place while we have the working tree (75 otherwise). */
async function withFreePlaces<Result>(
  caller: Caller,
  action: (home: Repository, places: readonly KnownPlace[]) => Promise<Result>,
): Promise<Result> {
  const workspace = await openWorkspace(caller);
  return await withHome({ host: caller, root: workspace.root, scope: "workspace" }, async ({ home }) =>
    action(home, (await findPlaces(workspace, home, caller)).places),
  );
}

/** The row goes last: as long as there is something of a place, it is known. Killed processes may have left drafts. */
async function removePlace(home: Repository, place: KnownPlace): Promise<RemovedPlace> {
  const { name, folder } = place;
  const size = (await kindOf(folder)) === "folder" ? await folderSize(folder, MOST_MEASURED) : undefined;
  const saved = await saveContent(home, place);
  const row = `${name}.json`;
  const beside = (await entriesIn(dirname(folder))).filter((entry) => entry.startsWith(`${name}.`) && entry !== row);
  for (const entry of [name, ...beside, row]) await removeAll(join(dirname(folder), entry));
  return { name, folder, size, saved };
}

const MOST_MEASURED = 50_000;

/** No session starts in the room, so only lanes have work. */
async function saveContent(home: Repository, { name, folder, view: gitDir }: KnownPlace): Promise<string | undefined> {
  if (typeof placeOf(name) !== "number" || (await kindOf(folder)) === undefined) return undefined;
  const head = (await mustBytes(home, ["rev-parse", "HEAD^{commit}"])).stdout.toString().trim();
  const view = await openView(home, { folder, gitDir }, head);
  return await saveForeignContent(view, name, await keptTrees(home));
}

/** The trees of work and landings: a lane with one of them has nothing of its own. */
async function keptTrees(home: Repository): Promise<Set<string>> {
  const { stdout } = await mustBytes(home, ["for-each-ref", "--format=%(tree)", "refs/heads", "refs/ralph"]);
  return new Set(stdout.toString().split("\n").slice(0, -1));
}

async function dropSettledWork(home: Repository, caller: Caller): Promise<string[]> {
  return await reading(caller, async ({ store }) => {
    const dropped: string[] = [];
    for (const { task: id, ref } of await listWork(home)) {
      const task = await store.get(id);
      if (task === undefined || !isSettled(task.status)) continue;
      await dropWork(home, id);
      dropped.push(ref);
    }
    return dropped;
  });
}

/** Only refs whose names tell when they were made: a commit may be older than its ref. */
async function dropLost(home: Repository, beforeMs: number): Promise<string[]> {
  const dropped: string[] = [];
  for (const { ref } of await listKept(home)) {
    const stamp = /^refs\/ralph\/lost\/.+-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\d{3}Z$/.exec(ref);
    if (stamp === null) continue;
    const [, year, month, day, hour, minute, second] = stamp;
    if (Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) >= beforeMs) continue;
    await removeRef(home, ref);
    dropped.push(ref);
  }
  return dropped;
}
