import { openRequests } from "../../system/run-requests.ts";
import { sweep } from "../../system/sweep.ts";
import { lockTree, type TreeUse } from "../../system/tree-lock.ts";

/**
 * Does something that needs the working tree for itself (W-07). What runs that died have left running is ended first:
 * it would go on changing the files. `left`: those runs.
 */
export async function holdTree<Result>(
  gitFolder: string,
  use: TreeUse,
  action: (left: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const lock = await lockTree(gitFolder, use);
  try {
    for (const run of lock.left) await sweep({ name: "RALPHCTL_RUN", value: run });
    return await action(lock.left);
  } finally {
    openRequests(gitFolder, use.run).clear();
    lock.release();
  }
}
