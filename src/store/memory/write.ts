import { cycleByParent, endOf, findCycle, findPath, startOf, waitGraph, withoutParent } from "../../domain/dag.ts";
import { afterChange, mayRetry } from "../../domain/settlement.ts";
import { cleanPatch, cleanTask, type NewTask } from "../../domain/task-input.ts";
import type { TaskId } from "../../domain/task.ts";
import { changeText, transition } from "../../domain/transition.ts";
import { closesCycle, idTaken, isKin, isNeeded, isParent, unknownNeed, unknownParent } from "../refusal.ts";
import type { Store } from "../store.ts";
import { derive } from "./derive.ts";
import { type Entry, newEntry } from "./entry.ts";
import { derived, entered, entryOf, logged, put, refuseIfHeld, show, type State } from "./state.ts";

export const writes = (state: State): Additions & Edits => ({ ...additions(state), ...edits(state) });

type Additions = Pick<Store, "add" | "addStream">;
type Edits = Pick<Store, "update" | "addDependency" | "removeDependency" | "remove" | "change">;

function additions(state: State): Additions {
  return {
    add: async (tasks, options) => addAll(state, tasks, options?.onExisting),
    async addStream(chunks, options) {
      const tasks: NewTask[] = [];
      for await (const chunk of chunks) {
        for (const task of chunk) tasks.push(task);
        options?.onProgress?.(tasks.length);
      }
      return addAll(state, tasks, options?.onExisting).length;
    },
  };
}

function edits(state: State): Edits {
  return {
    async update(id, patch, by) {
      const { parent, ...fields } = cleanPatch(patch);
      const entry = entryOf(state, id);
      if (parent) refuseParent(state, entry, parent);
      const plain = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value ?? undefined]));
      const next = { ...entry, ...plain, ...(parent !== undefined && { parent: parent ?? undefined }) };
      const retry = next.own === "failed" && fields.attemptLimit !== undefined ? mayRetry(next) : next.retry;
      const text = Object.keys(patch).sort().join(", ");
      put(state, logged(state, { ...next, retry }, { by, kind: "edited", text }));
      return show(state, id);
    },
    async addDependency(id, needs) {
      const [entry, need] = [entryOf(state, id), entryOf(state, needs)];
      if (entry.needs.includes(needs)) return;
      const now = derived(state);
      const kin = id !== needs && (now.ancestors(entry).includes(need) || now.ancestors(need).includes(entry));
      if (kin) throw isKin(id, needs);
      const path = findPath(waitGraph(now.links), endOf(need.seq), startOf(entry.seq));
      if (path) throw closesCycle([startOf(entry.seq), ...path], (seq) => now.bySeq.get(seq)!.id);
      put(state, { ...entry, needs: [...entry.needs, needs] });
    },
    async removeDependency(id, needs) {
      const entry = entryOf(state, id);
      entryOf(state, needs);
      if (entry.needs.includes(needs)) put(state, { ...entry, needs: entry.needs.filter((need) => need !== needs) });
    },
    async remove(id) {
      const now = derived(state);
      const going = now.subtree(entryOf(state, id)).sort((a, b) => a.seq - b.seq);
      for (const entry of going) refuseIfHeld(state, entry);
      for (const entry of going) {
        const outside = now.dependents(entry).filter((other) => !going.includes(other));
        const names = outside.slice(0, 10).map((other) => other.id);
        if (names.length > 0) throw isNeeded(entry.id, names);
      }
      for (const entry of going) state.entries.delete(entry.id);
      return going.length;
    },
    async change(id, change, by) {
      const entry = entryOf(state, id);
      if (derived(state).isParent(entry)) throw isParent(id);
      const status = transition({ id, status: entry.own }, change, by).at(-1)!;
      refuseIfHeld(state, entry);
      const fields = afterChange({ ...entry, status: entry.own }, change, status);
      const after = entered(state, entry, { fields });
      put(state, logged(state, after, { by, kind: change.kind, text: changeText(change) }));
      return show(state, id);
    },
  };
}

function addAll(state: State, inputs: readonly NewTask[], onExisting: "refuse" | "skip" = "refuse"): TaskId[] {
  const next = new Map(state.entries);
  let seq = state.lastSeq;
  const isOld = (id: TaskId | undefined): boolean => id !== undefined && state.entries.has(id);
  const added: Entry[] = [];
  for (const task of inputs.map(cleanTask)) {
    if (onExisting === "skip" && isOld(task.id)) continue;
    let id = task.id ?? state.newId();
    while (task.id === undefined && next.has(id)) id = state.newId();
    if (next.has(id)) throw idTaken(id);
    const entry = newEntry(task, { id, seq: ++seq, now: state.clock() });
    next.set(id, entry);
    added.push(entry);
  }
  for (const { id, needs, parent } of added) {
    const missing = needs.find((need) => !next.has(need));
    if (missing !== undefined) throw unknownNeed(id, missing);
    if (parent !== undefined && !next.has(parent)) throw unknownParent(id, parent);
  }
  refuseParentLoop(added, next);
  const after = derive(next);
  const nodes = added.flatMap((entry) => [startOf(entry.seq), endOf(entry.seq)]);
  const cycle = findCycle(nodes, waitGraph(after.links).next);
  if (cycle) throw closesCycle(cycle, (task) => after.bySeq.get(task)!.id);
  state.entries = next;
  state.lastSeq = seq;
  return added.map((entry) => entry.id);
}

/** Before anything is derived: who is beneath whom must not go round, or nothing above would end. */
function refuseParentLoop(added: readonly Entry[], entries: ReadonlyMap<TaskId, Entry>): void {
  const up = (entry: Entry): Entry[] => (entry.parent === undefined ? [] : [entries.get(entry.parent)!]);
  const loop = findCycle(added, up);
  const bySeq = new Map(loop?.map((entry) => [entry.seq, entry.id]));
  if (loop) {
    throw closesCycle(
      loop.map((entry) => startOf(entry.seq)),
      (task) => bySeq.get(task)!,
    );
  }
}

function refuseParent(state: State, entry: Entry, parent: TaskId): void {
  if (!state.entries.has(parent)) throw unknownParent(entry.id, parent);
  if (parent === entry.parent) return;
  const now = derived(state);
  const path = cycleByParent(waitGraph(withoutParent(now.links, entry.seq)), entry.seq, entryOf(state, parent).seq);
  if (path) throw closesCycle(path, (task) => now.bySeq.get(task)!.id);
}
