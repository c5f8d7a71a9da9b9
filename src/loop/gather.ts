import { cutMiddle } from "../domain/prompt/cut.ts";
import type { EarlierAttempt } from "../domain/prompt/earlier-attempts.ts";
import type { SaidBefore } from "../domain/prompt/said-before.ts";
import type { BlockerContext, TaskInfo } from "../domain/prompt/task-context.ts";
import { type AttemptRecord, readAttemptRecord } from "../domain/run/attempt-record.ts";
import { type ShelvedWork, parseShelvedWork } from "../domain/run/shelved-work.ts";
import { isPromptTask, isSettled, type Task, type TaskId } from "../domain/task.ts";
import type { Attempt, Claim, LogEntry, Store } from "../store/store.ts";

/** Everything from the store that the prompt says about a task. */
export interface TaskBrief {
  readonly info: TaskInfo;
  /** Oldest first. */
  readonly earlier: readonly EarlierAttempt[];
  /** Why the last claim was rejected, or a proven task reopened; undefined once a later decision supersedes it. */
  readonly validationFailure?: string;
  /** How the last session of the task failed. */
  readonly harnessFailure?: string;
  /** How the last session of the task broke the protocol. */
  readonly notes: readonly string[];
  /** The last shelved work of the task. */
  readonly kept?: ShelvedWork;
  /** A session of another task said that this one is done, too (T-23). */
  readonly said?: SaidBefore;
}

export interface GatherOptions {
  readonly specsDirs: readonly string[];
  /** Avoids reading the attempts again. */
  readonly history?: TaskHistory;
}

/** Collects the brief of a task, whether it is already claimed or not. */
export async function gatherTask(store: Store, task: Task, options: GatherOptions): Promise<TaskBrief> {
  const { specsDirs, history } = options;
  const ended = history?.ended ?? (await store.attempts(task.id)).flatMap(endedOnly);
  const last = ended.at(-1)?.record;
  const log = await store.log(task.id, PROMPT_KINDS);
  const validationFailure = standingFailure(log, ended);
  const keptBy = keptWork(log, ended);
  const kept = ended.map((attempt) => keptBy.get(attempt)).findLast((work) => work !== undefined);
  return {
    info: await infoOf(store, task, specsDirs),
    earlier: ended.map((attempt) => {
      const { run, iteration, outcome, reason } = attempt;
      return { run, iteration, outcome, reason, kept: keptBy.get(attempt) };
    }),
    ...(validationFailure !== undefined && { validationFailure }),
    ...(last?.harnessFailure !== undefined && { harnessFailure: last.harnessFailure }),
    notes: last?.notes ?? [],
    ...(kept && { kept }),
  };
}

/** The attempts at a task that have ended, oldest first. */
export interface TaskHistory {
  readonly task: TaskId;
  readonly ended: readonly EndedAttempt[];
}

/**
 * Reads only attempts after the known ones: an ended attempt never changes, and fences only rise. If the fence has not
 * risen, somebody deleted the task and added another one with the same id.
 */
export async function readHistory(store: Store, claim: Claim, known: TaskHistory | undefined): Promise<TaskHistory> {
  const { id } = claim.task;
  const last = known?.task === id ? known.ended.at(-1) : undefined;
  const isSame = known !== undefined && last !== undefined && last.fence < claim.lease.fence;
  const since = (await store.attempts(id, isSame ? last.fence : undefined)).flatMap(endedOnly);
  return { task: id, ended: isSame ? [...known.ended, ...since] : since };
}

/** Whether a session overflowed its model's context, so that the next prompt has to be shorter. */
export const wasTooLong = ({ earlier }: Pick<TaskBrief, "earlier">): boolean =>
  earlier.some(({ outcome }) => outcome === "overflow");

/** The attempts since a person last reset the task or answered its question; earlier ones no longer count. */
export async function attemptsSoFar(store: Store, id: TaskId): Promise<Attempt[]> {
  const attempts = await store.attempts(id);
  if (attempts.length === 0) return [];
  const log = await store.log(id, ["reset", "answer"]);
  const since = log.findLast(({ by }) => by === "person")?.at ?? 0;
  return attempts.filter(({ startedAt }) => startedAt >= since);
}

