import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "../folder.ts";
import { writeCommit, writeTree } from "./commit.ts";
import { mustBytes } from "./git.ts";
import { NESTED, refusedPaths } from "./hash.ts";
import { smallIgnored, storeIgnored, withIgnored } from "./ignored-files.ts";
import { copyIndex, indexInfo } from "./index-file.ts";
import { ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";
import { nameTree } from "./tree.ts";
import { unmergedPaths } from "./unfinished-operation.ts";

export interface KeptTree {
  readonly commit: string;
  /** The files without the ignored ones. */
  readonly tree: string;
}

export interface KeepDetails {
  readonly message: string;
  /** Commits that would have no other name. */
  readonly others: readonly string[];
  /** Ignored files to keep whatever their size. */
  readonly more?: readonly string[] | undefined;
}

/**
 * T-40: makes a commit of everything in a working tree: files, small ignored files, and the index as a second parent.
 */
export async function keepTree(
  repository: Repository,
  now: Snapshot,
  { message, others, more = [] }: KeepDetails,
): Promise<KeptTree> {
  const states = now.changed.filter((state) => state.now?.hash !== NESTED.hash);
  const tree = await writeTree(repository, now.head, states);
  const there = states.flatMap(({ path, now: state }) => (state === undefined ? [] : [path]));
  const asTheyAre = [...(await smallIgnored(repository)), ...more, ...(await refusedPaths(repository, there))];
  const ignored = await storeIgnored(repository, [...new Set(asTheyAre)]);
  const all = ignored.length === 0 ? tree : await withIgnored(repository, tree, ignored);
  const staged = await indexTree(repository);
  const isNew = staged !== undefined && staged !== tree && staged !== (await nameTree(repository, now.head, [])).tree;
  const onto = now.head === undefined ? [] : [now.head];
  const index = isNew ? [await writeCommit(repository, { tree: staged, parents: onto, message: "Index\n" })] : [];
  const parents = [...new Set([...onto, ...index, ...(await mergedHeads(repository)), ...others])];
  return { commit: await writeCommit(repository, { tree: all, parents, message }), tree };
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
