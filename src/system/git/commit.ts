import { rm } from "node:fs/promises";
import type { FileChange, FileState } from "../../domain/change.ts";
import { gitBytes, gitRefused, mustBytes } from "./git.ts";
import { isConverted, isOnlyInGit, NESTED, type PathState } from "./hash.ts";
import { copyIndex, indexInfo } from "./index-file.ts";
import { type ChangeSince, inspectChange, type CommitRules, type LeftOut } from "./commit-filter.ts";
import { rememberCommitter, writeOwnCommit } from "./own-commit.ts";
import { storeTreeAndFiles } from "./object.ts";
import { encodePaths } from "./path.ts";
import { ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";
import { nameTree } from "./tree.ts";

/** Changes on top of a commit, whose files are in the working tree. */
export interface ChangesOn {
  /** The commit, without anything on top. */
  readonly base: Snapshot;
  readonly changes: readonly FileChange[];
}

/** The session's own work between two looks. */
export interface SnapshotRange {
  readonly base: Snapshot;
  readonly now: Snapshot;
}

/** A tree that is ready to be committed, and stays so whatever happens to the files. */
export interface BuiltTree {
  readonly tree: string;
  /** What it has beyond HEAD. Empty: there is nothing to commit. */
  readonly paths: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** The commit with these changes, except those that a commit must not have (P-32). */
export async function buildTree(
  repository: Repository,
  { base, changes }: ChangesOn,
  rules: CommitRules,
): Promise<BuiltTree> {
  const kept: FileChange[] = [];
  const leftOut: LeftOut[] = [];
  for (const change of changes) {
    const why = await whyLeftOut(repository, { change, base }, rules);
    if (why === undefined) kept.push(change);
    else leftOut.push({ path: change.path, why });
  }
  return { tree: await treeWith(repository, base.head!, kept), paths: kept.map(({ path }) => path), leftOut };
}

async function whyLeftOut(repository: Repository, about: ChangeSince, rules: CommitRules): Promise<string | undefined> {
  const found = await inspectChange(repository, about, rules);
  // The files of a repository inside cannot be committed, even if a person allows it.
  return found?.rejects || found?.kind === "nested" ? found.why : undefined;
}

/** The tree of a commit with these changes, as they are in the working tree. */
export const treeWith = async (repository: Repository, head: string, changes: readonly FileChange[]): Promise<string> =>
  await writeTree(
    repository,
    head,
    changes.map(stateAfter).filter(({ now }) => now?.hash !== NESTED.hash),
  );

const stateAfter = ({ path, before, after }: FileChange): PathState => ({
  path,
  head: before,
  now: after,
  stat: undefined,
});

/** The message of the only commit in a range; undefined if there is none, or several. */
export async function soleMessage(
  repository: Repository,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | undefined> {
  if (from === to) return undefined;
  const answer = await gitBytes(repository, ["log", "-2", "--format=%B%x00", `${from}..${to}`]);
  const messages = answer.stdout
    .toString()
    .split("\0")
    .map((text) => text.trim());
  return answer.code === 0 && messages.length === 2 ? messages[0] : undefined;
}

/** The commits that one has and the other has not, oldest first, without merges and those that a merge brought. */
export async function commitsBetween(repository: Repository, from: string, to: string): Promise<string[]> {
  const list = ["rev-list", "--reverse", "--first-parent", "--no-merges", to, `^${from}`];
  return (await mustBytes(repository, list)).stdout.toString().split("\n").slice(0, -1);
}

/** The commit of a tree on top of a parent, if it is in the history of another. */
export async function findCommit(
  repository: Repository,
  { tree, parent, upTo }: { readonly tree: string; readonly parent: string | undefined; readonly upTo: string },
): Promise<string | undefined> {
  const range = parent === undefined ? [upTo] : [upTo, `^${parent}`];
  const answer = await gitBytes(repository, ["log", "--format=%H %T %P", ...range]);
  const commits = answer.stdout
    .toString()
    .split("\n")
    .map((line) => line.split(" "));
  return commits.find(([, its, first]) => its === tree && (first || undefined) === parent)?.[0];
}

/** The whole message of a commit. */
export const messageOf = async (repository: Repository, commit: string): Promise<string> =>
  `${(await mustBytes(repository, ["log", "-1", "--format=%B", commit])).stdout.toString().trim()}\n`;

/** How many commits one has that the other has not. */
export async function countCommits(
  repository: Repository,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<number> {
  let made = 0;
  let at: string | undefined = to;
  for (; at !== undefined && at !== from; made += 1) at = onlyParent(repository, at);
  if (at === from) return made;
  const answer = await gitBytes(repository, ["rev-list", "--count", to, `^${from}`]);
  return answer.code === 0 ? Number(answer.stdout.toString()) : 0;
}

/** Undefined for a merge, and for a commit that we did not make. */
const onlyParent = ({ parents }: Repository, commit: string): string | undefined => {
  const [first, ...others] = parents.get(commit) ?? [];
  return others.length === 0 ? first : undefined;
};

/** The tree of a commit with these paths as they are in the working tree now, with everything that it needs. */
export async function writeTree(
  repository: Repository,
  head: string | undefined,
  states: readonly PathState[],
): Promise<string> {
  const isPlain = states.every(({ path, now }) => now === undefined || isPlainFile(repository, path, now));
  return (
    (isPlain ? await writePlain(repository, head, states) : undefined) ?? (await writeAny(repository, head, states))
  );
}

const isPlainFile = (repository: Repository, path: string, { mode, hash }: FileState): boolean =>
  mode.startsWith("100") && /^[0-9a-f]+$/.test(hash) && !isConverted(repository, path);

/** Files that git stores as they are already have their names. Undefined when one of them changed since. */
async function writePlain(
  repository: Repository,
  head: string | undefined,
  states: readonly PathState[],
): Promise<string | undefined> {
  const named = await nameTree(repository, head, states);
  const files = states.flatMap(({ path, now }) => (now === undefined ? [] : { path, hash: now.hash }));
  return (await storeTreeAndFiles(repository, named, files)) ? named.tree : undefined;
}

/** Links, repositories inside, and files that git converts: git reads them as `git add` would. */
async function writeAny(
  repository: Repository,
  head: string | undefined,
  states: readonly PathState[],
): Promise<string> {
  const index = `${ownIndex(repository)}-build`;
  const input = (stdin: Uint8Array | string = "") => withIndex(index, stdin);
  try {
    await copyIndex(ownIndex(repository), index);
    const start = head === undefined ? ["read-tree", "--empty"] : ["read-tree", "--reset", head];
    await mustBytes(repository, [...QUIET, ...start], input());
    const gone = states.filter(({ now }) => now === undefined).map(({ path }) => ({ path, state: undefined }));
    const there = states.filter(({ now }) => now !== undefined).map(({ path }) => path);
    const update = [...QUIET, "update-index", "-z"];
    if (gone.length > 0) await mustBytes(repository, [...update, "--index-info"], input(indexInfo(repository, gone)));
    // One that is gone meanwhile is a file less, and no error.
    const add = [...update, "--add", "--remove", "--replace", "--stdin"];
    const answer = there.length === 0 ? undefined : await gitBytes(repository, add, input(encodePaths(there)));
    // A filter or an encoding refuses a file: the others are kept, and T-03 names it.
    const each = answer === undefined || answer.code === 0 ? [] : there;
    for (const path of each) await gitBytes(repository, add, input(encodePaths([path])));
    const told = states.flatMap(({ path, now }) =>
      now !== undefined && isOnlyInGit(repository, now.mode) ? [{ path, state: now }] : [],
    );
    if (told.length > 0) await mustBytes(repository, [...update, "--index-info"], input(indexInfo(repository, told)));
    return (await mustBytes(repository, [...QUIET, "write-tree"], input())).stdout.toString().trim();
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
}

// Falls back to a made-up name and address: no one can be asked.
const IDENTITIES: readonly (readonly string[])[] = [
  [],
  ["-c", "user.email=ralphctl@localhost"],
  ["-c", "user.name=ralphctl", "-c", "user.email=ralphctl@localhost"],
];

/** Far below what a system takes for one argument. */
const MAX_WORD_LENGTH = 16 * 1024;

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** The commit as an object, on no branch yet. */
export async function writeCommit(repository: Repository, commit: NewCommit): Promise<string> {
  const name = writeOwnCommit(repository, commit) ?? (await writeByGit(repository, commit));
  repository.parents.set(name, commit.parents);
  const root = repository.trees.get(commit.tree);
  if (root !== undefined) repository.trees.set(`${name}^{tree}`, root);
  return name;
}

async function writeByGit(repository: Repository, { tree, parents, message }: NewCommit): Promise<string> {
  const onto = parents.flatMap((parent) => ["-p", parent]);
  // As an argument git gives it the line end that a text needs, and that ours has.
  const isWord = message.endsWith("\n") && message.length < MAX_WORD_LENGTH;
  const [told, input] = isWord ? [["-m", message], {}] : [[], { stdin: message }];
  for (const [index, identity] of IDENTITIES.entries()) {
    const settings = ["-c", "i18n.commitEncoding=UTF-8", ...identity];
    const args = [...QUIET, ...settings, "commit-tree", "--no-gpg-sign", tree, ...onto, ...told];
    const answer = await gitBytes(repository, args, input);
    if (answer.code === 0) {
      const commit = answer.stdout.toString().trim();
      rememberCommitter(repository, commit);
      return commit;
    }
    const isLast = index === IDENTITIES.length - 1;
    if (isLast || !/identity|tell me who|ident name|auto-detect/i.test(answer.stderr)) throw gitRefused(args, answer);
  }
  throw new Error("one of the identities is always tried last");
}
