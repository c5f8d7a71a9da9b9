import { rm } from "node:fs/promises";
import type { FileChange, FileState } from "../../domain/change.ts";
import { gitBytes, gitRefused, mustBytes } from "./git.ts";
import { isConverted, type PathState } from "./hash.ts";
import { copyIndex, type IndexEntry, indexInfo, updateUserIndex } from "./index-file.ts";
import { type ChangeSince, inspectChange, type CommitRules, type LeftOut } from "./commit-filter.ts";
import { storeTreeAndFiles } from "./object.ts";
import { encodePaths } from "./path.ts";
import { noObject, ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import { changesBetween, committedBetween, type Snapshot } from "./snapshot.ts";
import { nameTree } from "./tree.ts";

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
  /** The same as an index has it; undefined when git stored something else than we saw. */
  readonly entries: readonly IndexEntry[] | undefined;
  readonly leftOut: readonly LeftOut[];
}

export type CommitResult =
  | {
      readonly kind: "committed";
      readonly commit: string;
      readonly tree: string;
      /**
       * When the user's index knows of the commit, which can go on beside the next step. False: somebody holds its lock,
       * so it lags behind. Never rejects.
       */
      readonly indexed: Promise<boolean>;
    }
  /** HEAD is no longer what it was when we looked: nothing was committed. */
  | { readonly kind: "moved"; readonly head: string | undefined };

/** HEAD with exactly those of the session's own changes that are not committed yet, path by path (P-32). */
export async function buildTree(repository: Repository, span: SnapshotRange, rules: CommitRules): Promise<BuiltTree> {
  const { base, now } = span;
  const own = new Map((await changesBetween(repository, base, now)).map((change) => [change.path, change]));
  // A session may commit a file and then put it back, or stop tracking it: the files show no change, but HEAD has one.
  const committed = await committedBetween(repository, base.head, now.head);
  const kept: PathState[] = [];
  const leftOut: LeftOut[] = [];
  for (const state of now.changed) {
    const change = own.get(state.path) ?? (committed.has(state.path) ? unchanged(state) : undefined);
    if (change === undefined) continue;
    const why = await whyLeftOut(repository, { change, base }, rules);
    if (why === undefined) kept.push(state);
    else leftOut.push({ path: state.path, why });
  }
  const tree = await writeTree(repository, now.head, kept);
  const isAsSeen = (await nameTree(repository, now.head, kept)).tree === tree;
  const entries = isAsSeen ? kept.map(({ path, now }) => ({ path, state: now })) : undefined;
  return { tree, paths: kept.map(({ path }) => path), entries, leftOut };
}

const unchanged = ({ path, now }: PathState): FileChange => ({ path, kind: "modified", before: now, after: now });

async function whyLeftOut(repository: Repository, about: ChangeSince, rules: CommitRules): Promise<string | undefined> {
  if (rules.userPaths.includes(about.change.path)) return "you had uncommitted changes in it before the run";
  const found = await inspectChange(repository, about, rules);
  // The files of a repository inside cannot be committed, even if a person allows it.
  return found?.rejects || found?.kind === "nested" ? found.why : undefined;
}

export interface CommitRequest {
  readonly tree: string;
  readonly head: string | undefined;
  readonly message: string;
  /** What the tree has beyond HEAD, where that is known: git need not be asked. */
  readonly entries?: readonly IndexEntry[] | undefined;
}

/** One commit of a built tree on top of `head`, or none if HEAD has moved. No hooks, no signing, no questions. */
export async function commitTree(repository: Repository, request: CommitRequest): Promise<CommitResult> {
  const { tree, head, message, entries } = request;
  const commit = await writeCommit(repository, { tree, parents: head === undefined ? [] : [head], message });
  const subject = `ralphctl: ${message.split("\n")[0]}`;
  const args = [...QUIET, "update-ref", "-m", subject, "HEAD", commit, head ?? noObject(repository)];
  const answer = await gitBytes(repository, args);
  if (answer.code !== 0) {
    const current = await currentHead(repository);
    if (current === head) throw gitRefused(args, answer);
    return { kind: "moved", head: current };
  }
  const known = repository.trees.get(tree);
  if (known !== undefined) repository.trees.set(`${commit}^{tree}`, known);
  return { kind: "committed", commit, tree, indexed: syncUserIndex(repository, { head, commit, entries }) };
}

async function syncUserIndex(
  repository: Repository,
  { head, commit, entries }: Pick<CommitRequest, "head" | "entries"> & { readonly commit: string },
): Promise<boolean> {
  try {
    if (entries !== undefined) return await updateUserIndex(repository, entries);
    const changes = await committedBetween(repository, head, commit);
    const found = Array.from(changes.values(), ({ path, after }) => ({ path, state: after }));
    return await updateUserIndex(repository, found);
  } catch {
    return false; // the commit stands; an index that cannot be written is the user's to mend
  }
}

export async function currentHead(repository: Repository): Promise<string | undefined> {
  const answer = await gitBytes(repository, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return answer.code === 0 ? answer.stdout.toString().trim() : undefined;
}

/** How many commits HEAD has that `from` has not; undefined: from the first one on. */
export async function countCommits(repository: Repository, from: string | undefined): Promise<number> {
  const without = from === undefined ? [] : [`^${from}`];
  const answer = await gitBytes(repository, ["rev-list", "--count", "HEAD", ...without]);
  return answer.code === 0 ? Number(answer.stdout.toString()) : 0; // no commit yet
}

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
    const add = [...update, "--add", "--replace", "--stdin"];
    if (there.length > 0) await mustBytes(repository, add, input(encodePaths(there)));
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

/** The commit as an object, on no branch yet. */
export async function writeCommit(
  repository: Repository,
  { tree, parents, message }: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
): Promise<string> {
  const onto = parents.flatMap((parent) => ["-p", parent]);
  // As an argument git gives it the line end that a text needs, and that ours has.
  const isWord = message.endsWith("\n") && message.length < MAX_WORD_LENGTH;
  const [told, input] = isWord ? [["-m", message], {}] : [[], { stdin: message }];
  for (const [index, identity] of IDENTITIES.entries()) {
    const settings = ["-c", "i18n.commitEncoding=UTF-8", ...identity];
    const args = [...QUIET, ...settings, "commit-tree", "--no-gpg-sign", tree, ...onto, ...told];
    const answer = await gitBytes(repository, args, input);
    if (answer.code === 0) return answer.stdout.toString().trim();
    const isLast = index === IDENTITIES.length - 1;
    if (isLast || !/identity|tell me who|ident name|auto-detect/i.test(answer.stderr)) throw gitRefused(args, answer);
  }
  throw new Error("one of the identities is always tried last");
}
