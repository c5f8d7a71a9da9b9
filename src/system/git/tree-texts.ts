import { posix } from "node:path";
import type { FileState } from "../../domain/change.ts";
import { mustBytes } from "./git.ts";
import type { PathState } from "./hash.ts";
import { encodePath } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import { nameTree, storeTree } from "./tree.ts";
import { gitBytes } from "./git.ts";

/** The text of a file in a commit or tree; undefined if it has none there. */
export async function readFileAt(repository: Repository, at: string, path: string): Promise<string | undefined> {
  const answer = await gitBytes(repository, ["cat-file", "blob", `${at}:${path}`]);
  return answer.code === 0 ? answer.stdout.toString() : undefined;
}

/** A tree with these texts in place of its own files, stored as `git add` would. */
export async function withTexts(
  repository: Repository,
  tree: string,
  texts: ReadonlyMap<string, string>,
): Promise<string> {
  if (texts.size === 0) return tree;
  const states: PathState[] = [];
  for (const [path, text] of texts) {
    const hash = ["hash-object", "-w", "--stdin", `--path=${path}`];
    const stored = await mustBytes(repository, [...QUIET, ...hash], { stdin: Buffer.from(text) });
    const mode = (await modeAt(repository, tree, path)) ?? "100644";
    states.push({ path, head: undefined, now: { mode, hash: stored.stdout.toString().trim() }, stat: undefined });
  }
  return await withStates(repository, tree, states);
}

/** A link to another file of the tree, stored. */
export async function storeLink(
  repository: Repository,
  { path, to }: { readonly path: string; readonly to: string },
): Promise<FileState> {
  const target = encodePath(posix.relative(posix.dirname(path), to));
  const stored = await mustBytes(repository, [...QUIET, "hash-object", "-w", "--stdin"], { stdin: target });
  return { mode: "120000", hash: stored.stdout.toString().trim() };
}

/** A tree with these files in place of its own; undefined: without the file. Git has their contents. */
export async function withFiles(
  repository: Repository,
  tree: string,
  files: ReadonlyMap<string, FileState | undefined>,
): Promise<string> {
  const states = Array.from(files, ([path, now]): PathState => ({ path, head: undefined, now, stat: undefined }));
  return states.length === 0 ? tree : await withStates(repository, tree, states);
}

async function withStates(repository: Repository, tree: string, states: readonly PathState[]): Promise<string> {
  const named = await nameTree(repository, tree, states);
  await storeTree(repository, named);
  return named.tree;
}

async function modeAt(repository: Repository, tree: string, path: string): Promise<string | undefined> {
  const answer = await mustBytes(repository, ["ls-tree", "-z", tree, "--", encodePath(path).toString()]);
  return answer.stdout.toString().split(" ")[0] || undefined;
}
