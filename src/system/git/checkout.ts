import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readCloneTruth } from "./clone-config.ts";
import { makeClone } from "./clone.ts";
import { git, gitBytes, mustBytes } from "./git.ts";
import { QUIET, type Repository } from "./repository.ts";
import { inTemporaryFolder, isAbandoned, removeAbandonedFolders } from "../temporary-folder.ts";

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

/**
 * The same in a clone of its own: the programs in it see the history, and none of their git commands reaches the
 * repository.
 */
export async function inCleanClone<Result>(
  repository: Repository,
  commit: string,
  action: (folder: string) => Promise<Result>,
): Promise<Result> {
  return await inTemporaryFolder("clean", async (holder) => {
    const folder = join(holder, "tree");
    await makeClone(repository, folder, { commit, branch: undefined, truth: await readCloneTruth(repository) });
    await mustBytes({ folder, env: repository.env }, [...QUIET, "reset", "--hard", "--quiet"]);
    return await action(folder);
  });
}

/**
 * Git's name for all files of a checkout as they are now, ignored ones aside; undefined when they are those of `from`.
 * Uses its own index: an agent may have left the checkout's index locked or replaced.
 */
export async function treeOfCheckout(
  repository: Repository,
  checkout: string,
  from: string,
): Promise<string | undefined> {
  return await inTemporaryFolder("tree", async (folder) => {
    const place = { folder: checkout, env: repository.env };
    const env = { GIT_INDEX_FILE: join(folder, "index") };
    await mustBytes(place, [...QUIET, "read-tree", from], { env });
    await mustBytes(place, [...QUIET, "add", "--all"], { env });
    const same = await gitBytes(place, [...QUIET, "diff-index", "--cached", "--quiet", from], { env });
    if (same.code === 0) return undefined;
    return (await mustBytes(place, [...QUIET, "write-tree"], { env })).stdout.toString().trim();
  });
}

/** Removes the checkouts, and other temporary folders, of processes that were killed; of this repository git forgets them. */
export async function removeAbandonedCheckouts(repository: Repository): Promise<void> {
  for (const folder of await checkoutsOf(repository)) {
    if (!isAbandoned(dirname(folder))) continue;
    // Twice --force: a git that was killed while it made one has left it locked.
    await git(repository, [...QUIET, "worktree", "remove", "--force", "--force", folder]);
    await rm(dirname(folder), { recursive: true, force: true });
  }
  await removeAbandonedFolders();
}

/** All that git knows of, whether or not they are still there. */
async function checkoutsOf({ commonFolder }: Repository): Promise<string[]> {
  const entries = join(commonFolder, "worktrees");
  const names = await readdir(entries).catch(() => []); // there is no such folder before the first
  const files = await Promise.all(
    names.map(async (name) => await readFile(join(entries, name, "gitdir"), "utf8").catch(() => "")),
  );
  return files.map((text) => dirname(text.trim()));
}
