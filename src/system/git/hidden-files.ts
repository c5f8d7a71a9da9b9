import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { buildOutputIn } from "../../domain/build-output.ts";
import type { FileChange } from "../../domain/change.ts";
import { isInternalPath } from "../../domain/internal-paths.ts";
import { whySecretName } from "../../domain/secret-name.ts";
import type { Uncommittable } from "../../domain/uncommittable.ts";
import { isIgnoreFile, withBaseRules } from "./base-ignore-rules.ts";
import type { SnapshotRange } from "./commit.ts";
import { mustBytes } from "./git.ts";
import { absolute } from "./hash.ts";
import { decodePath, splitNul } from "./path.ts";
import { hasSameExcludes, ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import { changedAtMs, committedBetween } from "./snapshot.ts";
import { resetOwnIndex } from "./status.ts";

interface Since extends SnapshotRange {
  /** What changed since, by path. */
  readonly changes: ReadonlyMap<string, FileChange>;
}

/**
 * T-03: files that a session made or changed, and that git ignores although the base's rules do not. Files that the
 * base's rules cover are build output. Git never ignores a file that it tracks.
 */
export async function hiddenFiles(repository: Repository, since: Since): Promise<Uncommittable[]> {
  const { base, now, changes } = since;
  // Only a commit ends the tracking of a file.
  const committed = await committedBetween(repository, base.head, now.head);
  const gone = [...committed.values()].filter(({ kind }) => kind === "deleted");
  if (gone.length > 0) await resetOwnIndex(repository);
  const ignored = (gone.length > 0 ? undefined : now.ignored) ?? (await ignoredEntries(repository));
  const removed = gone
    .filter(({ path }) => isCovered(ignored, path) && changeTimeOf(repository, path) !== undefined)
    .map(({ path }) => hidden(path, "git tracked it and no longer does, and an ignore rule hides it"));
  const rules = ignored.filter(isIgnoreFile);
  // Git lists no ignore file that ignores itself, so its times must tell whose it is.
  const earlier = rules.filter((path) => (changeTimeOf(repository, path) ?? 0) < base.takenAtMs);
  const areSame =
    earlier.length === rules.length && ![...changes.keys()].some(isIgnoreFile) && hasSameExcludes(repository);
  const others = areSame ? [] : await hiddenByNewRules(repository, since, { ignored, earlier });
  return [...removed, ...others.filter(({ path }) => !removed.some((one) => one.path === path))];
}

const hidden = (path: string, why: string, rejects = true): Uncommittable => ({ path, kind: "ignored", why, rejects });

const MOST_FOLDERS = 200;
const MOST_FILES = 10_000;

async function hiddenByNewRules(
  repository: Repository,
  since: Since,
  { ignored, earlier }: { readonly ignored: readonly string[]; readonly earlier: readonly string[] },
): Promise<Uncommittable[]> {
  const { base, changes } = since;
  const tracked = await trackedFiles(repository, base.head);
  const outputIn = (path: string): string | undefined => {
    const output = buildOutputIn(path) ?? (isCompiled(absolute(repository, path)) ? path : undefined);
    return output === undefined || tracked.some((name) => name.startsWith(output)) ? undefined : output;
  };
  const paths = await withBaseRules(repository, { base, tracked, changes, earlier }, async (uncovered) => {
    const found = await uncovered(ignored);
    // All files of a folder may be covered although the folder is not. Output is not worth the look.
    const folders = found.filter((path) => path.endsWith("/") && outputIn(path) === undefined).slice(0, MOST_FOLDERS);
    const inside = folders.length === 0 ? [] : await ignoredIn(repository, folders);
    return [...found.filter((path) => !folders.includes(path)), ...(await uncovered(inside.slice(0, MOST_FILES)))];
  });
  const own = paths.filter((path) => isOwn(repository, since, path));
  const outputs = new Set(own.flatMap((path) => outputIn(path) ?? []));
  return [
    ...own.filter((path) => outputIn(path) === undefined).map(hiddenByRule),
    // Many caches come with a rule for themselves: nothing to tell.
    ...[...outputs]
      .filter((path) => !ignored.includes(`${path}.gitignore`))
      .map((path) => hidden(path, "a new ignore rule hides it; it looks like build output", false)),
  ];
}

/** Whether a file is a program or a library of a compiler, by how it begins: ELF, Mach-O, PE, an archive. */
function isCompiled(file: Buffer): boolean {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const begin = Buffer.alloc(8);
  const open = openSync(file, "r");
  try {
    readSync(open, begin);
  } finally {
    closeSync(open);
  }
  return /^(?:7f454c46|4d5a90|cffaedfe|feedfac[ef]|213c617263683e0a)/.test(begin.toString("hex"));
}

/** A secret belongs behind a rule, as `.env` beside a new `.env.example`. Gates do not see it, and it does not land. */
const hiddenByRule = (path: string): Uncommittable =>
  whySecretName(path) === undefined
    ? hidden(path, "a new ignore rule hides it")
    : hidden(path, "a new ignore rule hides it, as it should hide a secret", false);

/** Whether a session made or changed an ignored file: others' files lay there before, and a session may hide them too. */
function isOwn(repository: Repository, { base, changes }: Since, path: string): boolean {
  if (changes.get(path)?.after !== undefined) return false; // git tracks it
  const before = base.changed.find((state) => state.path === path);
  return before === undefined || changedAtMs(before) !== changeTimeOf(repository, path);
}

/** Ignored files that changed since, without what programs make by its name. */
export async function ownIgnored(repository: Repository, { base, now }: SnapshotRange): Promise<string[]> {
  const entries = (now.ignored ?? (await ignoredEntries(repository))).filter(
    (path) => buildOutputIn(path) === undefined,
  );
  const folders = entries.filter((path) => path.endsWith("/")).slice(0, MOST_FOLDERS);
  const inside = folders.length === 0 ? [] : await ignoredIn(repository, folders);
  const files = [...entries.filter((path) => !path.endsWith("/")), ...inside.slice(0, MOST_FILES)];
  const isOwn = (path: string): boolean => (changeTimeOf(repository, path) ?? 0) >= base.takenAtMs;
  return files.filter((path) => !isInternalPath(path) && buildOutputIn(path) === undefined && isOwn(path));
}

const isCovered = (ignored: readonly string[], path: string): boolean =>
  ignored.some((entry) => entry === path || (entry.endsWith("/") && path.startsWith(entry)));

/** When a file was last changed; undefined if there is none. */
function changeTimeOf(repository: Repository, path: string): number | undefined {
  const found = lstatSync(absolute(repository, path), { bigint: true, throwIfNoEntry: false });
  return found?.isFile() || found?.isSymbolicLink() ? Number(found.ctimeNs / 1_000_000n) : undefined;
}

/** What git ignores: files, and folders that a rule names. */
async function ignoredEntries(repository: Repository): Promise<string[]> {
  const look = ["status", "--porcelain=v2", "-z", "-uall", "--ignored=matching", "--ignore-submodules=all"];
  const args = ["--no-optional-locks", ...QUIET, ...look, "--no-renames"];
  const { stdout } = await mustBytes(repository, args, withIndex(ownIndex(repository)));
  const fields = splitNul(stdout).map(decodePath);
  return fields
    .flatMap((field) => (field.startsWith("! ") ? field.slice(2) : []))
    .filter((path) => !isInternalPath(path));
}

async function ignoredIn(repository: Repository, folders: readonly string[]): Promise<string[]> {
  const args = [...QUIET, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ...folders];
  return splitNul((await mustBytes(repository, args, withIndex(ownIndex(repository)))).stdout).map(decodePath);
}

async function trackedFiles(repository: Repository, head: string | undefined): Promise<string[]> {
  if (head === undefined) return [];
  const args = [...QUIET, "ls-tree", "-r", "-z", "--name-only", "--full-tree", head];
  return splitNul((await mustBytes(repository, args)).stdout).map(decodePath);
}
