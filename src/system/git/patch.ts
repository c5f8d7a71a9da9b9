import { gitBytes } from "./git.ts";
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
