import { join } from "node:path";
import type { Gate, GateResult } from "../domain/gate.ts";
import type { Store } from "../store/store.ts";
import { nameTree } from "../system/git/tree.ts";
import { type CheckDeps, type CheckPlace, runChecks } from "./check.ts";
import { owedGates, rememberPassed } from "./proofs.ts";
import type { RunDeps, RunGates } from "./run-deps.ts";

export interface LandingCheck {
  /** A commit: the head of the landing, or one that may become it. */
  readonly commit: string;
  readonly gates: readonly Gate[];
  /** Part of the folder of outputs, and of the marker of processes. */
  readonly name: string;
  readonly env?: CheckPlace["env"];
}

/** Without a store, as in `ralphctl land`, all gates run. */
type LandingDeps = CheckDeps &
  Pick<RunDeps, "home" | "room" | "folder"> & {
    readonly store?: Store;
    readonly gates: Pick<RunGates, "gates"> & Partial<Pick<RunGates, "pinned">>;
  };

/** Runs gates in the room on a commit, except those that have passed on its tree before. */
export async function checkLanding(
  deps: LandingDeps,
  { commit, name, ...check }: LandingCheck,
): Promise<readonly GateResult[]> {
  const { tree } = await nameTree(deps.home, commit, []);
  return await checkTree(deps, { head: commit, tree, name, outputFolder: join(deps.folder, name), ...check });
}

export interface TreeCheck extends Omit<LandingCheck, "commit"> {
  readonly head: string;
  readonly tree: string;
  readonly outputFolder: string;
}

/** The same for a tree on top of a commit. */
export async function checkTree(
  deps: LandingDeps,
  { head, tree, gates, name, outputFolder, env = {} }: TreeCheck,
): Promise<readonly GateResult[]> {
  const room = await deps.room.enter({ head, tree });
  if (room.setup?.passed === false) return [room.setup];
  const proof = { tree, setup: room.prepared };
  const {
    store,
    gates: { pinned = [] },
  } = deps;
  const owed = store === undefined ? gates : await owedGates(store, proof, { gates, pinned });
  const results = await runChecks(deps, owed, { cwd: room.root, outputFolder, env: { ...room.env, ...env }, name });
  if (store !== undefined && !deps.stop.aborted) await rememberPassed(store, proof, { results, pinned });
  return results;
}
