import type { Standing, StandingKind } from "./standing.ts";
import type { Task, TaskId, TaskSource, TaskStatus } from "./task.ts";

/** A task as every `--json` prints it. Scripts depend on it: fields may be added, never renamed, removed or retyped. */
export interface TaskJson {
  readonly id: TaskId;
  readonly title: string;
  readonly status: TaskStatus;
  readonly standing: StandingKind | null;
  readonly look: readonly string[];
  readonly ready: boolean;
  readonly blocked: boolean;
  readonly priority: number;
  readonly parent: TaskId | null;
  readonly needs: readonly TaskId[];
  readonly scope: string;
  readonly source: TaskSource | null;
  readonly isParent: boolean;
  readonly description: string;
  readonly acceptance: readonly string[];
  readonly tags: readonly string[];
  readonly gates: readonly GateJson[];
  readonly model: string | null;
  readonly allowNoChange: boolean;
  readonly keepsWork: boolean;
  readonly mayChange: readonly string[];
  readonly attempts: number;
  readonly attemptLimit: number | null;
  readonly retry: boolean;
  readonly summary: string | null;
  readonly question: string | null;
  readonly reason: string | null;
  readonly lease: LeaseJson | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

export interface GateJson {
  readonly id: string;
  readonly run: string;
  readonly timeoutMs: number | null;
  readonly retries: number;
}

export interface LeaseJson {
  readonly host: string;
  readonly pid: number;
  readonly startTime: string;
  readonly fence: number;
  readonly until: string;
  readonly run: string | null;
}

/** Absent values are null, times are ISO 8601 in UTC. */
export function taskJson(task: Task, standing?: Standing): TaskJson {
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    standing: standing?.kind ?? null,
    look: standing === undefined || standing.kind === "unbroken" ? [] : standing.reasons,
    ready: task.ready,
    blocked: task.blocked,
    priority: task.priority,
    parent: task.parent ?? null,
    needs: task.needs,
    scope: task.scope,
    source: task.source ?? null,
    isParent: task.isParent,
    description: task.description,
    acceptance: task.acceptance,
    tags: task.tags,
    gates: task.gates.map(({ id, run, timeoutMs, retries }) => ({ id, run, timeoutMs: timeoutMs ?? null, retries })),
    model: task.model ?? null,
    allowNoChange: task.allowNoChange,
    keepsWork: task.keepsWork,
    mayChange: task.mayChange,
    attempts: task.attempts,
    attemptLimit: task.attemptLimit ?? null,
    retry: task.retry,
    summary: task.summary ?? null,
    question: task.question ?? null,
    reason: task.reason ?? null,
    lease: leaseJson(task.lease),
    createdAt: isoTime(task.createdAt),
    updatedAt: isoTime(task.updatedAt),
    startedAt: task.startedAt === undefined ? null : isoTime(task.startedAt),
    endedAt: task.endedAt === undefined ? null : isoTime(task.endedAt),
  };
}

function leaseJson(lease: Task["lease"]): LeaseJson | null {
  if (lease === undefined) return null;
  const { owner, fence, untilMs, run } = lease;
  return { ...owner, fence, until: isoTime(untilMs), run: run ?? null };
}

/** An invalid time from a damaged or hand-made file must not prevent showing the task. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}

/** What each field means, in printing order. The reference page comes from it. */
export const TASK_JSON_FIELDS: Readonly<Record<keyof TaskJson, readonly [type: string, meaning: string]>> = {
  id: ["text", "never changes"],
  title: ["text", "one line"],
  status: [
    "text",
    "`pending`, `in_progress`, `parked`, `done`, `failed` or `dropped`; for a parent, derived from its children",
  ],
  standing: [
    "text or null",
    "in lists, trees and `task show`, of a done task: `proven`, `unbroken`, `look`, `word` (a person says so) or `unrecorded`; null elsewhere",
  ],
  look: ["list of texts", "beside `standing`: why a person should look"],
  ready: ["true, false", "pending, without children, and everything that it or an ancestor needs is done or dropped"],
  blocked: ["true, false", "pending, without children, and not ready"],
  priority: ["number", "lower goes first"],
  parent: ["id or null", "the task it is part of"],
  needs: ["list of ids", "tasks that must be done or dropped first"],
  scope: ["text", "`workspace`, `project/NAME`, `change/ID` or `sprint/NAME`"],
  source: ["object or null", "the plan file it came from: `file`, `key`"],
  isParent: [
    "true, false",
    "its status comes from its children; a task with gates is assigned itself when they are done",
  ],
  description: ["text", "empty if there is none"],
  acceptance: ["list of texts", "what must be true when it is done"],
  tags: ["list of texts", ""],
  gates: ["list of objects", "its own gates: `id`, `run`, `timeoutMs` (or null), `retries`"],
  model: ["text or null", "its own model"],
  allowNoChange: ["true, false", "may be done without a change, if the gates pass"],
  keepsWork: ["true, false", "its children do not settle it: an agent added them during a session"],
  mayChange: ["list of texts", "patterns of protected and deciding files that it may change"],
  attempts: ["number", "counted attempts since the last reset or answer"],
  attemptLimit: ["number or null", "its own limit; null: `limits.attempts`"],
  retry: ["true, false", "failed, but the loop may try again"],
  summary: ["text or null", "a summary for tasks that need it"],
  question: ["text or null", "the question for a person, while parked"],
  reason: ["text or null", "why it failed, was dropped, or was last rejected"],
  lease: [
    "object or null",
    "the process that works on it: `host`, `pid`, `startTime`, `fence`, `until`, `run` (or null)",
  ],
  createdAt: ["time", ""],
  updatedAt: ["time", ""],
  startedAt: ["time or null", "when a session last started on it"],
  endedAt: ["time or null", "when it was last done, failed or dropped"],
};
