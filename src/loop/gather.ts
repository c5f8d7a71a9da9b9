import { cutMiddle } from "../domain/prompt/cut.ts";
import type { EarlierAttempt } from "../domain/prompt/earlier-attempts.ts";
import type { BlockerContext, TaskInfo } from "../domain/prompt/task-context.ts";
import { type AttemptRecord, readAttemptRecord } from "../domain/run/attempt-record.ts";
import { type ShelvedWork, parseShelvedWork } from "../domain/run/shelved-work.ts";
import { isPromptTask, isSettled, type Task, type TaskId } from "../domain/task.ts";
import type { Attempt, Claim, LogEntry, Store } from "../store/store.ts";

/** What the store knows that an agent must be told of its task. */
export interface TaskBrief {
  readonly info: TaskInfo;
  /** Oldest first. */
  readonly earlier: readonly EarlierAttempt[];
  /** Why the last claim was rejected, or a proven task opened again, as long as that holds. */
  readonly validationFailure?: string;
  /** How the iteration just before was cut short. */
  readonly harnessFailure?: string;
  /** What the iteration just before did against the protocol. */
  readonly notes: readonly string[];
  /** Where work on the task was last put aside. */
  readonly kept?: ShelvedWork;
}

export interface GatherOptions {
  readonly specsDirs: readonly string[];
  /** Of the task, if that was read before. */
  readonly history?: TaskHistory;
}

/** Reads what the prompt for a task needs. It makes no difference whether the task was claimed already. */
export async function gatherTask(store: Store, task: Task, options: GatherOptions): Promise<TaskBrief> {
  const { specsDirs, history } = options;
  const ended = history?.ended ?? (await store.attempts(task.id)).flatMap(endedOnly);
  const last = ended.at(-1)?.record;
  const log = await store.log(task.id, TOLD);
  const validationFailure = standingFailure(log, ended);
  const keptBy = keptWork(log, ended);
  const kept = ended.map((attempt) => keptBy.get(attempt)).findLast((one) => one !== undefined);
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
 * What is known is not read again: an attempt that has ended stays as it is, and fences rise. Where they have not, the
 * task was removed, and added anew under its name.
 */
export async function readHistory(store: Store, claim: Claim, known: TaskHistory | undefined): Promise<TaskHistory> {
  const { id } = claim.task;
  const last = known?.task === id ? known.ended.at(-1) : undefined;
  const isSame = known !== undefined && last !== undefined && last.fence < claim.lease.fence;
  const since = (await store.attempts(id, isSame ? last.fence : undefined)).flatMap(endedOnly);
  return { task: id, ended: isSame ? [...known.ended, ...since] : since };
}

/** Whether a session of the task was too long for its model, so that the next shall be shorter. */
export const wasTooLong = ({ earlier }: Pick<TaskBrief, "earlier">): boolean =>
  earlier.some(({ outcome }) => outcome === "overflow");

/** The attempts at a task since a person last reset it or answered its question: those before count no more. */
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

/** Without the claim that lasts, and without those that were given back before a session began. */
function endedOnly(attempt: Attempt): EndedAttempt[] {
  const { outcome, details } = attempt;
  if (outcome === undefined || outcome === "released") return [];
  return [{ ...attempt, outcome, record: readAttemptRecord(details) }];
}

/** Work is put aside after its attempt was settled, so it belongs to the last one that had ended by then. */
function keptWork(log: readonly LogEntry[], ended: readonly EndedAttempt[]): Map<EndedAttempt, ShelvedWork> {
  const found = new Map<EndedAttempt, ShelvedWork>();
  for (const { at, by, kind, text } of log) {
    const kept = by === "loop" && kind === "kept" ? parseShelvedWork(text) : undefined;
    const attempt = ended.findLast(({ endedAt }) => endedAt !== undefined && endedAt <= at);
    if (kept !== undefined && attempt !== undefined) found.set(attempt, kept);
  }
  return found;
}

/**
 * What was last decided about the task counts. A rejection stands until a claim is accepted, whatever was cut short or
 * given up in between; of a finished task that was opened again it is the reason for that, which only the log still
 * knows when another attempt has ended since.
 */
function standingFailure(log: readonly LogEntry[], ended: readonly EndedAttempt[]): string | undefined {
  const decided = log.findLastIndex(({ kind }) => DECISIONS.has(kind));
  if (decided === -1) return undefined;
  if (log[decided]!.kind === "rejected") {
    const rejected = ended.findLast(({ outcome }) => outcome === "rejected");
    return rejected?.record?.report ?? rejected?.reason;
  }
  return log.slice(decided).findLast(({ kind }) => kind === "reset")?.text || undefined;
}

/** Kinds of log entries: two outcomes, and a person's word. */
const DECISIONS: ReadonlySet<string> = new Set(["rejected", "verified", "complete"]);
/** Kinds that a prompt has anything of. */
const TOLD = [...DECISIONS, "reset", "kept"];

async function infoOf(store: Store, task: Task, specsDirs: readonly string[]): Promise<TaskInfo> {
  const ancestors = await ancestorsOf(store, task);
  const needs = new Set([task, ...ancestors].flatMap((one) => one.needs));
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
  const found: Task[] = [];
  for (let id = task.parent; id !== undefined; id = found.at(-1)?.parent) {
    const parent = await store.get(id);
    if (parent === undefined) break;
    found.push(parent);
  }
  return found;
}

/** A person may have a blocked task worked on: what is still open is no prerequisite that left anything behind. */
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
    status === "dropped" ? `not done, it was dropped${reason ? ` (${reason})` : ""}` : (summary ?? ""),
    MOST_OF_SUMMARY,
  ),
});

const MOST_BLOCKERS = 100;
const MOST_OF_SUMMARY = 4096;
