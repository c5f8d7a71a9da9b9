import { evidenceOf, type GateResult } from "../domain/gate.ts";
import { rate } from "../domain/strength.ts";
import type { Task } from "../domain/task.ts";
import type { Claim, Store } from "../store/store.ts";
import { nameTree } from "../system/git/tree.ts";
import { namesIn } from "./check.ts";
import { definitionName } from "./proofs.ts";
import type { OpenEvidence } from "./recover.ts";
import { redBefore } from "./red-first.ts";
import { type LaneState, tell } from "./run-state.ts";
import { restoreMark } from "./settle.ts";

/** T-13: whether a task with gates of its own consists of parts, which are settled if it can be claimed. */
export const isMadeOfParts = async (store: Store, { id, gates, keepsWork }: Task): Promise<boolean> =>
  gates.length > 0 && !keepsWork && (await store.list({ parent: id }, { limit: 1 })).tasks.length > 0;

/** Its own gates pass on the landing, so that it is done without a session. */
export async function settleParent(
  lane: LaneState,
  { task, lease }: Claim,
  results: readonly GateResult[],
): Promise<void> {
  const { deps, run } = lane;
  const { tree } = await nameTree(deps.home, run.landing, []);
  const at = { tree, commit: run.landing };
  const settlement = { outcome: "verified", to: "done", counted: false } as const;
  const redFirst = await redBefore(lane, task, results);
  const isOnLane = deps.room.isLane === true;
  const rated = rate({ results, look: [], redFirst, shownLittle: [], isOnLane });
  const where = { ...at, root: deps.root, ...(isOnLane && { isOnLane }) };
  const evidence: OpenEvidence = {
    v: 2,
    target: deps.target.ref,
    lands: false,
    message: "",
    settlement,
    ...rated,
    gates: results.map((result) =>
      evidenceOf(result, { ...where, definition: definitionName(result.gate, deps.gates.pinned) }),
    ),
    setup: "",
    variables: namesIn(deps.env),
  };
  if ((await deps.store.recordVerdict(lease, { ...at, evidence })) === "fenced") return;
  const settled = await deps.store.settle(lease, settlement);
  if (settled.kind === "fenced") return;
  run.settled.push({ task: settled.task, strength: rated.strength, tree, gates: deps.gates.ofTask(task) });
  tell(lane, `${task.id} "${task.title}" is done: its parts are, and its own gates pass`);
  await restoreMark(lane, settled.task);
}
