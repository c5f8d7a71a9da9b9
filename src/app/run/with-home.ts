import { withRepository, type Repository } from "../../system/git/repository.ts";
import { withRun } from "../../system/process/marker.ts";
import { newRunName } from "../../system/random-name.ts";
import type { Caller } from "../task/caller.ts";
import { repairAfterCrash } from "./crash-cleanup.ts";
import { holdTree, type HoldTreeRequest, type LeftTree } from "./hold-tree.ts";

export interface HomeRequest {
  readonly host: Caller & Pick<HoldTreeRequest, "stop">;
  /** The workspace. */
  readonly root: string;
  /** The scope key. */
  readonly scope: string;
}

/** The person's repository, while no run has its working tree. */
export interface HeldHome {
  readonly home: Repository;
  /** Names what the command starts, as a run names what it starts. */
  readonly run: string;
}

/** Runs a command that needs the working tree for itself (75 while a run has it). Cleans up after killed runs first. */
export async function withHome<Result>(
  { host, root, scope }: HomeRequest,
  action: (held: HeldHome) => Promise<Result>,
): Promise<Result> {
  const run = newRunName(Date.now());
  const env = withRun(host.env, run, root);
  return await withRepository({ folder: root, env }, async (home) => {
    const { gitFolder } = home;
    const { stop } = host;
    // The next run no longer hears of one that was killed before us.
    const clear = async (tree: LeftTree) => (tree.left.length > 0 ? await repairAfterCrash(tree, home) : []);
    return await holdTree({ gitFolder, env: host.env, stop, run, scope, clear }, async ({ cleared, notices }) => {
      for (const sentence of [...notices, ...cleared]) host.notice(sentence);
      return await action({ home, run });
    });
  });
}
