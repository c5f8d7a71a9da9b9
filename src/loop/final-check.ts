import { describeFinding, type DecayFinding, isBroken, proposal } from "../domain/decay.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import type { Task } from "../domain/task.ts";
import { rejectionReport } from "../domain/verdict-report.ts";
import { firstParentLine, readCommit } from "../system/git/line.ts";
import { isAncestor } from "../system/git/ref.ts";
import { nameTree } from "../system/git/tree.ts";
import { checkLanding } from "./check-landing.ts";
import { explainRed } from "./decay.ts";
import type { End } from "./decide.ts";
import { taskEnv } from "./naming.ts";
import { laneInScopeOf } from "./open-lane.ts";
import { inRoom, type LaneState, type SettledTask, tell, warn } from "./run-state.ts";
import { restoreMark } from "./settle.ts";
import { rememberChecked, uncheckedTasks } from "./standing.ts";
import { quietly } from "./varied.ts";

/**
 * P-21: before a run is complete, runs the gates of all its settled tasks once in the room on the head of the landing (L-29), except those that
 * have already run on that tree. T-31: if one is red, the task whose commit broke it is reopened. Returns an end if only
 * a person can go on.
 */
export const finalCheck = async (lane: LaneState): Promise<"green" | "reopened" | End> =>
  await inRoom(lane, async () => await checkAll(lane));

async function checkAll(lane: LaneState): Promise<"green" | "reopened" | End> {
  const { deps, run } = lane;
  const { settled } = run;
  if (deps.stop.aborted) return "green";
  const last = settled.at(-1);
  const isSame = last !== undefined && (await nameTree(deps.home, run.landing, [])).tree === last.tree;
  const unchecked = await Promise.all((await uncheckedTasks(run)).map(async (id) => await deps.store.get(id)));
  const earlier = unchecked
    .filter((task) => task !== undefined)
    .map((task) => withGates(lane, task))
    .filter(({ gates }) => gates.some(({ isAgents }) => isAgents !== true));
  const owed = await stillFound(lane, gatesOwed([...earlier, ...settled], isSame ? last : undefined));
  const red = owed.length === 0 ? [] : await check(lane, owed);
  if (red === "stopped") return "green";
  const answer = await answerRed(lane, red);
  if (answer !== "green" || deps.stop.aborted) return answer;
  await rememberChecked(
    deps.store,
    earlier.map(({ task }) => task.id),
  );
  return "green";
}

interface Red extends Owed {
  readonly result: GateResult;
}

/** Gates never passed on a task that was done without them, so it is reopened itself. The others were green once. */
async function answerRed(lane: LaneState, red: readonly Red[]): Promise<"green" | "reopened" | End> {
  const isSearched = ({ tree }: Red): boolean => tree !== "" && lane.deps.room.isLane !== true;
  const own = red.filter((one) => !isSearched(one));
  for (const { task, result } of own) await reopen(lane, task, result);
  const found = await searchRed(lane, red.filter(isSearched));
  if (own.length > 0 || found.some(({ action }) => action === "reopened")) return "reopened";
  const broken = found.filter(isBroken);
  if (broken.length === 0) return "green";
  const help = broken.flatMap((finding) => proposal(finding) ?? []);
  return { brokeOff: "person", reason: broken.map(describeFinding).join(". "), ...(help.length > 0 && { help }) };
}

/** T-31: in the commits of this run. */
async function searchRed(lane: LaneState, red: readonly Red[]): Promise<readonly DecayFinding[]> {
  const { deps, run } = lane;
  if (red.length === 0) return [];
  const since = (await isAncestor(deps.home, run.startHead, run.landing)) ? run.startHead : undefined;
  const line = await firstParentLine(deps.home, run.landing, since);
  for (const { gate, task } of red)
    tell(lane, `Gate ${gate.id} of ${task.id} fails: searching for the commit that broke it`);
  const checks = red.map(({ gate, task, result }) => ({
    check: { gate, task: gate.kind === "task" ? task : undefined },
    looks: [{ passed: false, result }],
  }));
  // These runs are not about a task of this run.
  const { findings, reopened } = await explainRed(quietly(deps), checks, { line });
  for (const finding of findings) warn(lane, describeFinding(finding));
  for (const task of reopened) {
    deps.emit({ type: "tasks.changed", change: "reopened", tasks: [{ id: task.id, title: task.title }] });
    // The commit may be that of another change.
    const home = laneInScopeOf(lane, task);
    await restoreMark(home, task);
    forgetSettled(home, task);
  }
  return findings;
}

