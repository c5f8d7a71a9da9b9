import type { Gate, GateResult } from "../domain/gate.ts";
import type { Task } from "../domain/task.ts";
import { rejectionReport } from "../domain/verdict-report.ts";
import { nameTree } from "../system/git/tree.ts";
import { checkLanding } from "./check-landing.ts";
import { taskEnv } from "./naming.ts";
import { type LaneState, type SettledTask, warn } from "./run-state.ts";
import { restoreMark } from "./settle.ts";
import { forgetUnverified, unverifiedTasks } from "./unverified.ts";

/**
 * P-21: before a run is complete, runs the gates of all its settled tasks once in the room on the head of the landing (L-29), except those that
 * have already run on that tree. A red gate reopens its task: a later task may have broken an earlier one.
 */
export async function finalCheck(lane: LaneState): Promise<"green" | "reopened"> {
  const { deps, run } = lane;
  const { settled } = run;
  if (deps.stop.aborted) return "green";
  const last = settled.at(-1);
  const isSame = last !== undefined && (await nameTree(deps.home, run.landing, [])).tree === last.tree;
  const unproven = await unverifiedTasks(run);
  const earlier = unproven.map((task) => withGates(lane, task)).filter(({ gates }) => gates.length > 0);
  const owed = gatesOwed([...earlier, ...settled], isSame ? last : undefined);
  const red = owed.length === 0 ? [] : await check(lane, owed);
  if (red === "stopped") return "green";
  for (const result of red) await reopen(lane, owed.find(({ gate }) => gate === result.gate)!.task, result);
  if (red.length > 0) return "reopened";
  await forgetUnverified(
    deps.store,
    deps.scope,
    earlier.map(({ task }) => task.id),
  );
  return "green";
}

/** Returns the failed gates. */
async function check(lane: LaneState, owed: readonly Owed[]): Promise<readonly GateResult[] | "stopped"> {
  const { deps } = lane;
  deps.emit({ type: "check.started", check: "final" });
  const results: GateResult[] = [];
  for (const { gate, task } of owed) {
    if (deps.stop.aborted) break;
    // A gate of the workspace belongs to no single task.
    const env = gate.kind === "task" ? taskEnv({ task }, lane.run.tally.started) : {};
    results.push(...(await checkLanding(deps, { commit: lane.run.landing, gates: [gate], name: "final", env })));
  }
  const red = deps.stop.aborted ? [] : results.filter(({ passed }) => !passed);
  deps.emit({ type: "check.finished", check: "final", red: red.map(({ gate }) => gate.id) });
  return deps.stop.aborted ? "stopped" : red;
}

/** P-19: a task that was done without a gate is checked by the gates that exist now. */
const withGates = ({ deps }: LaneState, task: Task): SettledTask => ({
  task,
  proof: "none",
  tree: "",
  gates: [...deps.gates.ofTask(task), ...deps.gates.gates],
});

interface Owed {
  readonly gate: Gate;
  readonly task: SettledTask["task"];
}

/** Each gate once. A gate of the workspace counts for the last task, which was the last to pass it. */
function gatesOwed(settled: readonly SettledTask[], proven: SettledTask | undefined): Owed[] {
  const owed = new Map<string, Owed>();
  for (const { task, gates } of settled) {
    for (const gate of gates.filter(({ kind }) => kind !== "reviewer")) {
      owed.set(gate.kind === "task" ? `${task.id} ${gate.id}` : gate.id, { gate, task });
    }
  }
  for (const gate of proven?.gates ?? []) owed.delete(gate.kind === "task" ? `${proven!.task.id} ${gate.id}` : gate.id);
  return [...owed.values()];
}

async function reopen(lane: LaneState, task: SettledTask["task"], result: GateResult): Promise<void> {
  const { deps } = lane;
  const { settled } = lane.run;
  const reason = rejectionReport([{ kind: "gate", result }]);
  const current = await deps.store.get(task.id);
  if (current?.status !== "done") return;
  const reopened = await deps.store.change(task.id, { kind: "reset", reason }, "loop");
  deps.emit({ type: "tasks.changed", change: "reopened", tasks: [{ id: task.id, title: task.title }] });
  warn(lane, `${task.id} was done, but its gate ${result.gate.id} fails on the final commit: reopened`);
  await restoreMark(lane, reopened);
  settled.splice(0, settled.length, ...settled.filter((other) => other.task.id !== task.id));
}
