import { readFile, readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import type { FileChange, FileState } from "../../domain/change.ts";
import { hasConflictMarkers } from "../../domain/conflict-markers.ts";
import { matchesAny } from "../../domain/glob.ts";
import { isSample, whySecretName } from "../../domain/secret-name.ts";
import { formatSize } from "../../domain/size.ts";
import type { Uncommittable } from "../../domain/uncommittable.ts";
import { codeOf } from "../error-code.ts";
import { isBelow } from "../folder.ts";
import { lstatOf } from "../lstat.ts";
import { gitBytes } from "./git.ts";
import { inspectGitlink } from "./gitlink.ts";
import { absolute } from "./hash.ts";
import { decodePath } from "./path.ts";
import type { Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";

/** A path that a commit of ours leaves out, and why, as the end of "it is left out: …". */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

export interface CommitRules {
  readonly maxFileBytes: number;
  /** Patterns of paths that are not the work of a session. */
  readonly inputs: readonly string[];
  /** Patterns of paths that a person allows (T-03). */
  readonly allow: readonly string[];
  /** T-41: in a tree of the person's, whether a file may be theirs, because git ignored it when they lent the tree. */
  readonly wasIgnored?: ((path: string) => boolean) | undefined;
}

/** A change of a session, and the state before it. */
export interface ChangeSince {
  readonly change: FileChange;
  readonly base: Snapshot;
}

type Finding = Pick<Uncommittable, "kind" | "why"> & { readonly rejects?: boolean };

/** P-32, T-03, L-26: why a commit should not take a change; undefined if it may. */
export async function inspectChange(
  repository: Repository,
  { change, base }: ChangeSince,
  rules: CommitRules,
): Promise<Uncommittable | undefined> {
  const { path } = change;
  const named: Uncommittable[] = [];
  for (const found of await findingsIn(repository, change, rules)) {
    const one = { path, rejects: true, ...found };
    if (!one.rejects) named.push(one);
    else if (one.kind !== "conflict" && matchesAny(rules.allow, path)) named.push(allowed(one));
    else if (!(await isInBase(repository, { path, found, rules, tracked: trackedIn(base, change) }))) return one;
    else if (one.kind !== "conflict")
      named.push({ ...one, why: `${one.why}; the base has it already`, rejects: false });
  }
  return named[0];
}

export const allowed = (one: Uncommittable): Uncommittable => ({
  ...one,
  why: `${one.why}; commit.allow or the task allows it`,
  rejects: false,
});

/** What the commit of the base has at this path. */
function trackedIn(base: Snapshot, { path, before }: FileChange): FileState | undefined {
  const state = base.changed.find((one) => one.path === path);
  return state === undefined ? before : state.head;
}

async function findingsIn(
  repository: Repository,
  change: FileChange,
  { maxFileBytes, wasIgnored }: CommitRules,
): Promise<readonly Finding[]> {
  const { path, before, after } = change;
  if (after === undefined) return [];
  if (before === undefined && wasIgnored?.(path) === true)
    return [{ kind: "ignored", why: "it was there before the session, and git ignored it" }];
  if (after.mode === "160000") return await inspectGitlink(repository, change);
  const file = absolute(repository, path);
  // T-41: a person may work in a tree that they lent. A file that is gone meanwhile is a file less in the commit.
  const there = lstatOf(file);
  if (there?.isSymbolicLink() === true) {
    const why = await whyLeadsOut(repository, path);
    return why === undefined ? [] : [{ kind: "link", why }];
  }
  const size = there?.isFile() === true ? there.size : 0;
  const content = size > 0 && size <= LARGEST_READ ? await readFile(file, "latin1") : "";
  const name = isSample(path) ? undefined : whySecretName(path);
  return [
    ...findingsInContent(path, content),
    ...(name === undefined ? [] : [{ kind: "secret", why: name } as const]),
    ...(size > maxFileBytes ? [{ kind: "large", why: `it is larger than ${formatSize(maxFileBytes)}` } as const] : []),
  ];
}

/** Files that people merge and keys are far smaller. */
const LARGEST_READ = 64 * 1024 * 1024;

/** At the beginning of a line, near the beginning of the file: source code about keys has them inside quotes. */
const KEY_HEAD = /^(?:-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d)/m;
const HEAD_BYTES = 8 * 1024;

function findingsInContent(path: string, content: string): Finding[] {
  const found: Finding[] = [];
  if (hasConflictMarkers(path, content)) found.push({ kind: "conflict", why: "it contains conflict markers" });
  if (!isSample(path) && KEY_HEAD.test(content.slice(0, HEAD_BYTES))) {
    found.push({ kind: "secret", why: "it contains a private key" });
  }
  return found;
}

/** A person decided about files that the base has: an edit did not bring the secret or the size. */
async function isInBase(
  repository: Repository,
  about: {
    readonly path: string;
    readonly tracked: FileState | undefined;
    readonly found: Finding;
    readonly rules: CommitRules;
  },
): Promise<boolean> {
  const { path, tracked, found, rules } = about;
  if (tracked?.mode.startsWith("100") !== true) return false;
  if (found.why === whySecretName(path)) return true;
  if (found.kind === "large") {
    const answer = await gitBytes(repository, ["cat-file", "-s", tracked.hash]);
    return answer.code === 0 && Number(answer.stdout.toString()) > rules.maxFileBytes;
  }
  const answer = await gitBytes(repository, ["cat-file", "blob", tracked.hash]);
  return findingsInContent(path, answer.stdout.toString("latin1")).some(({ why }) => why === found.why);
}

const OUTSIDE = "the link points outside the workspace";

/** Both as it is written and where it ends up: a link may lead through others. */
async function whyLeadsOut(repository: Repository, path: string): Promise<string | undefined> {
  const link = absolute(repository, path);
  const target = decodePath(await readlink(link, { encoding: "buffer" }));
  // In another checkout it still leads here.
  if (isAbsolute(target)) return isBelow(repository.folder, target) ? "the link has an absolute target" : OUTSIDE;
  const written = resolve(dirname(decodePath(link)), target);
  if (!isBelow(repository.folder, written)) return OUTSIDE;
  try {
    const [root, end] = [await realpath(repository.folder), await realpath(link, { encoding: "buffer" })];
    return isBelow(root, decodePath(end)) ? undefined : OUTSIDE;
  } catch (cause) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(cause))) return undefined; // it leads nowhere, so not out either
    throw cause;
  }
}
