import { isSameCommand } from "../domain/distinct-gates.ts";
import type { Gate } from "../domain/gate.ts";
import type { Task, TaskId } from "../domain/task.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import type { Claim, Store } from "../store/store.ts";
import { rememberQuestion } from "./asked-if-done.ts";
import { runParkedHooks } from "./hooks.ts";
import { withLease } from "./lease.ts";
import { tryOwnGates, tryParentsGates } from "./red-first.ts";
import { type LaneState, proving, tell } from "./run-state.ts";
import { saidDone } from "./said-done.ts";
import { isMadeOfParts, settleParent } from "./settle-parent.ts";
import { restoreMark } from "./settle.ts";

/**
 * Parks a task whose own gates pass before its first session; one that consists of parts is done then (T-13). That costs no session and no attempt, and the run goes on
 * with other tasks. Returns false if the task needs a session.
 */
export async function offerAsDone(lane: LaneState, claim: Claim): Promise<boolean> {
  const { store, stop } = lane.deps;
  return await withLease(lane, claim, async () => {
    const { task, lease } = claim;
    const hasParts = await isMadeOfParts(store, task);
    await tryParentsGates(lane, task);
    const results =
      (hasParts
        ? await proving(lane, async () => await tryOwnGates(lane, task, { time: "whole", isParent: true }))
        : await tryOwnGates(lane, task)) ?? [];
    const isGreen = results.length > 0 && results.every(({ passed }) => passed);
    if (isGreen && hasParts) {
      await settleParent(lane, claim, results);
      return true;
    }
    if (stop.aborted) {
      await store.release(lease, "Stopped before its session");
      return true;
    }
    const telling = results.filter(({ gate }) => !isGuard(lane, task, gate));
    if (!isGreen || telling.length === 0 || task.allowNoChange || (await hasAnswer(store, task.id))) return false;
    // T-23: its session is told that it may be done, and can claim it.
    if ((await saidDone(lane, task)) !== undefined) return false;
    const gates = namesInLine(telling.map(({ gate }) => gate.id));
    const question = `Already done? Before any work, its own ${telling.length === 1 ? "gate passes" : "gates pass"}: ${gates}`;
    await rememberQuestion(store, task.id, question);
    // No session ran, so the history of attempts has none.
    const settled = await store.settle(lease, { outcome: "released", to: "parked", counted: false, question });
    if (settled.kind === "fenced") return true;
    lane.deps.emit({ type: "tasks.changed", change: "parked", tasks: [{ id: task.id, title: task.title }] });
    tell(lane, `${task.id} may be done already: its own gates pass before any work (${gates}). No session was started`);
    await restoreMark(lane, settled.task);
    await runParkedHooks(lane);
    return true;
  });
}

/** A gate that only guards passes before the work and after it: one of the workspace, or of a phase of a workflow. */
const isGuard = ({ deps }: LaneState, { source }: Task, gate: Gate): boolean =>
  source?.key === `id:${gate.id}` || deps.gates.gates.some((guard) => isSameCommand(guard, gate));

/** A person has said that there is something to do. */
const hasAnswer = async (store: Store, id: TaskId): Promise<boolean> =>
  (await store.log(id, ["answer", "reset"])).some(({ by }) => by === "person");
