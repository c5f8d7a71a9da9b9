import { dirname, join, relative } from "node:path";
import { type Environment, FLEET_VARIABLE } from "../domain/environment.ts";
import { RalphError } from "../domain/error.ts";
import { isoTime } from "../domain/task-json.ts";
import { openSqliteStore } from "../store/index.ts";
import type { Store, StoreFile } from "../store/store.ts";
import { findUp } from "../system/find-up.ts";
import { checkInside, kindOf, makeFolder } from "../system/folder.ts";
import { type GitFolder, gitFolder } from "../system/git/folder.ts";
import { randomUuid } from "../system/random-name.ts";
import { fileFacts } from "../system/store-file.ts";

/** Where the tasks of a repository are: one store for all its working trees (W-07). */
export interface StorePlace {
  /** The folder that holds `.ralph/`. */
  readonly root: string;
  readonly file: string;
  /** A copy that survives `git clean -fdx` (W-03); undefined outside a repository. */
  readonly copy: string | undefined;
}

export interface OpenedStore {
  readonly store: Store & StoreFile;
  readonly place: StorePlace;
  /** Notices for the user, such as that the store was restored from its copy. */
  readonly notices: readonly string[];
}

/**
 * Finds the store of the workspace around a folder; throws if there is no workspace. Does not look above the working
 * tree of a repository: a workspace there is another one.
 */
export async function findStore(cwd: string): Promise<StorePlace> {
  const git = gitFolder(cwd);
  const root = (await findUp(cwd, ".ralph", git?.top)) ?? (git && (await treeWithout(git)));
  if (root === undefined) {
    throw new RalphError("config", `No workspace here: no .ralph/ in ${cwd} or above it`, {
      hint: "Run ralphctl init",
    });
  }
  return git === undefined ? { root, file: join(root, ".ralph", "ralph.db"), copy: undefined } : storeOf(git, root);
}

function storeOf({ top, mainTree, common }: GitFolder, root: string): StorePlace & { readonly copy: string } {
  // A workspace may lie in a folder of its repository, beside others: each has its own tasks.
  const inside = relative(top, root);
  const shared = join(common, "ralph", ...(inside === "" ? [] : ["in", inside]));
  // A repository without a main working tree has no `.ralph/` that all its working trees could share.
  const file = mainTree ? join(mainTree, inside, ".ralph", "ralph.db") : join(shared, "ralph.db");
  return { root, file, copy: join(shared, "copy.db") };
}

/** A working tree whose `.ralph/` is gone or was never committed, of a repository that is a workspace. */
async function treeWithout(git: GitFolder): Promise<string | undefined> {
  const { file, copy } = storeOf(git, git.top);
  const shared = git.mainTree === undefined ? file : join(git.mainTree, ".ralph");
  const isWorkspace = (await kindOf(shared)) !== undefined || (await kindOf(copy)) !== undefined;
  return isWorkspace ? git.top : undefined;
}

/**
 * Opens the store to change it. Creates it if there is none, and restores it from its copy if it has vanished. A fleet's
 * address in the environment makes it the fleet's.
 */
export async function openStore(cwd: string, env: Environment = {}): Promise<OpenedStore> {
  const place = await findStore(cwd);
  await checkLinks(place);
  await makeFolder(join(place.file, ".."), { isPrivate: true });
  return await openAt(place, { cwd, env });
}

const isThere = async (file: string | undefined): Promise<boolean> =>
  file !== undefined && (await kindOf(file)) !== undefined;

const NAME = "name";

/** By which the person's own database is told from one that came with an archive; undefined: nobody's. */
export async function storeName(store: Pick<Store, "getMeta">): Promise<string | undefined> {
  const name = await store.getMeta(NAME);
  return typeof name === "string" ? name : undefined;
}

