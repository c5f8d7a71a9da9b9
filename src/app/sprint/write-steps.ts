import { isSettled, type Task, type TaskId } from "../../domain/task.ts";
import type { Marked } from "../../loop/run-deps.ts";
import { appendSteps, PlanError } from "../../plan/plan.ts";
import type { Store } from "../../store/store.ts";
import { NOT_MARKED, planFile, type PlanFile, readPlanText, rewritePlan } from "../plan-file.ts";

export interface StepsPlace {
  readonly store: Store;
  readonly root: string;
  readonly scope: string;
  /** PROGRESS.yaml, relative to the workspace. */
  readonly file: string;
  readonly goal: TaskId | undefined;
  /** Undefined outside a run. */
  readonly iteration: () => number | undefined;
}

/** D-11: tasks that were added by command become steps at the end of the sprint's file. */
export async function writeNewSteps(place: StepsPlace): Promise<Marked> {
  const tasks = await tasksWithoutStep(place);
  if (tasks.length === 0) return NOT_MARKED;
  const file = planFile(place);
  // Remembers the steps, writes the file, then updates the tasks: a crash loses nothing. If the file keeps changing, the
  // tasks keep no step, so the next time tries again.
  const marked = await rewritePlan(place.root, file, async (text) => {
    const taken = new Set(file.format.read(text).entries.map(({ id }) => id));
    const addedAt = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const addedInIteration = place.iteration();
    const steps = tasks.map((task) => ({ id: unusedStep(taken), prompt: promptOf(task), addedAt, addedInIteration }));
    const to = appendSteps(text, steps);
    const meant = steps.map(({ id }, index) => [tasks[index]!.id, id]);
    await place.store.setMeta(metaKey(place.scope), meant);
    return to;
  });
  if (marked.hasChanged) await finishWriting(place);
  return marked;
}

/** Links the tasks to their steps, if these are in the file. */
export async function finishWriting({ store, root, scope, file: name }: StepsPlace): Promise<void> {
  const meant = await store.getMeta(metaKey(scope));
  if (!Array.isArray(meant) || meant.length === 0) return;
  const file = planFile({ root, file: name });
  const text = await readPlanText(file).catch(() => undefined);
  if (text === undefined) return;
  const keys = keysIn(file, text);
  for (const pair of meant as readonly unknown[]) {
    if (!Array.isArray(pair)) continue;
    const [id, step] = pair as readonly unknown[];
    const task = typeof id === "string" ? await store.get(id) : undefined;
    if (task === undefined || task.source !== undefined || !keys.has(`id:${String(step)}`)) continue;
    await store.update(task.id, { source: { file: file.name, key: `id:${String(step)}` } }, "plan");
  }
  await store.setMeta(metaKey(scope), undefined);
}

function keysIn(file: PlanFile, text: string): ReadonlySet<string> {
  try {
    return new Set(file.format.read(text).entries.map(({ key }) => key));
  } catch (error) {
    if (error instanceof PlanError) return new Set();
    throw error;
  }
}

const metaKey = (scope: string): string => `sprint/steps/${scope}`;

async function tasksWithoutStep({ store, scope, goal }: StepsPlace): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of store.each({ scopes: [scope] })) {
    const isStep = task.source === undefined && task.id !== goal && !task.isParent;
    // Settled tasks, such as an old goal, need no step.
    if (isStep && !isSettled(task.status)) tasks.push(task);
  }
  return tasks;
}

function unusedStep(taken: Set<string | undefined>): string {
  let number = taken.size;
  while (taken.has(`step-${number}`)) number += 1;
  taken.add(`step-${number}`);
  return `step-${number}`;
}

/** The prompt of a task's step. */
export const promptOf = ({ title, description }: Task): string =>
  description === "" ? title : description.startsWith(title) ? description : `${title}\n\n${description}`;
