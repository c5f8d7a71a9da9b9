import { rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../error-code.ts";
import { gitBytes, gitRefused, mustBytes } from "./git.ts";
import { copyIndex, indexInfo } from "./index-file.ts";
import { decodePath, splitNul } from "./path.ts";
import { emptyTree, ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import { pathExists } from "../folder.ts";

/** What git says of the working tree against HEAD. */
export interface Status {
  readonly head: string | undefined;
  readonly branch: string | undefined;
  readonly entries: readonly StatusEntry[];
  /** Ignored files, and ignored folders as a whole; undefined: not asked. */
  readonly ignored?: readonly string[] | undefined;
}

export interface StatusEntry {
  readonly path: string;
  /** In HEAD; undefined for a file that is not in it. */
  readonly head: { readonly mode: string; readonly hash: string } | undefined;
  /** The mode in our index; undefined for a file that is not in it. */
  readonly staged: string | undefined;
  /** What is there now: a mode, or `gone`, `unknown` (yet to be looked at), `nested` (a repository inside). */
  readonly now: string;
  /** For a registered repository inside: whether its commit moved, or only its files; and its commit in our index. */
  readonly submodule: { readonly moved: boolean; readonly touched: boolean; readonly staged: string } | undefined;
}

const STATUS = ["status", "--porcelain=v2", "-z", "--branch", "-uall", "--no-renames", "--ignore-submodules=none"];

/** Git may write into the index what it has learned about the files, for which it makes a lock each time. */
const READ_ONLY = ["--no-optional-locks"];

/** When a look took longer, the next one may write down what it learns. To read a few files again is quicker than that. */
const QUICK_MS = 25;

/** Also removes a folder, if one was put in the place of our file. */
const WHATEVER = { force: true, recursive: true } as const;

/** One look at all files, with an index of our own: the user's is neither read nor written. */
export async function readStatus(repository: Repository, { withIgnored = false } = {}): Promise<Status> {
  if (!pathExists(ownIndex(repository))) await makeOwnIndex(repository);
  const { pace } = repository;
  const look = withIgnored ? [...STATUS, "--ignored=matching"] : STATUS;
  const args = [...(pace.lookMs < QUICK_MS ? READ_ONLY : []), ...QUIET, ...look];
  const start = performance.now();
  let answer = await gitBytes(repository, args, withIndex(ownIndex(repository)));
  if (answer.code !== 0) {
    // A damaged index of ours is no loss.
    await rm(ownIndex(repository), WHATEVER);
    await resetOwnIndex(repository);
    answer = await gitBytes(repository, args, withIndex(ownIndex(repository)));
    if (answer.code !== 0) throw gitRefused(args, answer);
  }
  pace.lookMs = performance.now() - start;
  let { stale, hasConflicts, ignored, ...status } = parseStatus(answer.stdout);
  if (hasConflicts) {
    // They are the person's, in the index that ours was made of.
    await resetOwnIndex(repository);
    answer = await gitBytes(repository, args, withIndex(ownIndex(repository)));
    if (answer.code !== 0) throw gitRefused(args, answer);
    ({ stale, ignored, ...status } = parseStatus(answer.stdout));
  }
  // The index of a place is at the tree that was put there: it knows files that HEAD has not and an ignore rule hides.
  if (stale > MAX_STALE && repository.gitDir === undefined) await resetOwnIndex(repository);
  return withIgnored ? { ...status, ignored } : status;
}

/**
 * Our index is at the HEAD of some earlier look. What was committed since, git compares with the old version, so we look
 * at those files ourselves; when they are many, the index follows.
 */
const MAX_STALE = 16;

/** The user's index will do, if there is one: what it has beyond HEAD, we look at ourselves. */
async function makeOwnIndex(repository: Repository): Promise<void> {
  if (repository.gitDir === undefined) await copyUsersIndex(repository);
  if (!pathExists(ownIndex(repository))) await resetOwnIndex(repository);
}

/** Makes our own index say what HEAD says. What git knew of unchanged files it still knows, so this is quick. */
export async function resetOwnIndex(repository: Repository): Promise<void> {
  const index = ownIndex(repository);
  if (!pathExists(index)) await copyUsersIndex(repository);
  const readTree = [...QUIET, "read-tree", "--reset", "HEAD"];
  if ((await gitBytes(repository, readTree, withIndex(index))).code === 0) return;
  // No commit yet, or an index or a lock that a killed process of ours left.
  await Promise.all([rm(index, WHATEVER), rm(`${index}.lock`, WHATEVER)]);
  const hasHead = await gitBytes(repository, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const args = hasHead.code === 0 ? readTree : [...QUIET, "read-tree", "--empty"];
  await mustBytes(repository, args, withIndex(index));
}

/**
 * Takes over into our index what commits say of files, if the file system cannot tell a link or a program. False if it can.
 */
export async function learnModes(view: Repository, from: string | undefined, to: string): Promise<boolean> {
  if (view.hasFileMode && view.hasLinks) return false;
  const args = [...QUIET, "diff-tree", "-r", "-z", "--no-renames", from ?? emptyTree(view), to];
  const fields = splitNul((await mustBytes(view, args)).stdout);
  const entries = fields.flatMap((field, at) => {
    const [, mode = "", , hash = ""] = field.toString("latin1").split(" ");
    if (at % 2 === 1) return [];
    return [{ path: decodePath(fields[at + 1]!), state: /^0+$/.test(mode) ? undefined : { mode, hash } }];
  });
  const update = [...QUIET, "update-index", "-z", "--index-info"];
  await mustBytes(view, update, withIndex(ownIndex(view), indexInfo(view, entries)));
  return true;
}

/** The user's index knows the times and sizes of all files: without it the first look would read every one. */
async function copyUsersIndex(repository: Repository): Promise<void> {
  try {
    await copyIndex(join(repository.gitFolder, "index"), ownIndex(repository));
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause; // no index yet: nothing is known
  }
}

interface ParsedStatus extends Status {
  readonly stale: number;
  readonly hasConflicts: boolean;
  readonly ignored: readonly string[];
}

export function parseStatus(bytes: Buffer): ParsedStatus {
  const entries = new Map<string, StatusEntry>();
  let head: string | undefined;
  let branch: string | undefined;
  let stale = 0;
  let hasConflicts = false;
  const ignored: string[] = [];
  for (const field of splitNul(bytes)) {
    const kind = String.fromCharCode(field[0] ?? 0);
    if (kind === "?") {
      // A file that HEAD has and our index has not is in both lists.
      const entry = untracked(decodePath(field.subarray(2)));
      if (!entries.has(entry.path)) entries.set(entry.path, entry);
    } else if (kind === "1") {
      const entry = tracked(field);
      entries.set(entry.path, entry);
      stale += field[2] === DOT ? 0 : 1;
    } else if (kind === "!") {
      ignored.push(decodePath(field.subarray(2)));
    } else if (kind === "u") {
      hasConflicts = true;
    } else if (kind === "#") {
      const line = decodePath(field);
      if (line.startsWith("# branch.oid ") && !line.endsWith("(initial)")) head = line.slice(13);
      if (line.startsWith("# branch.head ") && line !== "# branch.head (detached)") branch = line.slice(14);
    }
  }
  return { head, branch, entries: [...entries.values()], stale, hasConflicts, ignored };
}

/** In the first column: our index and HEAD are of one mind. */
const DOT = 0x2e;

/** Names that git stores nowhere, because some file system takes them for its own folder. Git lists such files all the same. */
const REFUSED = /^(.*\/)?(?:\.git|git~1)[ .]*(?::[^/]*)?(?=\/|$)/i;

const untracked = (given: string): StatusEntry => {
  const refused = REFUSED.exec(given)?.[0];
  return entryOf(refused === undefined ? given : `${refused}/`);
};

const entryOf = (path: string): StatusEntry =>
  path.endsWith("/")
    ? { path: path.slice(0, -1), head: undefined, staged: undefined, now: "nested", submodule: undefined }
    : { path, head: undefined, staged: undefined, now: "unknown", submodule: undefined };

/** `1 XY sub mH mI mW hH hI path` */
function tracked(field: Buffer): StatusEntry {
  let end = 0;
  for (let spaces = 0; spaces < 8; spaces += 1) end = field.indexOf(0x20, end) + 1;
  const [, states = "", sub = "", modeHead = "", modeIndex = "", modeNow = "", hashHead = "", staged = ""] = field
    .toString("latin1", 0, end)
    .split(" ");
  const isStale = states[0] !== ".";
  return {
    path: decodePath(field.subarray(end)),
    head: /^0+$/.test(hashHead) ? undefined : { mode: modeHead, hash: hashHead },
    staged: /^0+$/.test(modeIndex) ? undefined : modeIndex,
    now: states[1] === "D" ? "gone" : isStale ? "unknown" : modeNow,
    submodule: sub.startsWith("S")
      ? { moved: isStale || sub[1] === "C", touched: sub[2] === "M" || sub[3] === "U", staged }
      : undefined,
  };
}
