import { RalphError } from "../../domain/error.ts";
import { taskPhases } from "../../domain/prompt/phase.ts";
import { isSettled } from "../../domain/task.ts";
import type { Followed, Marked, Plans } from "../../loop/run-deps.ts";
import { writePosition } from "../../plan/plan.ts";
import { NOT_MARKED, planFile, readPlanText, rewritePlan } from "../plan-file.ts";
import { keepLastGood, describeLastGood } from "./last-good.ts";
import { goalAsDone, markGoal, unmarkGoal } from "./mark-goal.ts";
import type { OpenSprint } from "./open-sprint.ts";
import { restoreProgress, restoredText } from "./start-progress.ts";
import { finishWriting, type StepsPlace, writeNewSteps } from "./write-steps.ts";

export interface SprintPlansPlace extends StepsPlace {
  readonly sprint: OpenSprint;
  /** No file is written. */
  readonly isReadOnly?: boolean;
}

/** Syncs the plan file of a sprint in both directions (D-11); its goal needs every step. */
export function sprintPlans(plans: Plans, place: SprintPlansPlace): Plans {
  return {
    ...plans,
    follow: async (by) => await follow(plans, place, by),
    mark: async (task, as) => {
      if (task.id === place.goal) return await markGoal(place, task, as);
      return joined(await plans.mark(task, as), await markPosition(place));
    },
    asDone: async (task, path, text) => {
      if (task.id === place.goal) return goalAsDone(task, text);
      const marked = await plans.asDone(task, path, text);
      return isListed(place) && path.endsWith(place.file) ? writePosition(marked) : marked;
    },
  };
}

const isListed = ({ sprint }: SprintPlansPlace): boolean => sprint.definition.shape === "phases";

/** S003-04: which phase comes next, and whether all are done. */
const markPosition = async (place: SprintPlansPlace): Promise<Marked> =>
  isListed(place) ? await rewritePlan(place.root, planFile(place), async (text) => writePosition(text)) : NOT_MARKED;

const joined = (one: Marked, other: Marked): Marked => ({
  hasChanged: one.hasChanged || other.hasChanged,
  problems: [...one.problems, ...other.problems],
});

async function follow(plans: Plans, place: SprintPlansPlace, by: Parameters<Plans["follow"]>[0]): Promise<Followed> {
  const isBack = !place.isReadOnly && (await isPutBack(place));
  if (!place.isReadOnly) await finishWriting(place);
  const followed = await plans.follow(by);
  const isRead = followed.problems.length === 0;
  const written = isRead && !place.isReadOnly ? await writeInto(place, by.editor) : NOT_MARKED;
  await linkSteps(place);
  await setPhaseGates(place);
  if (isRead && !place.isReadOnly) await keepCopy(place);
  const offer = isRead ? undefined : await describeLastGood(place.sprint.lastGood);
  const problems = followed.problems.map((text) => (offer === undefined ? text : `${text}; ${offer}`));
  const gone = isBack ? [restoredText(place)] : [];
  return {
    ...followed,
    hasWritten: isBack || written.hasChanged,
    problems: [...gone, ...problems, ...written.problems],
  };
}

/** If that fails, following the file reports why. */
async function isPutBack(place: SprintPlansPlace): Promise<boolean> {
  try {
    return await restoreProgress(place);
  } catch (error) {
    if (error instanceof RalphError) return false;
    throw error;
  }
}

/** Writes new steps, and removes an early mark of the goal. */
async function writeInto(place: SprintPlansPlace, editor: "person" | "agent"): Promise<Marked> {
  const steps = await writeNewSteps(place);
  const goal = place.goal === undefined ? undefined : await place.store.get(place.goal);
  const isOpen = goal !== undefined && goal.status !== "done";
  const taken = isOpen ? await unmarkGoal(place, editor) : NOT_MARKED;
  return joined(joined(steps, taken), await markPosition(place));
}

/** Makes the goal need every step, so that it cannot be claimed before them. */
async function linkSteps({ store, scope, goal: id }: SprintPlansPlace): Promise<void> {
  const goal = id === undefined ? undefined : await store.get(id);
  if (goal === undefined || isSettled(goal.status)) return;
  const needs = new Set(goal.needs);
  for await (const task of store.each({ scopes: [scope] })) {
    if (task.id === goal.id || isSettled(task.status) || needs.has(task.id)) continue;
    await store.addDependency(goal.id, task.id).catch((error: unknown) => {
      // A step that needs the goal itself: the loop will report that nothing is ready.
      if (!(error instanceof RalphError)) throw error;
    });
  }
}

/** The workflow defines the gates of phases: agents may write PROGRESS.yaml. */
async function setPhaseGates({ store, scope, file, sprint }: SprintPlansPlace): Promise<void> {
  const phases = taskPhases(sprint.definition.phases);
  if (phases.every(({ gate }) => gate === undefined)) return;
  const byKey = new Map(phases.map((phase) => [`id:${phase.id}`, phase]));
  for await (const task of store.each({ scopes: [scope], sourceFile: file })) {
    const phase = byKey.get(task.source!.key);
    if (phase?.gate === undefined || isSettled(task.status)) continue;
    const { run, timeoutMs } = phase.gate;
    const gates = [{ id: phase.id, run, retries: 0, ...(timeoutMs !== undefined && { timeoutMs }) }];
    const [has] = task.gates;
    const isThere = task.gates.length === 1 && has?.run === run && has.timeoutMs === timeoutMs && has.id === phase.id;
    if (!isThere) await store.update(task.id, { gates }, "plan");
  }
}

async function keepCopy({ root, file, sprint }: SprintPlansPlace): Promise<void> {
  const text = await readPlanText(planFile({ root, file }));
  if (text !== undefined) await keepLastGood(sprint.lastGood, text);
}
