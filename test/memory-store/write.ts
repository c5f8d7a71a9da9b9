import { cycleByParent, endOf, findPath, startOf, waitGraph, withoutParent } from "../../src/domain/dag.ts";
import { afterChange, afterLimit, cleanChange } from "../../src/domain/settlement.ts";
import { type ChangeWhen, checkWhen, type TaskEdits, type TaskUpdate } from "../../src/domain/task-edits.ts";
import { cleanPatch, cleanTask, type CleanTask } from "../../src/domain/task-input.ts";
import type { TaskId } from "../../src/domain/task.ts";
import { type Actor, changeText, transition } from "../../src/domain/transition.ts";
import {
  cycleError,
  relativeError,
  neededError,
  parentError,
  verifiedError,
  unknownNeed,
  unknownParent,
} from "../../src/store/task-errors.ts";
import type { Store } from "../../src/store/store.ts";
import { addAll } from "./add.ts";
import type { Entry } from "./entry.ts";
import {
  derived,
  entered,
  entryOf,
  gone,
  hasOpenVerdict,
  keep,
  logged,
  put,
  refuseIfHeld,
  show,
  type State,
} from "./state.ts";

export const writes = (state: State): Additions & Edits => ({ ...additions(state), ...edits(state) });

type Additions = Pick<Store, "add" | "addStream">;
type Edits = Pick<Store, "update" | "apply" | "addDependency" | "removeDependency" | "remove" | "change">;

function additions(state: State): Additions {
  return {
    async add(tasks, { onExisting, by } = {}) {
      const { ids } = addAll(state, tasks.map(cleanTask), onExisting);
      if (by === undefined) return ids;
      for (const id of ids) keep(state, logged(state, entryOf(state, id), { by, kind: "added", text: "" }));
      return ids;
    },
    async addStream(chunks, options) {
      const tasks: CleanTask[] = [];
      for await (const chunk of chunks) {
        for (const task of chunk) tasks.push(cleanTask(task));
        options?.onProgress?.(tasks.length, "read");
      }
      const { ids, updated, kept } = addAll(state, tasks, options?.onExisting);
      return { added: ids.length, updated, kept };
    },
  };
}

function edits(state: State): Edits {
  return {
    async update(id, patch, by) {
      edit(state, { id, patch }, by);
      return show(state, id);
    },
    apply: async (edits, by) => allOrNothing(state, () => applyAll(state, edits, by)),
    addDependency: async (id, needs) => addEdge(state, id, needs),
    removeDependency: async (id, needs) => removeEdge(state, id, needs),
    async remove(id) {
      const now = derived(state);
      const going = now.subtree(entryOf(state, id)).sort((a, b) => a.seq - b.seq);
      for (const entry of going) refuseIfHeld(state, entry);
      for (const entry of going) {
        const outside = now.dependents(entry).filter((other) => !going.includes(other));
        const names = outside.slice(0, 10).map((other) => other.id);
        if (names.length > 0) throw neededError(entry.id, names);
      }
      for (const entry of going) state.entries.delete(entry.id);
      return going.length;
    },
    async change(id, change, by) {
      changeEntry(state, id, { change, by });
      return show(state, id);
    },
  };
}

function edit(state: State, { id, patch }: TaskUpdate, by: Actor): void {
  const { parent, ...fields } = cleanPatch(patch);
  const entry = entryOf(state, id);
  if (parent) refuseParent(state, entry, parent);
  const plain = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value ?? undefined]));
  const next = { ...entry, ...plain, ...(parent !== undefined && { parent: parent ?? undefined }) };
  const decided = next.own === "failed" && fields.attemptLimit !== undefined ? afterLimit(next) : {};
  const text = Object.keys(patch).sort().join(", ");
  put(state, logged(state, { ...next, ...decided }, { by, kind: "edited", text }));
}

