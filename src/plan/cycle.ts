import { endOf, findCycle, tasksOnPath, waitGraph } from "../domain/dag.ts";
import type { PlanEntry } from "./entry.ts";

/** Entries that would wait for each other, as a path that ends where it began; undefined when none do. */
export function cycleIn(entries: readonly PlanEntry[]): PlanEntry[] | undefined {
  if (entries.every(({ needs }) => needs.length === 0)) return undefined;
  const at = new Map(entries.map(({ key }, index) => [key, index]));
  const children = new Map<number, number[]>();
  for (const [index, { parentKey }] of entries.entries()) {
    const parent = parentKey === undefined ? undefined : at.get(parentKey);
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings) siblings.push(index);
    else children.set(parent, [index]);
  }
  const graph = waitGraph({
    needs: (index) => entries[index]!.needs.map((key) => at.get(key)!),
    children: (index) => children.get(index) ?? [],
    parent: (index) => at.get(entries[index]!.parentKey ?? ""),
    dependents: () => [],
  });
  const path = findCycle(
    [...entries.keys()].map((index) => endOf(index)),
    graph.next,
  );
  return path && tasksOnPath(path).map((index) => entries[index]!);
}
