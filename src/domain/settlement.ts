import { DEFAULT_ATTEMPT_LIMIT, type Task, type TaskStatus } from "./task.ts";
import type { Change } from "./transition.ts";

/** What came of a claim. The loop's policy decides it; the store only carries it out. */
export interface Settlement {
  /** How the iteration ended, for the record: `verified`, `rejected`, `limited`, `crashed` … */
  readonly outcome: string;
  readonly to: "done" | "pending" | "failed" | "parked";
  /** It is an attempt (P-20). A counted one that uses up the last attempt makes the task failed. */
  readonly counted: boolean;
  /** The configured limit of attempts; the task's own wins. */
  readonly attemptLimit?: number | undefined;
  /** Failed for good, whatever attempts remain. */
  readonly final?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly question?: string | undefined;
  readonly summary?: string | undefined;
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
  readonly session?: string | undefined;
  /** What else belongs into the record of the attempt: JSON. */
  readonly details?: unknown;
}

/** The fields that a change of state sets. */
export interface StateFields {
  readonly status: TaskStatus;
  readonly attempts: number;
  readonly retry: boolean;
  readonly reason: string | undefined;
  readonly question: string | undefined;
  readonly summary: string | undefined;
  readonly description: string;
}

export type StateBefore = Pick<
  Task,
  "attempts" | "attemptLimit" | "summary" | "description" | "reason" | "question" | "status"
>;

export function afterSettlement(task: StateBefore, settlement: Settlement): StateFields {
  const attempts = task.attempts + (settlement.counted ? 1 : 0);
  const left = attempts < (task.attemptLimit ?? settlement.attemptLimit ?? DEFAULT_ATTEMPT_LIMIT);
  const usedUp = settlement.to === "pending" && settlement.counted && !left;
  const status = usedUp ? "failed" : settlement.to;
  return {
    status,
    attempts,
    retry: settlement.to === "failed" && left && settlement.final !== true,
    reason: status === "done" ? undefined : (settlement.reason ?? (status === "failed" ? NO_REASON : task.reason)),
    question: status === "parked" ? (settlement.question ?? NO_QUESTION) : undefined,
    summary: settlement.summary ?? task.summary,
    description: task.description,
  };
}

export function afterChange(task: StateBefore, change: Change, status: TaskStatus): StateFields {
  const same = { status, attempts: task.attempts, retry: false, reason: task.reason, question: undefined };
  const kept = { ...same, summary: task.summary, description: task.description };
  if (change.kind === "complete") return { ...kept, reason: undefined, summary: change.summary ?? task.summary };
  if (change.kind === "park") return { ...kept, question: change.question };
  if (change.kind === "answer") return { ...kept, attempts: 0, description: withAnswer(task, change.answer) };
  if (change.kind === "reset") return { ...kept, attempts: 0, reason: change.reason };
  return { ...kept, reason: change.reason };
}

/** A raised or lowered limit decides anew whether a failed task may be tried again. */
export const mayRetry = (task: Pick<Task, "attempts" | "attemptLimit">): boolean =>
  task.attempts < (task.attemptLimit ?? DEFAULT_ATTEMPT_LIMIT);

function withAnswer(task: StateBefore, answer: string): string {
  const asked = task.question === undefined ? "" : `Question: ${task.question}\n`;
  return `${task.description}${task.description === "" ? "" : "\n\n"}${asked}Answer: ${answer}`;
}

const NO_REASON = "No reason was given.";
const NO_QUESTION = "No question was given.";
