import { waitersOf, waitGraph } from "../../src/domain/dag.ts";
import { type Task, type TaskStatus, taskStatuses } from "../../src/domain/task.ts";
import type { StoredLease } from "../../src/store/lease.ts";
import { deadLease, waitsForever } from "../../src/store/problems.ts";
import type { Problem, ScopeCounts, TreeEntry, TreeFilter } from "../../src/store/store.ts";
import type { Derived } from "./derive.ts";
import type { Entry } from "./entry.ts";
import { hasOpenVerdict } from "./state.ts";

export function treeOf(state: Derived, entries: readonly Entry[], filter: TreeFilter): TreeEntry[] {
  const isTop = (entry: Entry): boolean =>
    filter.root === undefined
      ? !entries.some((other) => other.id === entry.parent && (filter.scopes?.includes(other.scope) ?? true))
      : entry.id === filter.root;
  const chosen = entries.filter((entry) => filter.scopes?.includes(entry.scope) ?? true);
  const stack = chosen
    .filter(isTop)
    .map((entry) => ({ entry, depth: 0 }))
    .reverse();
  const found: TreeEntry[] = [];
  while (stack.length > 0) {
    const { entry, depth } = stack.pop()!;
    found.push({ depth, task: state.show(entry) });
    const below = chosen.filter((other) => other.parent === entry.id).reverse();
    stack.push(...below.map((child) => ({ entry: child, depth: depth + 1 })));
  }
  return found;
}

export function countsOf(tasks: readonly Task[], scopes: readonly string[] | undefined): ScopeCounts[] {
  const found = [...new Set(tasks.map((task) => task.scope))].filter((scope) => scopes?.includes(scope) ?? true);
  return found.sort().map((scope) => {
    const here = tasks.filter((task) => task.scope === scope);
    const leaves = here.filter((task) => !task.isParent);
    const per = (some: readonly Task[]): Record<TaskStatus, number> =>
      Object.fromEntries(
        taskStatuses.map((status) => [status, some.filter((task) => task.status === status).length]),
      ) as Record<TaskStatus, number>;
    return {
      scope,
      all: per(here),
      leaves: per(leaves),
      ready: leaves.filter((task) => task.ready).length,
      blocked: leaves.filter((task) => task.blocked).length,
      retry: leaves.filter((task) => task.status === "failed" && task.retry).length,
    };
  });
}

export function findProblems(
  state: Derived,
  entries: readonly Entry[],
  isGone: (lease: StoredLease) => boolean,
): Problem[] {
  const isRoot = (entry: Entry): boolean =>
    !state.isParent(entry) && (entry.own === "parked" || (entry.own === "failed" && !entry.retry));
  const why = waitersOf(
    waitGraph(state.links),
    entries.filter(isRoot).map((entry) => entry.seq),
  );
  const stuck = entries
    .filter((entry) => why.has(entry.seq) && state.show(entry).blocked)
    .map((entry) => {
      const root = state.bySeq.get(why.get(entry.seq)!)!;
      return waitsForever(entry.id, { id: root.id, status: root.own });
    });
  const leases = entries
    .filter((entry) => entry.lease !== undefined && isGone(entry.lease))
    .map((entry) => deadLease(entry.id, entry.lease!.owner, hasOpenVerdict(entry) ? "verdict" : "none"));
  return [...leases, ...stuck];
}
