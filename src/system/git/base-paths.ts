import type { FileChange } from "../../domain/change.ts";
import { mustBytes } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import { nameTree, storeTree } from "./tree.ts";

/** A tree in which these changes never happened. */
export async function withoutChanges(
  repository: Repository,
  tree: string,
  changes: readonly FileChange[],
): Promise<string> {
  if (changes.length === 0) return tree;
  const states = changes.map(({ path, before, after }) => ({ path, head: after, now: before, stat: undefined }));
  const named = await nameTree(repository, tree, states);
  await storeTree(repository, named);
  return named.tree;
}

/** The files of a commit or tree, and whether each is a link. */
export async function filesAt(repository: Repository, at: string): Promise<Map<string, { readonly isLink: boolean }>> {
  const { stdout } = await mustBytes(repository, [...QUIET, "ls-tree", "-r", "-z", "--full-tree", at]);
  return new Map(
    splitNul(stdout).map((line) => {
      const tab = line.indexOf(0x09);
      return [decodePath(line.subarray(tab + 1)), { isLink: line.subarray(0, 6).toString() === "120000" }] as const;
    }),
  );
}
