import { groupBy } from "../group.ts";
import type { TaskId } from "../task.ts";
import type { GraphTask } from "./graph.ts";

/** The position of each task in a picture. Columns run from prerequisites to dependents. */
export interface Layout {
  readonly places: ReadonlyMap<TaskId, GridPlace>;
  readonly columns: number;
  /** Of the fullest column. */
  readonly rows: number;
  readonly edges: readonly Edge[];
}

export interface GridPlace {
  readonly column: number;
  readonly row: number;
}

/** `part`: from a part to its whole, which ends after it. */
export interface Edge {
  readonly from: TaskId;
  readonly to: TaskId;
  readonly kind: "need" | "part";
}

/** Lays a graph out. Tasks without prerequisites come first; within a column, neighbours stand near each other. */
export function layOut(tasks: readonly GraphTask[]): Layout {
  const edges = edgesOf(tasks);
  const columns = columnsOf(tasks, edges);
  const grid = ordered(gridOf(tasks, columns), edges);
  const places = new Map<TaskId, GridPlace>();
  for (const [column, ids] of grid.entries()) for (const [row, id] of ids.entries()) places.set(id, { column, row });
  return { places, edges, columns: grid.length, rows: Math.max(0, ...grid.map((ids) => ids.length)) };
}

/** Those that lead from one task of the picture to another. */
function edgesOf(tasks: readonly GraphTask[]): Edge[] {
  const known = new Set(tasks.map(({ id }) => id));
  return tasks.flatMap(({ id, parent, needs }) => [
    ...needs.filter((need) => known.has(need)).map((need): Edge => ({ from: need, to: id, kind: "need" })),
    ...(parent !== undefined && known.has(parent) ? [{ from: id, to: parent, kind: "part" } as const] : []),
  ]);
}

/** One column after the last prerequisite. The store has no cycles, but the layout of one must still end. */
function columnsOf(tasks: readonly GraphTask[], edges: readonly Edge[]): Map<TaskId, number> {
  const columns = new Map<TaskId, number>(tasks.map(({ id }) => [id, 0]));
  const before = new Map<TaskId, number>(tasks.map(({ id }) => [id, 0]));
  const after = groupBy(edges, ({ from }) => from);
  for (const { to } of edges) before.set(to, before.get(to)! + 1);
  const free = tasks.filter(({ id }) => before.get(id) === 0).map(({ id }) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    for (const { to } of after.get(id) ?? []) {
      columns.set(to, Math.max(columns.get(to)!, columns.get(id)! + 1));
      before.set(to, before.get(to)! - 1);
      if (before.get(to) === 0) free.push(to);
    }
  }
  return columns;
}

function gridOf(tasks: readonly GraphTask[], columns: ReadonlyMap<TaskId, number>): TaskId[][] {
  const grid: TaskId[][] = [];
  for (const { id } of tasks) (grid[columns.get(id)!] ??= []).push(id);
  return Array.from(grid, (ids) => ids ?? []);
}

/** How often the columns are put in order, there and back: more changes little. */
const SWEEPS = 4;

/** Each task goes to the mean of its neighbours in the columns before, then in those after. */
function ordered(grid: readonly (readonly TaskId[])[], edges: readonly Edge[]): readonly (readonly TaskId[])[] {
  const [before, after] = [groupBy(edges, ({ to }) => to), groupBy(edges, ({ from }) => from)];
  const rows = new Map<TaskId, number>();
  const count = (ids: readonly TaskId[]): void => ids.forEach((id, row) => rows.set(id, row));
  grid.forEach(count);
  const mean = (id: TaskId, near: readonly TaskId[]): number =>
    near.length === 0 ? rows.get(id)! : near.reduce((sum, other) => sum + rows.get(other)!, 0) / near.length;
  const sort = (ids: readonly TaskId[], near: (id: TaskId) => readonly TaskId[]): readonly TaskId[] => {
    const wanted = new Map(ids.map((id) => [id, mean(id, near(id))]));
    const sorted = ids.toSorted((one, other) => wanted.get(one)! - wanted.get(other)!);
    count(sorted);
    return sorted;
  };
  let result = grid;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    result = result.map((ids) => sort(ids, (id) => (before.get(id) ?? []).map(({ from }) => from)));
    result = result.toReversed().map((ids) => sort(ids, (id) => (after.get(id) ?? []).map(({ to }) => to)));
    result = result.toReversed();
  }
  return result;
}
