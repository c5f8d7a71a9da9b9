import type { StateFields } from "../../src/domain/settlement.ts";
import { isSettled, sameOwner, type Task, type TaskId } from "../../src/domain/task.ts";
import type { Actor } from "../../src/domain/transition.ts";
import { endOfLease, type IsAlive, isGone, type StoredLease } from "../../src/store/lease.ts";
import { busyTaskError, noSuchTask } from "../../src/store/task-errors.ts";
import type { Lease } from "../../src/store/store.ts";
import { derive, type Derived } from "./derive.ts";
import type { Entry } from "./entry.ts";

export interface MemoryOptions {
  readonly clock: () => number;
  readonly newId: () => TaskId;
  readonly isAlive: IsAlive;
}

export interface State extends MemoryOptions {
  entries: Map<TaskId, Entry>;
  lastSeq: number;
  readonly meta: Map<string, string>;
}

export const all = (state: State): Entry[] => [...state.entries.values()];

export const derived = (state: State): Derived => derive(state.entries);

export const show = (state: State, id: TaskId): Task => derived(state).show(entryOf(state, id));

export function entryOf(state: State, id: TaskId): Entry {
  const entry = state.entries.get(id);
  if (entry === undefined) throw noSuchTask(id);
  return entry;
}

export function put(state: State, entry: Entry): void {
  keep(state, { ...entry, updatedAt: state.clock() });
}

/** For what is about the task, not of it: leases, notes. */
export function keep(state: State, entry: Entry): void {
  state.entries.set(entry.id, entry);
}

export function logged(
  state: State,
  entry: Entry,
  { by, kind, text }: { by: Actor; kind: string; text: string },
): Entry {
  return { ...entry, log: [...entry.log, { at: state.clock(), by, kind, text }] };
}

/** Sets the state; a claim that was open is closed. */
export function entered(state: State, entry: Entry, next: { fields: StateFields; close?: object }): Entry {
  const { status, ...fields } = next.fields;
  const now = state.clock();
  return {
    ...entry,
    ...fields,
    own: status,
    lease: undefined,
    endedAt: status === "failed" || isSettled(status) ? now : entry.endedAt,
    attemptLog: entry.attemptLog.map((attempt) =>
      attempt.endedAt === undefined ? { ...attempt, endedAt: now, outcome: "lost", ...next.close } : attempt,
    ),
  };
}

/** Frees what nobody works on any more, except where a verdict waits to be finished. */
export function sweep(state: State): void {
  for (const entry of all(state)) {
    if (entry.lease === undefined || hasOpenVerdict(entry)) continue;
    const untilMs = endOfLease(entry.lease, state.clock());
    if (gone(state, entry.lease)) put(state, lost(state, entry));
    else if (untilMs !== entry.lease.untilMs) keep(state, { ...entry, lease: { ...entry.lease, untilMs } });
  }
}

export const gone = (state: State, lease: StoredLease): boolean => isGone(lease, state.clock(), state.isAlive);

export function lost(state: State, entry: Entry): Entry {
  const after = entered(state, entry, { fields: { ...entry, status: "pending", retry: false } });
  return logged(state, after, { by: "loop", kind: "lost", text: "Its worker is gone." });
}

/** A claim that was proven and not settled. */
export const hasOpenVerdict = ({ lease, attemptLog }: Entry): boolean =>
  lease !== undefined && attemptLog.at(-1)?.verdict !== undefined;

export function refuseIfHeld(state: State, entry: Entry): void {
  if (entry.lease && !gone(state, entry.lease)) throw busyTaskError(entry.id, entry.lease.owner);
}

export function holderOf(state: State, lease: Lease): Entry | undefined {
  const entry = state.entries.get(lease.task);
  const holds = entry?.lease && entry.fence === lease.fence && sameOwner(entry.lease.owner, lease.owner);
  return holds ? entry : undefined;
}
