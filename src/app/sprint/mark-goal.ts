import type { Task } from "../../domain/task.ts";
import type { Marked } from "../../loop/run-deps.ts";
import { achievedMark, type GoalMark, isAchieved, PlanError, readGoalMark, writeGoalMark } from "../../plan/plan.ts";
import { NOT_MARKED, planFile, rewritePlan } from "../plan-file.ts";
import { readLastGood } from "./last-good.ts";
import type { OpenSprint } from "./open-sprint.ts";
import type { StepsPlace } from "./write-steps.ts";

export interface GoalPlace extends Pick<StepsPlace, "store" | "root" | "scope" | "file"> {
  readonly sprint: Pick<OpenSprint, "lastGood">;
}

/**
 * PROGRESS.yaml has `status` and `summary` of an achieved goal. The previous values are remembered, and restored when
 * there is more to do.
 */
export async function markGoal(place: GoalPlace, goal: Task, as: "done" | "is"): Promise<Marked> {
  const isDone = as === "done" || goal.status === "done";
  return isDone ? await markAchieved(place, goal.summary) : await restoreGoalMark(place);
}

/** A version of the file with the mark of an achieved goal. Nothing is written; a text that cannot be read stays as it is. */
export function goalAsDone({ summary }: Pick<Task, "summary">, text: string): string {
  try {
    return writeGoalMark(text, achievedMark(summary));
  } catch (error) {
    if (error instanceof PlanError) return text;
    throw error;
  }
}

/** Removes the mark of an achieved goal that ralphctl did not verify. */
export async function unmarkGoal(place: GoalPlace, by: "person" | "agent"): Promise<Marked> {
  const isOurs = (await beforeIn(place)) !== undefined;
  return isOurs || by === "agent" ? await restoreGoalMark(place) : NOT_MARKED;
}

const markAchieved = async (place: GoalPlace, summary: string | undefined): Promise<Marked> =>
  await rewrite(place, async (now) => {
    // An existing mark is not the previous value.
    if (!isAchieved(now)) await place.store.setMeta(metaKey(place), { ...now });
    return achievedMark(summary);
  });

async function restoreGoalMark(place: GoalPlace): Promise<Marked> {
  const before = (await beforeIn(place)) ?? (await lastSeen(place)) ?? { status: "in-progress", summary: undefined };
  const marked = await rewrite(place, (now) => (isAchieved(now) ? before : now));
  if (marked.problems.length === 0) await place.store.setMeta(metaKey(place), undefined);
  return marked;
}

async function beforeIn(place: GoalPlace): Promise<GoalMark | undefined> {
  const meta = await place.store.getMeta(metaKey(place));
  if (typeof meta !== "object" || meta === null) return undefined;
  const { status, summary } = meta as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return { status: text(status), summary: text(summary) };
}

/** The last known value that is not the mark itself. */
async function lastSeen({ sprint }: GoalPlace): Promise<GoalMark | undefined> {
  const text = await readLastGood(sprint.lastGood);
  const mark = text === undefined ? undefined : readGoalMark(text);
  return mark === undefined || isAchieved(mark) ? undefined : mark;
}

const metaKey = ({ scope }: GoalPlace): string => `sprint/before/${scope}`;

const rewrite = async (place: GoalPlace, change: (now: GoalMark) => GoalMark | Promise<GoalMark>): Promise<Marked> =>
  await rewritePlan(place.root, planFile(place), async (text) => writeGoalMark(text, await change(readGoalMark(text))));
