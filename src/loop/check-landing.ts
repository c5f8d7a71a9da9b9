import { join } from "node:path";
import type { Gate, GateResult } from "../domain/gate.ts";
import { nameTree } from "../system/git/tree.ts";
import type { BaseDeps } from "./ask-base.ts";
import type { CheckPlace } from "./check.ts";
import { inRoomOf } from "./desk.ts";
import { owedGates } from "./proofs.ts";
import type { RunDeps, RunGates } from "./run-deps.ts";
import { type BaseCommit, runOnTree } from "./run-on-tree.ts";
import { varied } from "./varied.ts";

export interface LandingCheck {
  /** A commit: the head of the landing, or one that may become it. */
  readonly commit: string;
  readonly gates: readonly Gate[];
  /** Part of the folder of outputs, and of the marker of processes. */
  readonly name: string;
  readonly env?: CheckPlace["env"];
  /** Undefined outside an iteration. */
  readonly iteration?: number;
  /** The commit with whose writes those of the gates are compared; undefined: gates may write. */
  readonly base?: BaseCommit | undefined;
}

/** Without a store, as in `ralphctl land`, all gates run. */
type LandingDeps = Omit<BaseDeps, "gates"> &
  Pick<RunDeps, "folder"> & { readonly gates: Pick<RunGates, "gates"> & Partial<Pick<RunGates, "pinned">> };

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
export const checkTree = async (deps: LandingDeps, check: TreeCheck): Promise<readonly GateResult[]> =>
  await inRoomOf(deps, async () => await checkInRoom(deps, check));

async function checkInRoom(
  deps: LandingDeps,
  { head, tree, gates, name, outputFolder, env = {}, iteration, base }: TreeCheck,
): Promise<readonly GateResult[]> {
  const room = await deps.room.enter({ head, tree });
  if (room.setup?.passed === false) return [room.setup];
  const proof = { tree, setup: room.prepared };
  const {
    store,
    gates: { pinned = [] },
  } = deps;
  const owed = store === undefined ? gates : await owedGates(store, proof, { gates, pinned });
  const about = iteration === undefined ? {} : { iteration };
  const place = { ...about, cwd: room.root, outputFolder, env: { ...room.env, ...env }, name };
  return await runOnTree(varied(deps, { gates: { pinned } }), { room, head, tree, gates: owed, place, base });
}
