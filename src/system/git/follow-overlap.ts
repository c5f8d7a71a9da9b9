import type { FileChange, FileState } from "../../domain/change.ts";
import { mustBytes } from "./git.ts";
import { readStates } from "./hash.ts";
import type { IndexEntry } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { committedBetween } from "./snapshot.ts";
import { readUserChanges, type UserChanges } from "./user-changes.ts";

/** A branch on its way to the landing ref, in one working tree. */
export interface FollowStep {
  readonly branch: string;
  readonly landing: string;
  /** Paths that ralphctl writes itself. */
  readonly planFiles: readonly string[];
  /** How the person calls git for this tree, from where they run ralphctl. */
  readonly git: string;
  /** What the person types once nothing is in the way; default: `ralphctl land`. */
  readonly again?: string | undefined;
  /** Back to an earlier commit. */
  readonly isBack?: boolean | undefined;
}

export type Overlap =
  /** `entries`: set in the index first. `entriesNow`: what they are. */
  | { readonly kind: "none"; readonly entries: readonly IndexEntry[]; readonly entriesNow: readonly IndexEntry[] }
  /** The person staged or changed these, or has files there that git does not track, and others landed. */
  | {
      readonly kind: "overlap";
      readonly staged: readonly string[];
      readonly changed: readonly string[];
      readonly untracked: readonly string[];
    }
  /** HEAD is no longer at the commit of the branch. */
  | { readonly kind: "moved" };

/**
 * Finds changes of the person's among the paths that landed: git would refuse all of them. A file that is already as it
 * landed, or that ralphctl wrote, passes by its index entry, because git leaves a file alone if the index has the new
 * entry.
 */
export async function findOverlap(tree: Repository, step: FollowStep): Promise<Overlap> {
  const { branch, landing, planFiles } = step;
  const [changes, { head, staged, touched }] = await Promise.all([
    committedBetween(tree, branch, landing),
    readUserChanges(tree),
  ]);
  if (head !== branch) return { kind: "moved" };
  const open = [...changes.values()].filter(({ path, after }) => !staged.has(path) || !isSame(staged.get(path), after));
  const isOwn = await ownMarks(tree, step, staged);
  const isForeign = ({ path }: FileChange): boolean => staged.has(path) && !isOwn(path);
  const rest = open.filter((change) => !isForeign(change));
  const looked = rest.filter(({ path, before }) => before === undefined || touched.has(path) || staged.has(path));
  const now = await statesNow(tree, looked);
  const dirty = looked.filter(({ path, before }) => staged.has(path) || !isSame(now.get(path), before));
  // Git would remove a file that the index does not have.
  const stays = ({ path, after }: FileChange): boolean =>
    isSame(now.get(path), after) || (planFiles.includes(path) && after !== undefined);
  const isUntracked = ({ path, before }: FileChange): boolean => before === undefined && !staged.has(path);
  const inTheWay = dirty.filter((change) => !stays(change));
  const overlap = {
    staged: pathsOf(open.filter(isForeign)),
    changed: pathsOf(inTheWay.filter((change) => !isUntracked(change))),
    untracked: pathsOf(inTheWay.filter(isUntracked)),
  };
  if (Object.values(overlap).some((paths) => paths.length > 0)) return { kind: "overlap", ...overlap };
  return {
    kind: "none",
    entries: dirty.map(({ path, after }) => ({ path, state: after })),
    entriesNow: dirty.map(({ path, before }) => ({ path, state: staged.has(path) ? staged.get(path) : before })),
  };
}

/** Changes of the person's among the paths that landed which git was told not to see. */
export interface HiddenChanges {
  readonly assumed: readonly string[];
  readonly skipped: readonly string[];
}

/** Finds them. A file that a sparse checkout leaves out is not there, and so not in the way. */
export async function findHidden(tree: Repository, { branch, landing }: FollowStep): Promise<HiddenChanges> {
  const listed = (await mustBytes(tree, ["ls-files", "-v", "-z"])).stdout.toString().split("\0");
  const tags = new Map(listed.map((line) => [line.slice(2), line[0] ?? ""]));
  const hidden = [...(await committedBetween(tree, branch, landing)).values()].filter(({ path }) =>
    /^[a-zS]$/.test(tags.get(path) ?? ""),
  );
  const now = await statesNow(tree, hidden);
  const found = pathsOf(hidden.filter(({ path, before }) => now.get(path) && !isSame(now.get(path), before)));
  return {
    assumed: found.filter((path) => /[a-z]/.test(tags.get(path)!)),
    skipped: found.filter((path) => /s/i.test(tags.get(path)!)),
  };
}

const pathsOf = (changes: readonly FileChange[]): string[] => changes.map(({ path }) => path);

/** Which staged plan files have a text that landed on the way: it is in the history, and ralphctl wrote it. */
async function ownMarks(
  tree: Repository,
  { branch, landing, planFiles }: FollowStep,
  staged: UserChanges["staged"],
): Promise<(path: string) => boolean> {
  const own = new Set<string>();
  for (const path of planFiles.filter((file) => staged.has(file))) {
    const commits = await mustBytes(tree, ["rev-list", `${branch}..${landing}`, "--", path]);
    for (const commit of commits.stdout.toString().split("\n").filter(Boolean)) {
      const landed = (await committedBetween(tree, `${commit}^`, commit)).get(path)?.after;
      if (isSame(landed, staged.get(path))) own.add(path);
    }
  }
  return (path) => own.has(path);
}

/** The files of changes as they are in the tree now, as git would name them. */
export async function statesNow(
  tree: Repository,
  changes: readonly FileChange[],
): Promise<Map<string, FileState | undefined>> {
  // Of a repository inside the tree git moves the entry only.
  const isInside = ({ before, after }: FileChange): boolean =>
    [before, after].some((state) => state?.mode === "160000");
  const entries = changes
    .filter((change) => !isInside(change))
    .map(({ path, before }) => ({ path, head: before, staged: undefined, now: "unknown", submodule: undefined }));
  const states = await readStates(tree, entries, () => undefined);
  return new Map([
    ...changes.filter(isInside).map(({ path, before }) => [path, before] as const),
    ...states.map(({ path, now }) => [path, now] as const),
  ]);
}

export const isSame = (one: FileState | undefined, other: FileState | undefined): boolean =>
  one?.mode === other?.mode && one?.hash === other?.hash;
