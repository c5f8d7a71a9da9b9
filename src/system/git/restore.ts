import { lstat, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../error-code.ts";
import { mustBytes } from "./git.ts";
import { absolute, hashFiles, type PathState } from "./hash.ts";
import { indexInfo, type IndexEntry } from "./index-file.ts";
import { ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";

export interface Restored {
  readonly restored: readonly string[];
  /** Paths that could not be put back: git does not have what they held, or something of the user's is in the way. */
  readonly left: readonly string[];
}

/** Has git keep what changed files hold now, so that they can be put back. Nothing refers to it; large files are not kept. */
export async function keepContents(repository: Repository, { changed }: Pick<Snapshot, "changed">): Promise<void> {
  const isFile = ({ now }: PathState): boolean =>
    now !== undefined && now.mode.startsWith("100") && /^[0-9a-f]+$/.test(now.hash);
  const paths = changed.filter(isFile).map(({ path }) => path);
  await hashFiles(repository, paths, ["-w"]);
}

/** Restores or removes files of the working tree. No index changes. */
export async function restoreFiles(repository: Repository, wanted: readonly IndexEntry[]): Promise<Restored> {
  const known = await knownObjects(repository, wanted);
  const gone = wanted.filter(({ state }) => state === undefined);
  for (const { path } of gone) await removeFile(repository, path);
  const there: IndexEntry[] = [];
  for (const entry of wanted.filter(({ state }) => state !== undefined && known.has(state.hash))) {
    if ((await kindAt(repository, entry.path)) !== "folder") there.push(entry);
  }
  if (there.length > 0) await checkOut(repository, there);
  const done = new Set([...gone, ...there].map(({ path }) => path));
  return {
    restored: wanted.filter(({ path }) => done.has(path)).map(({ path }) => path),
    left: wanted.filter(({ path }) => !done.has(path)).map(({ path }) => path),
  };
}

/** Those of the contents that git has. Repositories inside are not ours to move. */
async function knownObjects(repository: Repository, wanted: readonly IndexEntry[]): Promise<Set<string>> {
  const hashes = wanted.flatMap(({ state }) =>
    state !== undefined && state.mode !== "160000" && /^[0-9a-f]+$/.test(state.hash) ? [state.hash] : [],
  );
  if (hashes.length === 0) return new Set();
  const stdin = hashes.map((hash) => `${hash}\n`).join("");
  const answer = await mustBytes(repository, ["cat-file", "--batch-check"], { stdin });
  const lines = answer.stdout.toString().split("\n");
  return new Set(lines.filter((line) => line.includes(" blob ")).map((line) => line.split(" ")[0]!));
}

async function checkOut(repository: Repository, entries: readonly IndexEntry[]): Promise<void> {
  const index = `${ownIndex(repository)}-restore`;
  try {
    await rm(index, { force: true });
    const update = [...QUIET, "update-index", "-z", "--index-info"];
    await mustBytes(repository, update, withIndex(index, indexInfo(repository, entries)));
    await mustBytes(repository, [...QUIET, "checkout-index", "--all", "--force", "--quiet"], withIndex(index));
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
}

/** Removes a file and the folders that it leaves empty, never through a link: behind it are other people's files. */
async function removeFile(repository: Repository, path: string): Promise<void> {
  // `a/b/c.txt` lies in `a` and `a/b`.
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) folders.unshift(folder);
  for (const folder of folders) {
    if ((await kindAt(repository, folder)) !== "folder") return;
  }
  if ((await kindAt(repository, path)) !== "file") return;
  await rm(absolute(repository, path), { force: true });
  for (const folder of folders.reverse()) {
    try {
      await rmdir(absolute(repository, folder));
    } catch {
      return; // not empty: it is still needed
    }
  }
}

async function kindAt(repository: Repository, path: string): Promise<"file" | "folder" | undefined> {
  try {
    return (await lstat(absolute(repository, path))).isDirectory() ? "folder" : "file";
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(cause))) return undefined;
    throw cause;
  }
}
