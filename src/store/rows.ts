import type { afterChange } from "../domain/settlement.ts";
import type { Owner, Task, TaskGate, TaskStatus } from "../domain/task.ts";
import type { StoredLease } from "./lease.ts";
import type { Actor } from "../domain/transition.ts";
import type { Attempt, DoneTask, LogEntry, StoredVerdict } from "./store.ts";

/** A row as any database gives it: numbers for flags, JSON as text. */
export type Row = Readonly<Record<string, string | number | null>>;

export function toTask(row: Row): Task {
  const isParent = row["is_group"] === 1;
  return {
    id: row["id"] as string,
    scope: row["scope"] as string,
    parent: text(row["parent_id"]),
    title: row["title"] as string,
    description: row["description"] as string,
    acceptance: list(row["acceptance"]),
    priority: row["priority"] as number,
    status: row["status"] as TaskStatus,
    ready: row["queue"] === 0,
    blocked: row["status"] === "pending" && !isParent && row["queue"] !== 0,
    isParent,
    needs: row["needs"] === "[]" ? [] : list(row["needs"]),
    tags: list(row["tags"]),
    gates: (json(row["gates"]) ?? []) as readonly TaskGate[],
    model: text(row["model"]),
    allowNoChange: row["allow_no_change"] === 1,
    keepsWork: row["keeps_work"] === 1,
    mayChange: list(row["may_change"]),
    attempts: row["attempts"] as number,
    attemptLimit: number(row["attempt_limit"]),
    retry: row["own"] === "failed" && row["retry"] === 1,
    summary: text(row["summary"]),
    source:
      row["source_file"] === null
        ? undefined
        : { file: row["source_file"] as string, key: row["source_key"] as string },
    question: text(row["question"]),
    reason: text(row["reason"]),
    lease: toLease(row),
    createdAt: row["created_at"] as number,
    updatedAt: row["updated_at"] as number,
    startedAt: number(row["started_at"]),
    endedAt: number(row["ended_at"]),
  };
}

function toLease(row: Row): Task["lease"] {
  if (row["lease_until"] === null) return undefined;
  return {
    owner: leaseOwner(row),
    fence: row["fence"] as number,
    untilMs: row["lease_until"] as number,
    run: text(row["lease_run"]),
  };
}

export const leaseOwner = (row: Row): Owner => ({
  host: row["lease_host"] as string,
  pid: row["lease_pid"] as number,
  startTime: row["lease_start"] as string,
});

export const storedLease = (row: Row): StoredLease | undefined =>
  row["lease_until"] === null
    ? undefined
    : { owner: leaseOwner(row), untilMs: row["lease_until"] as number, leaseMs: row["lease_ms"] as number };

/** What a change of its state depends on. */
export const stateOf = (row: Row): Parameters<typeof afterChange>[0] => ({
  status: row["own"] as TaskStatus,
  attempts: row["attempts"] as number,
  attemptLimit: number(row["attempt_limit"]),
  summary: text(row["summary"]),
  description: row["description"] as string,
  reason: text(row["reason"]),
  question: text(row["question"]),
});

export function toAttempt(row: Row): Attempt {
  return {
    fence: row["fence"] as number,
    run: text(row["run"]),
    iteration: number(row["iteration"]),
    owner: attemptOwner(row),
    startedAt: row["started_at"] as number,
    endedAt: number(row["ended_at"]),
    outcome: text(row["outcome"]),
    counted: row["counted"] === 1,
    reason: text(row["reason"]),
    costUsd: number(row["cost_usd"]),
    tokens: number(row["tokens"]),
    session: text(row["session"]),
    verdict: json(row["verdict"]) as StoredVerdict | undefined,
    details: json(row["details"]),
  };
}

/** The values of such columns. */
export const ownerValues = ({ host, pid, startTime }: Owner): [string, number, string] => [host, pid, startTime];

export const attemptOwner = (row: Row): Owner => ({
  host: row["host"] as string,
  pid: row["pid"] as number,
  startTime: row["start"] as string,
});

/** Empty lists are stored as nothing: most tasks have none. */
export const listColumn = (items: readonly unknown[]): string | null =>
  items.length === 0 ? null : JSON.stringify(items);

export const json = (value: Row[string] | undefined): unknown =>
  typeof value === "string" ? (JSON.parse(value) as unknown) : undefined;

const list = (value: Row[string] | undefined): readonly string[] => (json(value) ?? []) as readonly string[];
export const text = (value: Row[string] | undefined): string | undefined => (value as string | null) ?? undefined;
export const number = (value: Row[string] | undefined): number | undefined => (value as number | null) ?? undefined;

export const toDone = (row: Row): DoneTask => ({
  id: row["id"] as string,
  title: row["title"] as string,
  last: row["kind"] === null ? undefined : { by: row["actor"] as Actor, kind: row["kind"] as string },
  evidence: (json(row["verdict"]) as StoredVerdict | undefined)?.evidence,
});

export const toLogEntry = (row: Row): LogEntry => ({
  at: row["at"] as number,
  by: row["actor"] as Actor,
  kind: row["kind"] as string,
  text: row["text"] as string,
});

/** T-15: texts of the log about tasks that came as they are. */
export const ADDED_AS_DONE = "It was done when it was added.";
export const OVERWRITTEN = "A newer version of the task was imported.";