/** Returns the failed gates. */
async function check(lane: LaneState, owed: readonly Owed[]): Promise<readonly Red[] | "stopped"> {
  const { deps } = lane;
  deps.emit({ type: "check.started", check: "final" });
  const results: Red[] = [];
  const base = async () => (await readCommit(deps.home, lane.run.landing)).parent;
  for (const one of owed) {
    if (deps.stop.aborted) break;
    const { gate, task } = one;
    // A gate of the workspace belongs to no single task.
    const env = gate.kind === "task" ? taskEnv({ task }, lane.run.tally.started) : {};
    const ran = await checkLanding(deps, { commit: lane.run.landing, gates: [gate], name: "final", env, base });
    for (const result of ran) results.push({ ...one, result });
  }
  const red = deps.stop.aborted ? [] : results.filter(({ result }) => !result.passed);
  deps.emit({ type: "check.finished", check: "final", red: red.map(({ result }) => result.gate.id) });
  return deps.stop.aborted ? "stopped" : red;
}

/** P-19: a task that was done without a gate is checked by the gates that exist now. */
const withGates = ({ deps }: LaneState, task: Task): SettledTask => ({
  task,
  strength: "look",
  tree: "",
  gates: [...deps.gates.ofTask(task), ...deps.gates.gates],
});

/** T-10: without gates of `gates: auto` that a person let the work remove. */
async function stillFound({ deps, run }: LaneState, owed: readonly Owed[]): Promise<readonly Owed[]> {
  const { discover, discoverAt, pinned } = deps.gates;
  if (discover === undefined || owed.length === 0) return owed;
  const found = await discoverAt(run.landing);
  const isGone = ({ id, kind }: Gate): boolean =>
    kind === "workspace" && pinned.some((gate) => gate.id === id) && !found.some((gate) => gate.id === id);
  return owed.filter(({ gate }) => !isGone(gate));
}

interface Owed {
  readonly gate: Gate;
  readonly task: SettledTask["task"];
  /** On which it passed; empty: it never did. */
  readonly tree: SettledTask["tree"];
}

/** Each gate once. A gate of the workspace counts for the last task, which was the last to pass it. */
function gatesOwed(settled: readonly SettledTask[], proven: SettledTask | undefined): Owed[] {
  const owed = new Map<string, Owed>();
  for (const { task, gates, tree } of settled) {
    for (const gate of gates.filter(({ kind }) => kind !== "reviewer")) {
      owed.set(gate.kind === "task" ? `${task.id} ${gate.id}` : gate.id, { gate, task, tree });
    }
  }
  for (const gate of proven?.gates ?? []) owed.delete(gate.kind === "task" ? `${proven!.task.id} ${gate.id}` : gate.id);
  return [...owed.values()];
}

async function reopen(lane: LaneState, task: SettledTask["task"], result: GateResult): Promise<void> {
  const { deps } = lane;
  const reason = rejectionReport([{ kind: "gate", result }]);
  const current = await deps.store.get(task.id);
  if (current?.status !== "done") return;
  const reopened = await deps.store.change(task.id, { kind: "reset", reason }, "loop");
  deps.emit({ type: "tasks.changed", change: "reopened", tasks: [{ id: task.id, title: task.title }] });
  warn(lane, `${task.id} was done, but its gate ${result.gate.id} fails on the final commit: reopened`);
  await restoreMark(lane, reopened);
  forgetSettled(lane, task);
}

function forgetSettled({ run: { settled } }: LaneState, { id }: Task): void {
  settled.splice(0, settled.length, ...settled.filter(({ task }) => task.id !== id));
}
