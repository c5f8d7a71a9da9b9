import type { RunFinished } from "../domain/run/event.ts";
import { begin } from "./begin.ts";
import { decide, type End } from "./decide.ts";
import { finish, nothingReady } from "./finish.ts";
import { withHooks } from "./hooks.ts";
import { claimTask, workOn } from "./loop.ts";
import type { Assignment, RunDeps } from "./run-deps.ts";
import { planIteration } from "./plan-iteration.ts";
import { type RunState, startRun } from "./run-state.ts";
import { workLeft } from "./work-left.ts";
import type { WorkTree } from "./work-tree.ts";

/** One iteration, and what it comes to decides alone: however much is left beside its task. */
export async function runStep(deps: RunDeps, assignment: Assignment, work: WorkTree): Promise<RunFinished> {
  const rules = { ...deps.rules, iterations: 1 };
  const state = startRun({ ...deps, rules }, work, assignment);
  return await withHooks(state, async () => {
    const early = (await begin(state, assignment)) ?? (await decide(state));
    return await finish(state, early ?? (await iterateOnce(state, assignment)));
  });
}

async function iterateOnce(state: RunState, assignment: Assignment): Promise<End> {
  if (state.mode === "plan") {
    const end = await planIteration(state, { ...assignment, buildsAfterPlan: false });
    return end ?? { brokeOff: "failure", reason: "The plan is not written yet" };
  }
  const claim = await claimTask(state);
  if (claim === undefined) return (await nothingReady(state)) ?? { reason: "Work came back" };
  state.only = [claim.task.id];
  const end = await workOn(state, claim);
  if (end !== undefined) return end;
  const { ready } = await workLeft(state);
  return ready > 0
    ? { brokeOff: "failure", reason: `${claim.task.id} is not proven, and still open` }
    : { reason: "The step is over" };
}
