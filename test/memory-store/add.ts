import { endOf, findCycle, startOf, waitGraph } from "../../src/domain/dag.ts";
import { type CleanTask, oldestFirst } from "../../src/domain/task-input.ts";
import type { TaskId } from "../../src/domain/task.ts";
import { cycleError, idTaken, unknownNeed, unknownParent } from "../../src/store/task-errors.ts";
import { OVERWRITTEN } from "../../src/store/rows.ts";
import type { OnExisting } from "../../src/store/store.ts";
import { derive } from "./derive.ts";
import { type Entry, newEntry } from "./entry.ts";
import { gone, logged, lost, type State } from "./state.ts";

export interface Added {
  /** Of those that were not there before, in the order in which they were given. */
  readonly ids: TaskId[];
  readonly updated: number;
  readonly kept: number;
}

/** Adds or replaces all or none. They enter oldest first, as age is the order of entry. */
export function addAll(state: State, tasks: readonly CleanTask[], onExisting: OnExisting = "refuse"): Added {
  const { next, lastSeq, added, updated, kept } = sortOut(state, oldestFirst(tasks), onExisting);
  const changed = [...added.values(), ...updated];
  for (const { id, needs, parent } of changed) {
    const missing = needs.find((need) => !next.has(need));
    if (missing !== undefined) throw unknownNeed(id, missing);
    if (parent !== undefined && !next.has(parent)) throw unknownParent(id, parent);
  }
  refuseParentLoop(changed, next);
  const after = derive(next);
  const nodes = changed.flatMap((entry) => [startOf(entry.seq), endOf(entry.seq)]);
  const cycle = findCycle(nodes, waitGraph(after.links).next);
  if (cycle) throw cycleError(cycle, (task) => after.bySeq.get(task)!.id);
  state.entries = next;
  state.lastSeq = lastSeq;
  return { ids: tasks.flatMap((task) => added.get(task)?.id ?? []), updated: updated.length, kept };
}

interface SortedOut {
  readonly next: Map<TaskId, Entry>;
  readonly lastSeq: number;
  readonly added: ReadonlyMap<CleanTask, Entry>;
  readonly updated: readonly Entry[];
  readonly kept: number;
}

function sortOut(state: State, tasks: readonly CleanTask[], onExisting: OnExisting): SortedOut {
  const next = new Map(state.entries);
  const seen = new Set<TaskId>();
  const added = new Map<CleanTask, Entry>();
  const updated: Entry[] = [];
  let [lastSeq, kept] = [state.lastSeq, 0];
  for (const task of tasks) {
    let id = task.id ?? state.newId();
    while (task.id === undefined && next.has(id)) id = state.newId();
    const old = state.entries.get(id);
    if (seen.has(id) || (old && onExisting === "refuse")) throw idTaken(id);
    seen.add(id);
    if (old && (onExisting === "skip" || !isOutdated(state, old, task))) {
      kept += 1;
      continue;
    }
    const entry = old ? replaced(state, old, task) : newEntry(task, { id, seq: ++lastSeq, now: state.clock() });
    next.set(id, entry);
    if (old) updated.push(entry);
    else added.set(task, entry);
  }
  return { next, lastSeq, added, updated, kept };
}

function isOutdated(state: State, { lease, attemptLog, updatedAt }: Entry, task: CleanTask): boolean {
  const isHeld = lease !== undefined && (attemptLog.at(-1)?.verdict !== undefined || !gone(state, lease));
  return !isHeld && task.updatedAt !== undefined && task.updatedAt > updatedAt;
}

/** Age, log and attempts stay, all else is the task's. */
function replaced(state: State, old: Entry, task: CleanTask): Entry {
  const { seq, id, createdAt } = old;
  const free = old.lease ? lost(state, old) : old;
  const { fence, attemptLog, log } = free;
  const made = newEntry({ ...task, createdAt: task.createdAt ?? createdAt }, { id, seq, now: createdAt });
  const after = { ...made, fence, attemptLog, log };
  const isDone = task.status === "done";
  if (isDone === (old.own === "done")) return after;
  return logged(state, after, { by: "person", kind: isDone ? "complete" : "reset", text: OVERWRITTEN });
}

/** Before anything is derived: who is beneath whom must not go round, or nothing above would end. */
function refuseParentLoop(changed: readonly Entry[], entries: ReadonlyMap<TaskId, Entry>): void {
  const up = (entry: Entry): Entry[] => (entry.parent === undefined ? [] : [entries.get(entry.parent)!]);
  const loop = findCycle(changed, up);
  const bySeq = new Map(loop?.map((entry) => [entry.seq, entry.id]));
  if (loop) {
    throw cycleError(
      loop.map((entry) => startOf(entry.seq)),
      (task) => bySeq.get(task)!,
    );
  }
}
