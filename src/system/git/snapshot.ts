import { byPath, changeOf, type FileChange, type FileState } from "../../domain/change.ts";
import { isInternalPath } from "../../domain/internal-paths.ts";
import { mustBytes } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { readStates, type PathState } from "./hash.ts";
import { emptyTree, QUIET, type Repository } from "./repository.ts";
import { readStatus, type Status } from "./status.ts";
import { compareTrees } from "./tree-changes.ts";
import { nameTree } from "./tree.ts";

/** The working tree at one moment. Plain data: a later run can read and compare it. */
export interface Snapshot {
  /** The commit; undefined before the first. */
  readonly head: string | undefined;
  /** The branch; undefined when HEAD is detached. */
  readonly branch: string | undefined;
  /** Git's name for the tree of all files, tracked and untracked but not ignored, whoever changed them. */
  readonly tree: string;
  /** Everything that differs from HEAD, in order of paths. */
  readonly changed: readonly PathState[];
  readonly takenAtMs: number;
  /** Ignored files, and ignored folders as a whole; undefined: the look did not include them. */
  readonly ignored?: readonly string[] | undefined;
}

/**
 * Looks at the working tree; the user's index stays as it is. `earlier` spares reading files that have not been
 * touched since. `look`: a status that is still current.
 */
export async function snapshot(
  repository: Repository,
  earlier?: Snapshot,
  look: Promise<Status> = readStatus(repository),
): Promise<Snapshot> {
  const takenAtMs = Date.now();
  const status = await look;
  const entries = status.entries.filter(({ path }) => !isInternalPath(path));
  const states = await readStates(repository, entries, knownBy(earlier));
  const changed = states.filter(({ path, head, now }) => changeOf(path, head, now) !== undefined).sort(byPath);
  const { head, branch } = status;
  const isSame = earlier !== undefined && isSameTree(earlier, { head, changed });
  const tree = isSame ? earlier.tree : (await nameTree(repository, head, changed)).tree;
  const ignored = status.ignored?.filter((path) => !isInternalPath(path));
  return { head, branch, tree, changed, takenAtMs, ...(ignored !== undefined && { ignored }) };
}

/**
 * The changes between two snapshots: exactly the paths whose content or mode differ, committed or not. Files that were
 * already dirty or untracked before and are the same now are not among them.
 */
export async function changesBetween(repository: Repository, from: Snapshot, to: Snapshot): Promise<FileChange[]> {
  const moved = await committedBetween(repository, from.head, to.head);
  const before = new Map(from.changed.map((state) => [state.path, state]));
  const after = new Map(to.changed.map((state) => [state.path, state]));
  const paths = new Set([...before.keys(), ...after.keys(), ...moved.keys()]);
  const changes = Array.from(paths, (path) => {
    if (isInternalPath(path)) return undefined;
    const old = before.get(path);
    const now = after.get(path);
    const heads = moved.get(path);
    const oldState = old === undefined ? (heads === undefined ? now?.head : heads.before) : old.now;
    const newState = now === undefined ? (heads === undefined ? old?.head : heads.after) : now.now;
    return changeOf(path, oldState, newState);
  });
  return changes.filter((change) => change !== undefined).sort(byPath);
}

/** What differs between two commits, by path. */
export async function committedBetween(
  repository: Repository,
  from: string | undefined,
  to: string | undefined,
): Promise<ReadonlyMap<string, FileChange>> {
  if (from === to) return new Map();
  const [old, now] = [from ?? emptyTree(repository), to ?? emptyTree(repository)];
  const quick = await compareTrees(repository, old, now);
  return quick?.changes ?? (await rawChanges(repository, ["diff-tree", "-r"], [old, now]));
}

/** What one of git's plain comparisons finds, by path. */
export async function rawChanges(
  repository: Repository,
  command: readonly string[],
  operands: readonly string[] = [],
): Promise<Map<string, FileChange>> {
  const flags = ["-z", "--raw", "--no-renames", "--ignore-submodules=none"];
  const fields = splitNul((await mustBytes(repository, [...QUIET, ...command, ...flags, ...operands])).stdout);
  const changes = new Map<string, FileChange>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldHash = "", newHash = ""] = fields[at]!.toString("latin1", 1).split(" ");
    const path = decodePath(fields[at + 1]!);
    const change = changeOf(path, stateOf(oldMode, oldHash), stateOf(newMode, newHash));
    if (change !== undefined) changes.set(path, change);
  }
  return changes;
}

const stateOf = (mode: string, hash: string): FileState | undefined => (/^0+$/.test(mode) ? undefined : { mode, hash });

/** A file touched this shortly before a look may have been written again within the same tick of its clock. */
const TICK_MS = 50;

function knownBy(earlier: Snapshot | undefined): (path: string, stat: string) => FileState | undefined {
  if (earlier === undefined) return () => undefined;
  const states = new Map(earlier.changed.map((state) => [state.path, state]));
  return (path, stat) => {
    const state = states.get(path);
    if (state === undefined || state.stat !== stat) return undefined;
    return (changedAtMs(state) ?? 0) + TICK_MS < earlier.takenAtMs ? state.now : undefined;
  };
}

/** When a file was last changed, its mode included; undefined for one that is gone, and for repositories inside. */
export function changedAtMs({ stat }: PathState): number | undefined {
  return stat === undefined ? undefined : Number(BigInt(stat.split(":")[2] ?? "0") / 1_000_000n);
}

const isSameTree = (earlier: Snapshot, now: Pick<Snapshot, "head" | "changed">): boolean =>
  earlier.head === now.head &&
  earlier.changed.length === now.changed.length &&
  earlier.changed.every((state, index) => {
    const other = now.changed[index]!;
    return state.path === other.path && changeOf(state.path, state.now, other.now) === undefined;
  });
