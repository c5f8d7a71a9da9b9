import { RalphError } from "./error.ts";
import { cleanText, truncateText, MAX_TEXT } from "./task-input.ts";
import { DEFAULT_ATTEMPT_LIMIT, type Task, type TaskStatus } from "./task.ts";
import type { Actor, StatusChange } from "./transition.ts";

/** The result of a claim. The loop decides it; the store only applies it. */
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
  /** Who settles it, for the log; the loop if absent. */
  readonly by?: Actor | undefined;
  /** More for the record of the attempt: JSON. */
  readonly details?: unknown;
}

/** The fields that a change of state sets. */
export interface StateFields {
  readonly status: TaskStatus;
  readonly attempts: number;
  readonly retry: boolean;
  /** Of a failure by attempts: the configured limit of them. Undefined: failed for good, by a person or a verdict. */
  readonly retryLimit: number | undefined;
  readonly reason: string | undefined;
  readonly question: string | undefined;
  readonly summary: string | undefined;
  readonly description: string;
}

export type StateBefore = Pick<
  Task,
  "attempts" | "attemptLimit" | "summary" | "description" | "reason" | "question" | "status"
>;

/**
 * The settlement in a form that can be stored. It is never refused: the work was done, and an odd text or number from an
 * agent must not undo that. Long texts are cut, numbers are rounded, empty values are left out.
 */
export function cleanSettlement(settlement: Settlement): Settlement {
  const { attemptLimit, details } = settlement;
  const isLimit = attemptLimit !== undefined && attemptLimit >= 1;
  return {
    ...settlement,
    outcome: truncateText(settlement.outcome, MAX_NAME),
    session: kept(settlement.session),
    reason: kept(settlement.reason),
    question: kept(settlement.question),
    summary: kept(settlement.summary),
    attemptLimit: isLimit ? attemptLimit : undefined,
    costUsd: amount(settlement.costUsd),
    tokens: settlement.tokens === undefined ? undefined : amount(Math.round(settlement.tokens)),
    details: details === undefined ? undefined : jsonOf(details),
  };
}

/** A person gets an error for a text that is too long; other texts are cut. */
export function cleanChange(change: StatusChange, by: Actor): StatusChange {
  const clean = (text: string, field: string): string =>
    by === "person" ? cleanText(text, field) : truncateText(text);
  if (change.kind === "complete") return { ...change, summary: change.summary && clean(change.summary, "summary") };
  if (change.kind === "park") return { ...change, question: clean(change.question, "question") };
  if (change.kind === "answer") return { ...change, answer: clean(change.answer, "answer") };
  if (change.kind === "allow") return { ...change, paths: change.paths.map((path) => clean(path, "path")) };
  if (change.kind === "fail") return { ...change, reason: clean(change.reason, "reason") };
  return { ...change, reason: change.reason && clean(change.reason, "reason") };
}

const MAX_NAME = 1000;

const kept = (text: string | undefined): string | undefined => (text === undefined ? undefined : truncateText(text));

const amount = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : Math.min(Math.max(value, 0), Number.MAX_SAFE_INTEGER);

function jsonOf(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (error) {
    return { unreadable: String(error) };
  }
}

/** The settlement is a clean one. */
export function afterSettlement(task: StateBefore, settlement: Settlement): StateFields {
  const attempts = task.attempts + (settlement.counted ? 1 : 0);
  const limit = settlement.attemptLimit ?? DEFAULT_ATTEMPT_LIMIT;
  const left = attempts < (task.attemptLimit ?? limit);
  const usedUp = settlement.to === "pending" && settlement.counted && !left;
  const status = usedUp ? "failed" : settlement.to;
  return {
    status,
    attempts,
    retry: settlement.to === "failed" && left && settlement.final !== true,
    retryLimit: status === "failed" && settlement.final !== true ? limit : undefined,
    reason: status === "done" ? undefined : (settlement.reason ?? (status === "failed" ? NO_REASON : task.reason)),
    question: status === "parked" ? (settlement.question ?? NO_QUESTION) : undefined,
    summary: settlement.summary ?? task.summary,
    description: task.description,
  };
}

/** The change is a clean one. */
export function afterChange(task: StateBefore, change: StatusChange, status: TaskStatus): StateFields {
  const same = { status, attempts: task.attempts, retry: false, retryLimit: undefined, reason: task.reason };
  const kept = { ...same, question: undefined, summary: task.summary, description: task.description };
  if (change.kind === "complete") return { ...kept, reason: undefined, summary: change.summary ?? task.summary };
  if (change.kind === "park") return { ...kept, question: change.question };
  if (change.kind === "answer") return { ...kept, attempts: 0, description: withAnswer(task, change.answer) };
  if (change.kind === "allow") return kept;
  if (change.kind === "reset") return { ...kept, attempts: 0, reason: change.reason };
  return { ...kept, reason: change.reason };
}

/**
 * After a change of the limit: whether a task that used up its attempts may be tried again. A task that a person failed,
 * or that failed for good, stays failed.
 */
export function afterLimit(
  task: Pick<Task, "attempts" | "attemptLimit" | "retry"> & Pick<StateFields, "retryLimit">,
): Pick<StateFields, "retry" | "retryLimit"> {
  // One that was imported says only that it may be tried again.
  const retryLimit = task.retryLimit ?? (task.retry ? DEFAULT_ATTEMPT_LIMIT : undefined);
  return { retryLimit, retry: retryLimit !== undefined && task.attempts < (task.attemptLimit ?? retryLimit) };
}

/** If both do not fit, the question is cut: the answer counts. */
function withAnswer({ description, question }: StateBefore, answer: string): string {
  const before = description === "" ? "" : `${description}\n\n`;
  const after = `Answer: ${answer}`;
  const room = MAX_TEXT - before.length - after.length;
  if (room < 0) {
    const problem = `With this answer the description would have ${MAX_TEXT - room} characters; the limit is ${MAX_TEXT}`;
    throw new RalphError("data", problem, { hint: "Shorten the answer, or the description with ralphctl task edit" });
  }
  const forQuestion = room - "Question: \n".length;
  return question === undefined || forQuestion < 1
    ? `${before}${after}`
    : `${before}Question: ${truncateText(question, forQuestion)}\n${after}`;
}

const NO_REASON = "No reason was given.";
const NO_QUESTION = "No question was given.";
