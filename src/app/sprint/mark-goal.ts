import { RalphError } from "../../domain/error.ts";
import type { Task } from "../../domain/task.ts";
import type { Marked } from "../../loop/run-deps.ts";
import { achievedMark, type GoalMark, isAchieved, PlanError, readGoalMark, writeGoalMark } from "../../plan/plan.ts";
import { planFile, readPlanText, replacePlanText } from "../plan-file.ts";
import { saveConflictingPlan } from "../plan-conflict.ts";
import { readLastGood } from "./last-good.ts";
import type { OpenSprint } from "./open-sprint.ts";
import type { StepsPlace } from "./write-steps.ts";

export interface GoalPlace extends Pick<StepsPlace, "store" | "root" | "scope" | "file"> {
  readonly sprint: Pick<OpenSprint, "lastGood">;
}

const TRIES = 5;
const NOT_MARKED: Marked = { hasChanged: false, problems: [] };

/**
 * PROGRESS.yaml has `status` and `summary` of an achieved goal. The previous values are remembered, and restored when
 * there is more to do.
 */
export async function markGoal(place: GoalPlace, goal: Task, as: "done" | "is"): Promise<Marked> {
  const isDone = as === "done" || goal.status === "done";
  return isDone ? await markAchieved(place, goal.summary) : await reclaimFolders(place);
}

/** Removes the mark of an achieved goal that ralphctl did not verify. */
export async function unmarkGoal(place: GoalPlace, by: "person" | "agent"): Promise<Marked> {
  const isOurs = (await beforeIn(place)) !== undefined;
  return isOurs || by === "agent" ? await reclaimFolders(place) : NOT_MARKED;
}

const markAchieved = async (place: GoalPlace, summary: string | undefined): Promise<Marked> =>
  await rewrite(place, async (now) => {
    // An existing mark is not the previous value.
    if (!isAchieved(now)) await place.store.setMeta(metaKey(place), { ...now });
    return achievedMark(summary);
  });

async function reclaimFolders(place: GoalPlace): Promise<Marked> {
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

/** Retries while the file changes. If it keeps changing, the user's version stays and ours is saved. */
async function rewrite(place: GoalPlace, change: (now: GoalMark) => GoalMark | Promise<GoalMark>): Promise<Marked> {
  const file = planFile(place);
  let ours = "";
  try {
    for (let left = TRIES; left > 0; left -= 1) {
      const from = await readPlanText(file);
      if (from === undefined) return NOT_MARKED;
      ours = writeGoalMark(from, await change(readGoalMark(from)));
      if ((await replacePlanText(file, { from, to: ours })) === "written") {
        return { hasChanged: ours !== from, problems: [] };
      }
    }
    return { hasChanged: false, problems: [await saveConflictingPlan(place.root, file, ours)] };
  } catch (error) {
    if (error instanceof PlanError) return { hasChanged: false, problems: [`${file.name}: ${error.message}`] };
    if (error instanceof RalphError && error.kind === "data") return { hasChanged: false, problems: [error.message] };
    throw error;
  }
}
