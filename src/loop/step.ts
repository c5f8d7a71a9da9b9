import type { RunFinished } from "../domain/run/event.ts";
import { begin } from "./begin.ts";
import { decide, type End } from "./decide.ts";
import { finish, nothingReady } from "./finish.ts";
import { withHooks } from "./hooks.ts";
import { claimTask, workOn } from "./loop.ts";
import type { Assignment, RunParts } from "./parts.ts";
import { planIteration } from "./plan-iteration.ts";
import { type Running, startRunning } from "./running.ts";
import { workLeft } from "./work-left.ts";
import type { WorkTree } from "./work-tree.ts";

/** One iteration, and what it comes to decides alone: however much is left beside its task. */
export async function runStep(parts: RunParts, assignment: Assignment, work: WorkTree): Promise<RunFinished> {
  const rules = { ...parts.rules, iterations: 1 };
  const running = startRunning({ ...parts, rules }, work, assignment);
  return await withHooks(running, async () => {
    const early = (await begin(running, assignment)) ?? (await decide(running));
    return await finish(running, early ?? (await iterateOnce(running, assignment)));
  });
}

async function iterateOnce(running: Running, assignment: Assignment): Promise<End> {
  if (running.mode === "plan") {
    const end = await planIteration(running, { ...assignment, buildsAfterPlan: false });
    return end ?? { brokeOff: "failure", reason: "The plan is not written yet" };
  }
  const claim = await claimTask(running);
  if (claim === undefined) return (await nothingReady(running)) ?? { reason: "Work came back" };
  running.only = [claim.task.id];
  const end = await workOn(running, claim);
  if (end !== undefined) return end;
  const { ready } = await workLeft(running);
  return ready > 0
    ? { brokeOff: "failure", reason: `${claim.task.id} is not proven, and still open` }
    : { reason: "The step is over" };
}
