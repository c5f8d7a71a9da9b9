import { TOOL_FOLDERS } from "../../domain/build-output.ts";
import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { filesBelow, pathExists } from "../folder.ts";
import { writeCommit, writeTree } from "./commit.ts";
import { mustBytes } from "./git.ts";
import { hashFiles, NESTED, type PathState } from "./hash.ts";
import { copyIndex, indexInfo } from "./index-file.ts";
import { decodePath, splitNul } from "./path.ts";
import { ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";
import { nameTree } from "./tree.ts";
import { unmergedPaths } from "./unfinished-operation.ts";
import { lstatOf } from "../lstat.ts";

export interface KeptTree {
  readonly commit: string;
  /** The files without the ignored ones. */
  readonly tree: string;
}

/**
 * T-40: makes a commit of everything in a working tree: files, small ignored files, and the index as a second parent.
 * `others`: commits that would have no other name.
 */
export async function keepTree(
  repository: Repository,
  now: Snapshot,
  { message, others }: { readonly message: string; readonly others: readonly string[] },
): Promise<KeptTree> {
  const states = now.changed.filter((state) => state.now?.hash !== NESTED.hash);
  const tree = await writeTree(repository, now.head, states);
  const ignored = await smallIgnored(repository);
  const all = ignored.length === 0 ? tree : await writeTree(repository, now.head, [...states, ...ignored]);
  const staged = await indexTree(repository);
  const isNew = staged !== undefined && staged !== tree && staged !== (await nameTree(repository, now.head, [])).tree;
  const onto = now.head === undefined ? [] : [now.head];
  const index = isNew ? [await writeCommit(repository, { tree: staged, parents: onto, message: "Index\n" })] : [];
  const parents = [...new Set([...onto, ...index, ...(await mergedHeads(repository)), ...others])];
  return { commit: await writeCommit(repository, { tree: all, parents, message }), tree };
}

const LARGEST = 1024 * 1024;
const MOST = 20 * LARGEST;

/** Ours and git's keep their files themselves. */
const isMade = (path: string): boolean =>
  path.split("/").some((part) => TOOL_FOLDERS.has(part) || part === ".ralph" || part === ".git");

/** Ignored files such as `.env`, as long as they are small. */
async function smallIgnored(repository: Repository): Promise<PathState[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const found = splitNul((await mustBytes(repository, [...QUIET, ...args])).stdout).map(decodePath);
  const lists = await Promise.all(
    found
      .filter((path) => !isMade(path))
      .map(async (path) => (path.endsWith("/") ? await filesIn(repository, path) : [path])),
  );
  let total = 0;
  const small = lists.flat().flatMap((path) => {
    const stat = lstatOf(join(repository.folder, path));
    if (stat?.isFile() !== true || stat.size >= LARGEST || total + stat.size > MOST || isMade(path)) return [];
    total += stat.size;
    return [{ path, mode: (stat.mode & 0o100) === 0 ? "100644" : "100755" }];
  });
  const hashes = await hashFiles(
    repository,
    small.map(({ path }) => path),
    ["-w"],
  );
  return small.flatMap(({ path, mode }, at) => {
    const hash = hashes[at];
    return hash === undefined ? [] : [{ path, head: undefined, now: { mode, hash }, stat: undefined }];
  });
}

/** None of a repository: it keeps its files itself. */
async function filesIn({ folder }: Repository, path: string): Promise<string[]> {
  if (pathExists(join(folder, path, ".git"))) return [];
  return (await filesBelow(join(folder, path))).map((file) => relative(folder, file));
}

/** The person's index as a tree, without files in conflict; undefined if there is no index. */
async function indexTree(repository: Repository): Promise<string | undefined> {
  const own = join(repository.gitFolder, "index");
  if (!pathExists(own)) return undefined;
  const index = `${ownIndex(repository)}-kept`;
  try {
    await copyIndex(own, index);
    const gone = (await unmergedPaths(repository, withIndex(index))).map((path) => ({ path, state: undefined }));
    const update = [...QUIET, "update-index", "-z", "--index-info"];
    if (gone.length > 0) await mustBytes(repository, update, withIndex(index, indexInfo(repository, gone)));
    return (await mustBytes(repository, [...QUIET, "write-tree"], withIndex(index))).stdout.toString().trim();
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
}

/** The other sides of an unfinished merge. */
async function mergedHeads({ gitFolder }: Repository): Promise<string[]> {
  const file = join(gitFolder, "MERGE_HEAD");
  return pathExists(file) ? (await readFile(file, "utf8")).trim().split("\n") : [];
}
