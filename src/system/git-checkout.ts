import { join } from "node:path";
import { git, mustBytes } from "./git.ts";
import { QUIET, type Repository } from "./git-repository.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

/**
 * Does something in a checkout of a commit in which nothing else lies: no ignored files, no caches, no half-done work
 * (P-23). It is gone afterwards, and git knows it.
 */
export async function inCleanCheckout<Result>(
  repository: Repository,
  commit: string,
  action: (folder: string) => Promise<Result>,
): Promise<Result> {
  return await inTemporaryFolder("clean", async (holder) => {
    const folder = join(holder, "tree");
    try {
      await mustBytes(repository, [...QUIET, "worktree", "add", "--quiet", "--detach", folder, commit]);
      return await action(folder);
    } finally {
      await git(repository, [...QUIET, "worktree", "remove", "--force", folder]);
    }
  });
}