function addEdge(state: State, id: TaskId, needs: TaskId): void {
  const [entry, need] = [entryOf(state, id), entryOf(state, needs)];
  if (entry.needs.includes(needs)) return;
  const now = derived(state);
  const kin = id !== needs && (now.ancestors(entry).includes(need) || now.ancestors(need).includes(entry));
  if (kin) throw relativeError(id, needs);
  const path = findPath(waitGraph(now.links), endOf(need.seq), startOf(entry.seq));
  if (path) throw cycleError([startOf(entry.seq), ...path], (seq) => now.bySeq.get(seq)!.id);
  put(state, { ...entry, needs: [...entry.needs, needs] });
}

function removeEdge(state: State, id: TaskId, needs: TaskId): void {
  const entry = entryOf(state, id);
  entryOf(state, needs);
  if (entry.needs.includes(needs)) put(state, { ...entry, needs: entry.needs.filter((need) => need !== needs) });
}

function changeEntry(state: State, id: TaskId, { by, ...told }: Pick<ChangeWhen, "change" | "by">): void {
  const entry = entryOf(state, id);
  if (derived(state).isParent(entry)) throw parentError(id);
  const change = cleanChange(told.change, by);
  const status = transition({ id, status: entry.own }, change, by).at(-1)!;
  refuseIfHeld(state, entry);
  if (hasOpenVerdict(entry)) throw verifiedError(id);
  const fields = afterChange({ ...entry, status: entry.own }, change, status);
  const after = entered(state, entry, { fields });
  put(state, logged(state, after, { by, kind: change.kind, text: changeText(change) }));
}

/** Entries are never changed in place, so the old map is the old state. */
function allOrNothing(state: State, work: () => void): void {
  const { entries, lastSeq } = state;
  const meta = [...state.meta];
  state.entries = new Map(entries);
  try {
    work();
  } catch (error) {
    state.entries = entries;
    state.lastSeq = lastSeq;
    state.meta.clear();
    for (const [key, value] of meta) state.meta.set(key, value);
    throw error;
  }
}

function applyAll(state: State, { add = [], update = [], change = [], meta = [], when }: TaskEdits, by: Actor): void {
  checkWhen({ when }, (key) => JSON.parse(state.meta.get(key) ?? "null") ?? undefined);
  for (const { id, patch, needs } of update) {
    const entry = entryOf(state, id);
    const kept = needs && entry.needs.filter((need) => needs.includes(need));
    if (kept && kept.length < entry.needs.length) put(state, { ...entry, needs: kept });
    const isMoving = patch.parent !== undefined && entry.parent !== undefined && patch.parent !== entry.parent;
    if (isMoving) keep(state, { ...entryOf(state, id), parent: undefined });
  }
  addAll(state, add.map(cleanTask));
  for (const one of update) {
    edit(state, one, by);
    for (const need of one.needs ?? []) {
      if (!state.entries.has(need)) throw unknownNeed(one.id, need);
      addEdge(state, one.id, need);
    }
  }
  for (const one of change) if (isStillSo(state, one)) changeEntry(state, one.id, one);
  for (const { key, value } of meta) {
    if (value === undefined) state.meta.delete(key);
    else state.meta.set(key, JSON.stringify(value));
  }
}

function isStillSo(state: State, { id, when }: ChangeWhen): boolean {
  const entry = entryOf(state, id);
  const isHeld = entry.lease !== undefined && (hasOpenVerdict(entry) || !gone(state, entry.lease));
  return !derived(state).isParent(entry) && entry.own === when && !isHeld;
}

function refuseParent(state: State, entry: Entry, parent: TaskId): void {
  if (!state.entries.has(parent)) throw unknownParent(entry.id, parent);
  if (parent === entry.parent) return;
  const now = derived(state);
  const path = cycleByParent(waitGraph(withoutParent(now.links, entry.seq)), entry.seq, entryOf(state, parent).seq);
  if (path) throw cycleError(path, (task) => now.bySeq.get(task)!.id);
}