export interface EndedAttempt extends Attempt {
  readonly outcome: string;
  readonly record: AttemptRecord | undefined;
}

/** Skips the current claim, and claims that were released before a session began. */
function endedOnly(attempt: Attempt): EndedAttempt[] {
  const { outcome, details } = attempt;
  if (outcome === undefined || outcome === "released") return [];
  return [{ ...attempt, outcome, record: readAttemptRecord(details) }];
}

/** The loop settles an attempt before it shelves its work, so the work belongs to the last ended attempt. */
function keptWork(log: readonly LogEntry[], ended: readonly EndedAttempt[]): Map<EndedAttempt, ShelvedWork> {
  const keptBy = new Map<EndedAttempt, ShelvedWork>();
  for (const { at, by, kind, text } of log) {
    const kept = by === "loop" && kind === "kept" ? parseShelvedWork(text) : undefined;
    const attempt = ended.findLast(({ endedAt }) => endedAt !== undefined && endedAt <= at);
    if (kept !== undefined && attempt !== undefined) keptBy.set(attempt, kept);
  }
  return keptBy;
}

/**
 * The last decision about the task counts. A rejection stands until a claim is accepted, even if later sessions failed or
 * gave up. For a reopened task it is the reason for reopening, which only the log has after another attempt.
 */
function standingFailure(log: readonly LogEntry[], ended: readonly EndedAttempt[]): string | undefined {
  const decided = log.findLastIndex(({ kind }) => DECISIONS.has(kind));
  if (decided === -1) return undefined;
  const { kind } = log[decided]!;
  if (kind === "rejected" || kind === "conflict") {
    const rejected = ended.findLast(({ outcome }) => outcome === kind);
    return rejected?.record?.report ?? rejected?.reason;
  }
  return log.slice(decided).findLast(({ kind }) => kind === "reset")?.text || undefined;
}

/** Kinds of log entries: three outcomes, and `complete` by a person. */
const DECISIONS: ReadonlySet<string> = new Set(["rejected", "conflict", "verified", "complete"]);
/** Kinds of log entries that prompts use. */
const PROMPT_KINDS = [...DECISIONS, "reset", "kept"];

async function infoOf(store: Store, task: Task, specsDirs: readonly string[]): Promise<TaskInfo> {
  const ancestors = await ancestorsOf(store, task);
  const needs = new Set([task, ...ancestors].flatMap((each) => each.needs));
  const blockers = await finished(store, [...needs]);
  const parent = ancestors[0];
  return {
    taskId: task.id,
    title: task.title,
    description: task.description,
    ...(isPromptTask(task) && { isPrompt: true }),
    ...(parent && { parent: { title: parent.title, description: parent.description } }),
    completedBlockers: blockers.slice(0, MOST_BLOCKERS).map(blockerOf),
    ...(blockers.length > MOST_BLOCKERS && { moreBlockers: blockers.length - MOST_BLOCKERS }),
    specsDirs,
  };
}

/** The nearest first. */
async function ancestorsOf(store: Store, task: Task): Promise<Task[]> {
  const ancestors: Task[] = [];
  for (let id = task.parent; id !== undefined; id = ancestors.at(-1)?.parent) {
    const parent = await store.get(id);
    if (parent === undefined) break;
    ancestors.push(parent);
  }
  return ancestors;
}

/** A person may start a blocked task, so some of its blockers may still be open and have no result yet. */
async function finished(store: Store, ids: readonly TaskId[]): Promise<Task[]> {
  const tasks: Task[] = [];
  for (const id of ids) {
    const task = await store.get(id);
    if (task !== undefined && isSettled(task.status)) tasks.push(task);
  }
  return tasks;
}

const blockerOf = ({ id, title, status, summary, reason }: Task): BlockerContext => ({
  taskId: id,
  title,
  summary: cutMiddle(
    status === "dropped" ? `not done: dropped${reason ? ` (${reason})` : ""}` : (summary ?? ""),
    MOST_OF_SUMMARY,
  ),
});

const MOST_BLOCKERS = 100;
const MOST_OF_SUMMARY = 4096;
