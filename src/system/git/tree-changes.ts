import { byPath, changeOf, type FileChange, type FileState } from "../../domain/change.ts";
import { isLoose } from "./object.ts";
import { decodePath } from "./path.ts";
import type { Repository } from "./repository.ts";
import { openTreeReader, parseTree, type TreeReader } from "./object-reader.ts";

/** What lies between two trees. */
interface TreeDifference {
  readonly changes: ReadonlyMap<string, FileChange>;
  /** The objects that the second has at places where the first has others. */
  readonly objects: readonly string[];
}

/** So many trees are read; git itself is quicker for more. */
const MAX_READ = 100;

/**
 * Compares the trees of two commits, or two trees. Most folders of them were read before, so that no git starts, or one
 * that reads the others. Undefined if they are many.
 */
export async function compareTrees(
  repository: Repository,
  from: string,
  to: string,
): Promise<TreeDifference | undefined> {
  if (![from, to].every((name) => /^[0-9a-f]{40,64}$/.test(name))) return undefined; // a ref may move
  const reader = openTreeReader(repository);
  const walk: Walk = { repository, reader, changes: [], objects: [], readsLeft: MAX_READ };
  try {
    const [old, now] = [await reader.read(`${from}^{tree}`), await reader.read(`${to}^{tree}`)];
    if (old.name !== now.name) {
      walk.objects.push(now.name);
      const [before, after] = [old, now].map(({ content }) => parseTree(repository, content));
      await compareFolders(walk, "", { before: before!, after: after! });
    }
    if (walk.readsLeft < 0) return undefined;
    const changes = walk.changes.toSorted(byPath);
    return { changes: new Map(changes.map((change) => [change.path, change])), objects: walk.objects };
  } finally {
    reader.close();
  }
}

interface Walk {
  readonly repository: Repository;
  readonly reader: TreeReader;
  readonly changes: FileChange[];
  readonly objects: string[];
  readsLeft: number;
}

type Entries = ReadonlyMap<string, FileState>;

const NONE: Entries = new Map();

interface Folders {
  readonly before: Entries;
  readonly after: Entries;
}

async function compareFolders(walk: Walk, above: string, folders: Folders): Promise<void> {
  for (const name of new Set([...folders.before.keys(), ...folders.after.keys()])) {
    const [before, after] = [folders.before.get(name), folders.after.get(name)];
    if (before?.hash === after?.hash && before?.mode === after?.mode) continue;
    if (walk.readsLeft < 0) return;
    if (after !== undefined && after.mode !== "160000") walk.objects.push(after.hash);
    const path = `${above}${name}`;
    const change = changeOf(decodePath(Buffer.from(path, "latin1")), fileOf(before), fileOf(after));
    if (change !== undefined) walk.changes.push(change);
    if (isFolder(before) || isFolder(after)) {
      const inside = { before: await entriesOf(walk, before), after: await entriesOf(walk, after) };
      await compareFolders(walk, `${path}/`, inside);
    }
  }
}

const isFolder = (state: FileState | undefined): boolean => state?.mode === "40000";

const fileOf = (state: FileState | undefined): FileState | undefined => (isFolder(state) ? undefined : state);

async function entriesOf(walk: Walk, state: FileState | undefined): Promise<Entries> {
  if (state === undefined || !isFolder(state)) return NONE;
  if (!walk.repository.trees.has(state.hash) && (walk.readsLeft -= 1) < 0) return NONE;
  return parseTree(walk.repository, (await walk.reader.read(state.hash)).content);
}

/**
 * Whether all objects that a tree has beyond a commit are there as files of their own, as we write them. False: they may
 * be packed.
 */
export async function hasLooseObjects(repository: Repository, from: string, to: string): Promise<boolean> {
  const found = await compareTrees(repository, from, to);
  return found?.objects.every((name) => isLoose(repository, name)) === true;
}
