import { createHash } from "node:crypto";
import { delimiter, join } from "node:path";
import type { LandingTarget } from "../../system/git/landing.ts";
import type { Repository } from "../../system/git/repository.ts";
import { startGuard } from "../../system/process/guard.ts";
import { treeMarker } from "../../system/process/marker.ts";
import { openRequests } from "../../system/run-requests.ts";
import { sweep } from "../../system/process/sweep.ts";
import { checkFree, endedFile, lockTree, type TreeLock, type TreeUse } from "../../system/tree-lock.ts";

export interface HoldTreeRequest extends TreeUse {
  readonly gitFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stop?: AbortSignal | undefined;
  /** Cleans up after dead runs whose processes are gone. If it fails, the next run tries again. */
  readonly clear: (left: LeftTree) => Promise<readonly string[]>;
  /** Programs that keep containers of the run. */
  readonly engines?: readonly string[];
}

/** What dead runs left behind. */
export interface LeftTree extends Pick<TreeLock, "left" | "crashedBeforeMs"> {}

/** A working tree that is ours alone. */
export interface HeldTree {
  /** When the last run that did not give the tree back was gone, at the latest. */
  readonly crashedBeforeMs: number | undefined;
  /** Notices. */
  readonly notices: readonly string[];
  /** Notices about the cleanup. */
  readonly cleared: readonly string[];
  readonly leave: TreeLock["leave"];
}

/**
 * Runs an action that needs exclusive use of the working tree (W-07). First ends processes that dead runs left running,
 * because they could still change files. Processes of the action do not outlive it.
 */
export async function holdTree<Result>(
  { gitFolder, env, stop, run, scope, clear, engines }: HoldTreeRequest,
  action: (held: HeldTree) => Promise<Result>,
): Promise<Result> {
  const lock = await lockTree(gitFolder, { run, scope }, stop);
  try {
    const notices = await endLeftovers(gitFolder, lock.left);
    const searchPath = searchPathOf(env);
    const mark = treeMarker(run, gitFolder).value;
    const guard = await startGuard({ run, mark, searchPath, endedFile: endedFile(gitFolder), engines, env });
    try {
      const cleared = await clear(lock).catch((error: unknown) => {
        lock.restore();
        throw error;
      });
      return await action({
        crashedBeforeMs: lock.crashedBeforeMs,
        cleared,
        leave: lock.leave,
        notices: guard.trouble === undefined ? notices : [...notices, guard.trouble],
      });
    } finally {
      await guard.release();
    }
  } finally {
    openRequests(gitFolder, run).clear();
    lock.release();
  }
}

interface TargetUse extends TreeUse, Pick<HoldTreeRequest, "stop"> {
  readonly home: Repository;
  readonly target: LandingTarget;
}

/** L-01: one run per landing ref, in whichever working tree of the repository. */
export async function holdTarget<Result>(
  { home, target, stop, run, scope }: TargetUse,
  action: (lock: TreeLock) => Promise<Result>,
): Promise<Result> {
  const lock = await lockTree(targetFolder(home, target), { run, scope }, stop);
  try {
    return await action(lock);
  } finally {
    lock.release();
  }
}

function targetFolder({ commonFolder }: Repository, { ref }: LandingTarget): string {
  const name = createHash("sha256").update(ref).digest("hex").slice(0, 12);
  return join(commonFolder, "ralph", "targets", name);
}

/** Refuses what a run would be refused; takes nothing. */
export function checkUnheld(home: Repository, target: LandingTarget): void {
  checkFree(home.gitFolder);
  checkFree(targetFolder(home, target));
}

/** System folders first: a project may put anything at the front of PATH. */
const searchPathOf = ({ PATH }: HoldTreeRequest["env"]): string =>
  ["/usr/bin", "/bin", ...(PATH === undefined ? [] : [PATH])].join(delimiter);

/** Their guards may have been killed as well. */
async function endLeftovers(gitFolder: string, runs: readonly string[]): Promise<string[]> {
  const notices: string[] = [];
  for (const run of runs) {
    const { length } = await sweep(treeMarker(run, gitFolder));
    if (length === 1) notices.push(`Ended a process that run ${run} had left running`);
    if (length > 1) notices.push(`The run ${run} had left ${length} processes running, and ralphctl ended them`);
  }
  return notices;
}