/** B-01: gates of tasks in a database that the person makes are theirs. If that cannot be remembered, they are asked later. */
async function nameStore(store: Store, root: string, env: Environment): Promise<void> {
  // Only the first command in a workspace needs it.
  const { trustFile, trustStore } = await import("./trust/record.ts");
  const file = trustFile(root, env);
  // Two commands may make it at once.
  await store.updateMeta(NAME, (name) => name ?? randomUuid());
  const name = await storeName(store);
  if (file === undefined || name === undefined) return;
  try {
    await trustStore(file, root, name);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
  }
}

/** Neither the store nor its copy may be a link that leads out of the folder (W-05). */
async function checkLinks({ file, copy }: StorePlace): Promise<void> {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) await checkInside(dirname(dirname(file)), path);
  if (copy !== undefined) await checkInside(dirname(dirname(copy)), copy);
}

interface Around {
  readonly cwd: string;
  readonly env: Environment;
}

async function openAt(place: StorePlace, around: Around): Promise<OpenedStore> {
  const notices: string[] = [];
  const onRestored = (): void => void notices.push(restoredFrom(place.copy!));
  const isNew = !(await isThere(place.file)) && !(await isThere(place.copy));
  const store = await openSqliteStore({ path: place.file, copy: place.copy, onRestored });
  if (isNew) await nameStore(store, place.root, around.env);
  return await inFleet({ store, place, notices }, around);
}

/** Only a fleet needs a database, and what speaks with it. */
async function inFleet(opened: OpenedStore, around: Around): Promise<OpenedStore> {
  if (!isOfFleet(around.env)) return opened;
  try {
    const { bindStore } = await import("./fleet/bind-store.ts");
    return { ...opened, store: await bindStore(opened.store, around) };
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

/** Whether a shell works on the tasks of a fleet. */
export const isOfFleet = ({ [FLEET_VARIABLE]: address = "" }: Environment): boolean => address !== "";

/** Says how old the copy is: later changes are lost. */
function restoredFrom(copy: string): string {
  const time = fileFacts(copy)?.changedAt;
  const when = time === undefined ? "" : `, as they were at ${isoTime(Math.floor(time))}`;
  return `The tasks were gone and have been restored from ${copy}${when}; to start anew, delete that file too`;
}

/** Opens the store to read it. Without one it returns an empty store in memory, so that no file is made (W-06). */
export async function openStoreToRead(cwd: string, env: Environment = {}): Promise<OpenedStore> {
  const place = await findStore(cwd);
  if (await isThere(place.file)) {
    await checkLinks(place);
    return await openAt(place, { cwd, env });
  }
  if (await isThere(place.copy)) return await openStore(cwd, env);
  return await inFleet({ store: await openSqliteStore({ path: ":memory:" }), place, notices: [] }, { cwd, env });
}

/** Tries something out on the store around a folder: nothing of it stays, and no file is made (W-06). */
export async function previewStore<Result>(
  cwd: string,
  work: (store: Store, notices: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { store, notices } = await openStoreToRead(cwd);
  try {
    return await store.preview(async (preview) => await work(preview, notices));
  } finally {
    await store.close();
  }
}

const COPY_AGE_MS = 10 * 60 * 1000;

/**
 * Closes a store that was changed, and renews its copy if that is older than ten minutes. Returns a warning if the copy
 * could not be written; the change stays.
 */
export async function closeStore(opened: OpenedStore): Promise<string[]> {
  const { store } = opened;
  try {
    await renewCopy(opened);
    return [];
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return [`The change was made, but the copy of the tasks could not be renewed: ${error.message}`];
  } finally {
    await store.close();
  }
}

/** Renews the copy, however young it is: a run may lose everything that is not in it (W-03). */
export async function makeCopy({ store, place: { copy } }: OpenedStore): Promise<void> {
  if (copy !== undefined) await store.backupTo(copy);
}

/** Renews the copy if it is older than ten minutes (W-03). */
export async function renewCopy({ store, place: { copy } }: OpenedStore): Promise<void> {
  if (copy !== undefined && isOld(copy)) await store.backupTo(copy);
}

function isOld(copy: string): boolean {
  const age = Date.now() - (fileFacts(copy)?.changedAt ?? 0);
  return age > COPY_AGE_MS || age < 0;
}
