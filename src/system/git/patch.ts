import { gitBytes, mustBytes } from "./git.ts";
import { decodePath, encodePath, splitNul } from "./path.ts";
import { emptyTree, QUIET, type Repository } from "./repository.ts";

/**
 * Writes what lies between a commit and a tree into a file, for people. Git writes it itself, so that its size does not
 * matter. A failure is ignored: the commit has everything.
 */
export async function writePatch(
  repository: Repository,
  { from, to, file }: { readonly from: string | undefined; readonly to: string; readonly file: string },
): Promise<void> {
  const args = ["diff-tree", "-p", "--binary", "--no-ext-diff", `--output=${file}`, from ?? emptyTree(repository), to];
  await gitBytes(repository, [...QUIET, ...args]).catch(() => undefined);
}

/** The difference between a commit and a tree in these paths, as text for people. */
export async function readPatch(
  repository: Repository,
  { from, to, paths }: { readonly from: string; readonly to: string; readonly paths: readonly string[] },
): Promise<string> {
  const literal = ["--literal-pathspecs", "diff-tree", "-r", "-p", "--no-color", "--no-ext-diff", "--no-textconv"];
  const names = paths.map((path) => encodePath(path).toString());
  return (await mustBytes(repository, [...QUIET, ...literal, from, to, "--", ...names])).stdout.toString();
}

/** Files that moved between a commit and a tree, from their old path to the new one. */
export async function renamesBetween(
  repository: Repository,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Map<string, string>> {
  const flags = ["diff-tree", "-r", "-z", "-M50%", "-l0", "--name-status", "--diff-filter=R"];
  const fields = splitNul((await mustBytes(repository, [...QUIET, ...flags, from, to])).stdout);
  const renames = new Map<string, string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    renames.set(decodePath(fields[at + 1]!), decodePath(fields[at + 2]!));
  }
  return renames;
}
