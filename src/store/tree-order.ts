import type { TaskId } from "../domain/task.ts";
import { type Row, toTask } from "./rows.ts";
import type { TreeEntry } from "./store.ts";

/** With a stack of its own: a tree may be as deep as it has tasks. */
export function inOrder(rows: readonly Row[], root: TaskId | undefined): TreeEntry[] {
  const here = new Set(rows.map((row) => row["seq"]));
  const below = new Map<Row[string], Row[]>();
  for (const row of rows) {
    const isTop = root === undefined ? !here.has(row["parent"]) : row["id"] === root;
    const parent = isTop ? null : row["parent"]!;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [row]);
    else siblings.push(row);
  }
  const entries: TreeEntry[] = [];
  const stack = (below.get(null) ?? []).map((row) => ({ row, depth: 0 })).reverse();
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    entries.push({ depth: top.depth, task: toTask(top.row) });
    for (const row of (below.get(top.row["seq"]!) ?? []).toReversed()) stack.push({ row, depth: top.depth + 1 });
  }
  return entries;
}
