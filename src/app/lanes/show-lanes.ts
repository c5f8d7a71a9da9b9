import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { useOf } from "../../lane/lane-row.ts";
import { kindOf } from "../../system/folder.ts";
import { folderSize, type FolderSize } from "../../system/folder-size.ts";
import { headOf } from "../../system/git/folder.ts";
import { type KeptRef, listKept } from "../../system/git/saved-ref.ts";
import type { Repository } from "../../system/git/repository.ts";
import { listWork, pathsOfWork, readWork } from "../../system/git/work-ref.ts";
import type { Store } from "../../store/store.ts";
import { type Caller, reading } from "../task/caller.ts";
import { type KnownPlace, placeName, withPlaces } from "./places.ts";

export type { FolderSize } from "../../system/folder-size.ts";

/** What a person can see of the lanes of a working tree. */
export interface ShownLanes {
  readonly parent: string;
  readonly nowMs: number;
  readonly places: readonly ShownPlace[];
  readonly unfinished: readonly ShownWork[];
  readonly kept: readonly KeptRef[];
}

export interface ShownPlace extends Pick<KnownPlace, "name" | "folder"> {
  /** Undefined: somebody removed the folder. */
  readonly size: FolderSize | undefined;
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly run: string | undefined;
  readonly task: { readonly id: string; readonly title: string | undefined } | undefined;
  readonly use: ReturnType<typeof useOf>;
  readonly isSetUp: boolean;
}

/** The unproven work of a task. */
export interface ShownWork {
  readonly task: string;
  /** Undefined: there is no such task any more. */
  readonly title: string | undefined;
  readonly ref: string;
  readonly files: number;
  readonly keptAtMs: number;
}

/** So many files of a place are measured. */
const MOST_MEASURED = 50_000;

/** L-42: the lanes, the room, and work that has not landed. Read-only (W-06). */
export async function showLanes(caller: Caller): Promise<ShownLanes> {
  return await withPlaces(caller, async ({ parent, places, home }) =>
    reading(caller, async ({ store }) => {
      const shown: ShownPlace[] = [];
      for (const place of places) shown.push(await showPlace(place, store));
      const unfinished = await workIn(home, store);
      return { parent, nowMs: Date.now(), places: shown, unfinished, kept: await listKept(home) };
    }),
  );
}

async function showPlace({ name, folder, view, row }: KnownPlace, store: Store): Promise<ShownPlace> {
  const isThere = (await kindOf(folder)) === "folder";
  const { branch } = headOf(join(folder, ".git"));
  const { commit } = headOf(view);
  const id = row?.task;
  return {
    name,
    folder,
    size: isThere ? await folderSize(folder, MOST_MEASURED) : undefined,
    branch: isThere ? branch : undefined,
    commit,
    run: row?.run,
    task: id === undefined ? undefined : { id, title: (await store.get(id))?.title },
    use: useOf(row),
    isSetUp: isThere && (await kindOf(`${folder}.setup.json`)) === "file",
  };
}

async function workIn(home: Repository, store: Store): Promise<ShownWork[]> {
  const found: ShownWork[] = [];
  for (const { task, ref, keptAtMs } of await listWork(home)) {
    const work = await readWork(home, task);
    if (work === undefined) continue;
    const files = (await pathsOfWork(home, work)).length;
    found.push({ task, title: (await store.get(task))?.title, ref, files, keptAtMs });
  }
  return found;
}

/** The folder of a place by its name. */
export async function laneFolder(name: string, caller: Caller): Promise<string> {
  return await withPlaces(caller, async ({ places }) => {
    const { folder } = knownPlace(name, places);
    if ((await kindOf(folder)) === "folder") return folder;
    throw new RalphError("usage", `The folder of ${placeName({ name })} is gone: ${folder}`, {
      hint: "The next run makes it again",
    });
  });
}

/** The place of that name; a sentence if there is none. */
export function knownPlace(name: string, places: readonly KnownPlace[]): KnownPlace {
  const found = places.find((place) => place.name === name);
  if (found !== undefined) return found;
  if (places.length === 0) {
    throw new RalphError("usage", "There are no lanes yet", { hint: "The first ralphctl run makes one" });
  }
  const names = places.map((place) => place.name).join(", ");
  throw new RalphError("usage", `There is no lane ${JSON.stringify(name)}`, { hint: `Choose one of: ${names}` });
}
