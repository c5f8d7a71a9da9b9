import { join } from "node:path";
import { readCloneTruth } from "./clone-config.ts";
import { makeClone } from "./clone.ts";
import { writeTree } from "./commit.ts";
import { mustBytes } from "./git.ts";
import { fillIndex } from "./place-files.ts";
import { QUIET, type Repository } from "./repository.ts";
import { snapshot } from "./snapshot.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { openView } from "./view.ts";

/**
 * Does something in a clone with the files of a commit and nothing else: no ignored files, no caches, no half-done work
 * (P-23). The programs in it see the history, and none of their git commands reaches the repository.
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
 * The tree of all files in a clone as they are now, ignored ones aside; undefined if they are those of `from`. An agent
 * may have changed the clone's `.git`, so git looks at the files through a view of ours.
 */
export async function treeOfClone(home: Repository, folder: string, from: string): Promise<string | undefined> {
  return await inTemporaryFolder("view", async (gitDir) => {
    const view = await openView(home, { folder, gitDir }, from);
    await fillIndex(view, from);
    const { changed } = await snapshot(view);
    return changed.length === 0 ? undefined : await writeTree(view, from, changed);
  });
}
