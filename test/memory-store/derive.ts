import { countChildren, rollUp, type TaskLinks } from "../../src/domain/dag.ts";
import { isSettled, type Task, type TaskId, type TaskStatus } from "../../src/domain/task.ts";
import type { Entry } from "./entry.ts";

/** Everything that follows from the entries, worked out from the definitions. */
export interface Derived {
  readonly bySeq: ReadonlyMap<number, Entry>;
  readonly links: TaskLinks;
  readonly show: (entry: Entry) => Task;
  readonly isParent: (entry: Entry) => boolean;
  /** It, and all beneath it. */
  readonly subtree: (entry: Entry) => Entry[];
  readonly ancestors: (entry: Entry) => Entry[];
  readonly dependents: (entry: Entry) => Entry[];
  /** What may be claimed, in order: ready ones first, then failed ones that may be tried again. */
  readonly queue: () => Entry[];
}

export function derive(entries: ReadonlyMap<TaskId, Entry>): Derived {
  const bySeq = new Map([...entries.values()].map((entry) => [entry.seq, entry]));
  const childrenOf = groups(entries, (entry) => (entry.parent === undefined ? [] : [entry.parent]));
  const dependentsOf = groups(entries, (entry) => entry.needs);
  const children = (entry: Entry): readonly Entry[] => childrenOf.get(entry.id) ?? [];
  const dependents = (entry: Entry): Entry[] => [...(dependentsOf.get(entry.id) ?? [])];
  const statuses = allStatuses(entries, children);
  const isParent = (entry: Entry): boolean =>
    isGroup(
      entry,
      children(entry).map(({ id }) => statuses.get(id)!),
    );
  const ancestors = (entry: Entry): Entry[] => {
    const found: Entry[] = [];
    for (let up = entry.parent; up !== undefined; up = entries.get(up)!.parent) found.push(entries.get(up)!);
    return found;
  };
  const isOpen = (entry: Entry): boolean =>
    [entry, ...ancestors(entry)].some((one) => one.needs.some((need) => !isSettled(statuses.get(need)!)));
  const isReady = (entry: Entry): boolean => !isParent(entry) && entry.own === "pending" && !isOpen(entry);
  const mayRetry = (entry: Entry): boolean =>
    !isParent(entry) && entry.own === "failed" && entry.retry && !isOpen(entry);

  return {
    bySeq,
    links: {
      needs: (seq) => bySeq.get(seq)!.needs.map((id) => entries.get(id)!.seq),
      dependents: (seq) => dependents(bySeq.get(seq)!).map((entry) => entry.seq),
      children: (seq) => children(bySeq.get(seq)!).map((entry) => entry.seq),
      parent: (seq) => entries.get(bySeq.get(seq)!.parent ?? "")?.seq,
    },
    isParent,
    subtree(root) {
      const found = [root];
      for (const entry of found) found.push(...children(entry));
      return found;
    },
    ancestors,
    dependents,
    queue() {
      const all = [...entries.values()].sort((a, b) => a.priority - b.priority || a.seq - b.seq);
      return [...all.filter(isReady), ...all.filter(mayRetry)];
    },
    show(entry) {
      const { seq: _seq, own, fence, lease, attemptLog: _attempts, log: _log, ...shown } = entry;
      const { needs, retryLimit: _retryLimit, ...fields } = shown;
      const ready = isReady(entry);
      return {
        ...fields,
        needs: [...needs].sort((a, b) => entries.get(a)!.seq - entries.get(b)!.seq),
        status: statuses.get(entry.id)!,
        ready,
        blocked: own === "pending" && !isParent(entry) && !ready,
        isParent: isParent(entry),
        lease: lease && { owner: lease.owner, untilMs: lease.untilMs, run: lease.run, fence },
      };
    },
  };
}

/** Whether its status comes from its children: not if it keeps its work, nor if it has gates and they are settled. */
const isGroup = ({ keepsWork, gates }: Entry, below: readonly TaskStatus[]): boolean =>
  below.length > 0 && !keepsWork && (gates.length === 0 || !below.every(isSettled));

/** Children first. With a stack of its own: parents may be nested as deep as there are tasks. */
function allStatuses(
  entries: ReadonlyMap<TaskId, Entry>,
  children: (entry: Entry) => readonly Entry[],
): Map<TaskId, TaskStatus> {
  const statuses = new Map<TaskId, TaskStatus>();
  const order: Entry[] = [...entries.values()].filter((entry) => entry.parent === undefined);
  for (const entry of order) for (const child of children(entry)) order.push(child);
  for (const entry of order.reverse()) {
    const below = children(entry).map((child) => statuses.get(child.id)!);
    statuses.set(entry.id, isGroup(entry, below) ? rollUp(countChildren(below)) : entry.own);
  }
  return statuses;
}

function groups(entries: ReadonlyMap<TaskId, Entry>, keys: (entry: Entry) => readonly TaskId[]): Map<TaskId, Entry[]> {
  const found = new Map<TaskId, Entry[]>();
  for (const entry of entries.values()) {
    for (const key of keys(entry)) {
      const group = found.get(key);
      if (group === undefined) found.set(key, [entry]);
      else group.push(entry);
    }
  }
  return found;
}
