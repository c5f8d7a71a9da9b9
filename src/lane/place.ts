import { namesInLine } from "../domain/verdict-report.ts";
import { join } from "node:path";
import { changeOf } from "../domain/change.ts";
import { RalphError } from "../domain/error.ts";
import { makeFolder, removeAll } from "../system/folder.ts";
import type { CloneTruth } from "../system/git/clone-config.ts";
import { keptModules, keptObjects } from "../system/git/clone-objects.ts";
import { cloneHead, importCommits, keepCloneTruth, makeClone, pointClone, readTruth } from "../system/git/clone.ts";
import { NESTED, type PathState } from "../system/git/hash.ts";
import {
  checkPlaceFolder,
  emptyFolder,
  foldersAfter,
  foldersIn,
  foldersOf,
  forgetTimes,
  identityOf,
  installFolder,
  isOwnFolder,
  putTree,
  remakeFolder,
  removeHiddenRepositories,
  removeIgnored,
  removeUnknown,
  type IgnoredFiles,
} from "../system/git/place-files.ts";
import { hasCommit } from "../system/git/object.ts";
import type { Repository } from "../system/git/repository.ts";
import { committedBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { learnModes, type Status } from "../system/git/status.ts";
import { emptyMoved, fillSubmodules, foldersBeside, submodulesOf } from "../system/git/submodules.ts";
import { nameTree } from "../system/git/tree.ts";
import { keepProving } from "../system/git/work-ref.ts";
import { openView, setViewHead, viewHead } from "../system/git/view.ts";
import { saveForeignContent } from "./lost.ts";
import { mendPlace } from "./mend-place.ts";

/** A checkout of ours outside the working tree: lane 1, in which agents work, or the room, in which gates run. */
export interface Place {
  readonly name: string;
  readonly folder: string;
  /** Our view of it: the files of the place, with the objects and the configuration of `home`. */
  readonly repository: Repository;
  readonly home: Repository;
  /** The branch that programs in it see; undefined: HEAD is detached. */
  readonly branch: string | undefined;
  /** Whether it was made just now: set-up has not run in it. */
  readonly isFresh: boolean;
  /** The ref under which files were saved that somebody had put in its place. */
  readonly lost: string | undefined;
  /** What is known of it, so that work is done only once. */
  readonly known: PlaceKnowledge;
}

interface PlaceKnowledge {
  /** What the `.git` of the clone says. */
  readonly truth: CloneTruth;
  /** The last commit that HEAD of our view was at. */
  head: string;
  /** The folder, as long as it is the one that we made. */
  folder: string | undefined;
  /** The tree that our index is at; undefined: we have not put one there yet. */
  indexTree: string | undefined;
  /** The folders of that tree, and of earlier ones; undefined: we have not asked yet. */
  folders: readonly Buffer[] | undefined;
  last: Snapshot | undefined;
  /** It had no other files than these after the last reset, ignored ones included. */
  isBare: boolean;
}

export interface PlaceRequest {
  readonly name: string;
  /** The folder of all places of the repository. */
  readonly parent: string;
  readonly head: string;
  readonly branch: string | undefined;
  /** Read once for all places of a run. */
  readonly truth?: Promise<CloneTruth> | undefined;
}

/**
 * Opens a place as the last run left it, or makes it at `head`. A folder under its name that is not ours is replaced;
 * its files are saved first, and what cannot be saved is an error.
 */
export async function openPlace(home: Repository, request: PlaceRequest): Promise<Place> {
  const { name, parent, head, branch } = request;
  const folder = join(parent, name);
  // Both at once: a failure of what began before must find somebody who waits for it.
  const reading = request.truth ?? readTruth(home, head);
  const [truth] = await Promise.all([reading, makeFolder(parent, { isPrivate: true })]);
  checkPlaceFolder(home, folder);
  const view = await openView(home, { folder, gitDir: join(parent, `${name}.view`) }, head);
  keepCloneTruth(view, truth);
  const isHead = viewHead(view) === head;
  // Its last commit may be gone, for example because nothing referred to it any more.
  if (!isHead && !(await hasCommit(home, viewHead(view)))) setViewHead(view, head);
  const known: PlaceKnowledge = {
    truth,
    head: viewHead(view) ?? head,
    folder: isOwnFolder(view) ? identityOf(folder) : undefined,
    indexTree: undefined,
    folders: undefined,
    last: undefined,
    isBare: false,
  };
  const place: Place = { name, folder, repository: view, home, branch, isFresh: false, lost: undefined, known };
  if (isOwnFolder(view)) return place;
  const lost = await saveForeignContent(view, name);
  const last = await makeFresh(place, head);
  const made = { head, folder: identityOf(folder), indexTree: last.tree, folders: foldersIn(folder), last };
  Object.assign(known, { ...made, isBare: true });
  return { ...place, isFresh: true, lost };
}

/** Made under another name: the place is whole, or it is not there. */
async function makeFresh({ folder, repository: view, home, branch, known }: Place, head: string): Promise<Snapshot> {
  const draft = `${folder}.new`;
  await removeAll(draft);
  try {
    await makeClone(home, draft, { commit: head, branch, truth: known.truth, kept: keptObjects(view) });
    setViewHead(view, head);
    const drafted = { ...view, folder: draft };
    const made = await checkOutCleanly(drafted, head);
    await pointClone(draft, { commit: head, branch, view: drafted });
    installFolder(view, draft);
    return made;
  } catch (cause) {
    await removeAll(draft);
    throw cause;
  }
}

/** L-02: a place that differs from its commit before any work cannot show what work changed. */
async function checkOutCleanly(view: Repository, head: string): Promise<Snapshot> {
  try {
    await putTree(view, head);
  } catch (cause) {
    if (!(cause instanceof RalphError)) throw cause;
    throw notReproducible(`Git cannot check out a lane: ${cause.message}`, cause);
  }
  await forgetTimes(view);
  const made = await snapshot(view);
  if (made.changed.length > 0)
    throw notReproducible(
      `A fresh checkout differs from its commit: ${namesInLine(
        made.changed.map(({ path }) => path),
        10,
      )}`,
    );
  return made;
}

/** Git cannot check files out so that it reads the same from them. */
export class NotReproducible extends RalphError {
  override readonly name = "NotReproducible";
}

const notReproducible = (message: string, cause?: unknown): RalphError =>
  new NotReproducible("config", message, {
    hint: "Check filters and line ends of these files (git check-attr --all FILE), or work in your tree with --in-place",
    cause,
  });

export interface PlaceTarget {
  readonly head: string;
  /** The files, which may be others than those of `head`. */
  readonly tree: string;
  readonly removesIgnored: IgnoredFiles;
  /** Programs see files that differ from `head` as changes that nobody has staged. */
  readonly isUnstaged?: boolean;
  /** Files that git cannot reproduce stay as it writes them: an agent may still mend that. */
  readonly mayDiffer?: boolean;
  /** No program has run in any place since the last reset. */
  readonly isIdle?: boolean;
  /** A place whose submodules may have commits that the person's do not. */
  readonly other?: string;
}

/**
 * Makes the files of a place exactly those of a tree, ignored ones aside, and its HEAD the one that is asked for.
 * Repositories that somebody left in it are removed. What was there is lost: keep it before.
 */
export async function resetPlace(place: Place, to: PlaceTarget): Promise<Snapshot> {
  const { repository: view, folder, home, branch, known } = place;
  await mendPlace(place);
  checkPlaceFolder(home, folder);
  const isAtHead = viewHead(view) === to.head;
  const isReady = to.isIdle === true && known.isBare && isAtHead && known.last?.tree === to.tree;
  if (isReady && known.last !== undefined && isOwnFolder(view)) return known.last;
  known.isBare = false;
  remakeFolder(view);
  const now = known.indexTree === to.tree ? await snapshot(view, known.last) : undefined;
  const isThere = now !== undefined && isExactly(now, to.tree);
  if (!isThere) await moveTo(place, to.tree);
  if (to.removesIgnored !== false) await removeIgnored(view, to.removesIgnored.keep);
  known.folders ??= await foldersOf(view, to.tree);
  const submodules = await submodulesOf(view, to.tree);
  removeHiddenRepositories(view, foldersBeside(submodules, known.folders));
  emptyMoved(view, submodules);
  if (!isAtHead) setViewHead(view, to.head);
  Object.assign(known, { head: to.head, folder: identityOf(folder) });
  const isUnstaged = to.isUnstaged === true && (await nameTree(view, to.head, [])).tree !== to.tree;
  const [after] = await Promise.all([
    isThere && isAtHead ? now : lookAfterReset(place, to),
    pointClone(folder, { commit: to.head, branch, view, isUnstaged }),
  ]);
  known.last = after;
  await fillSubmodules({ home, folder, submodules, head: to.head, other: to.other, kept: keptModules(view) });
  known.isBare = to.removesIgnored !== false && to.mayDiffer !== true;
  return after;
}

async function moveTo({ repository: view, known }: Place, tree: string): Promise<void> {
  const before = known.indexTree;
  known.indexTree = undefined;
  const isKnown = before !== undefined && known.folders !== undefined;
  const [folders] = await Promise.all([
    isKnown ? foldersAfter(view, { before, tree, folders: known.folders! }) : foldersOf(view, tree),
    putTree(view, tree),
  ]);
  Object.assign(known, { indexTree: tree, folders });
}

const isExactly = (now: Snapshot, tree: string): boolean => now.tree === tree && !now.changed.some(isRepository);

/** Untracked, or registered and with changes inside. */
const isRepository = ({ now }: PathState): boolean =>
  now?.hash === NESTED.hash || (now?.mode === "160000" && now.hash.includes(" "));

/** Most resets leave nothing unknown behind: so a look comes first, and is the last in most cases. */
async function lookAfterReset(place: Place, { tree, mayDiffer }: PlaceTarget): Promise<Snapshot> {
  const { repository: view, known } = place;
  const first = await snapshot(view);
  if (isExactly(first, tree)) return first;
  await removeUnknown(view);
  const registered = first.changed.filter(({ now }) => now?.mode === "160000" && now.hash !== NESTED.hash);
  for (const { path } of registered) emptyFolder(view, path);
  const second = await snapshot(view);
  if (isExactly(second, tree)) return second;
  // Another tree's attributes may have written them: git takes files for current until they are gone.
  await removeDiffering(view, tree, second);
  await moveTo(place, tree);
  const third = await snapshot(view);
  if (isExactly(third, tree)) return third;
  if (mayDiffer === true) return third;
  const differing = await removeDiffering(view, tree, third);
  known.indexTree = undefined;
  throw notReproducible(`A checkout differs from its tree: ${namesInLine(differing, 10)}`);
}

async function removeDiffering(view: Repository, tree: string, now: Snapshot): Promise<readonly string[]> {
  const wanted = await committedBetween(view, now.head, tree);
  const found = new Map(now.changed.map((state) => [state.path, state.now]));
  const differing = [...new Set([...wanted.keys(), ...found.keys()])].filter(
    (path) => changeOf(path, wanted.get(path)?.after, found.get(path)) !== undefined,
  );
  for (const path of differing) await removeAll(join(view.folder, path));
  return differing;
}

export interface Collected {
  readonly now: Snapshot;
  /** The last commit: the one that the session made, or the one that it began on. */
  readonly head: string;
}

/** What a session left: its files, and its commits, which are brought into `home`. `look`: a status that is still current. */
export async function collectPlace(place: Place, look?: Promise<Status>): Promise<Collected> {
  const { repository: view, folder, known } = place;
  remakeFolder(view);
  const before = viewHead(view);
  const made = cloneHead(folder);
  const hasMoved = made !== undefined && made !== before && (await bringCommits(place, made));
  if (hasMoved) setViewHead(view, (known.head = made));
  if (hasMoved && (await learnModes(view, before, made))) known.indexTree = undefined;
  const now = await snapshot(view, known.last, hasMoved ? undefined : look);
  known.last = now;
  return { now, head: now.head! };
}

const TRIES = 5;

/**
 * A ref names the commits at once, because nothing else does until the work of the session is kept. What a
 * `git gc --prune=now` removed before is brought again. False where an object is missing.
 */
async function bringCommits({ home, repository: view, folder, name }: Place, made: string): Promise<boolean> {
  const head = viewHead(view) ?? made;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const isBrought = await importCommits(view, folder, made);
    if (isBrought && (await keepProving(home, keptAs(name), { tree: made, head }))) return true;
  }
  return false;
}

/** Names the commits of a lane's session, in the place of a task. */
export const keptAs = (lane: number | string): string => `lane-${lane}`;
