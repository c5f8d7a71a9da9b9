import { groupBy } from "../group.ts";
import type { TaskId } from "../task.ts";
import type { GraphTask } from "./graph.ts";
import { inOrder, type Layers, rowsOf } from "./layers.ts";

/** The position of each task in a picture. Columns run from prerequisites to dependents. */
export interface Layout {
  readonly places: ReadonlyMap<TaskId, GridPlace>;
  readonly columns: number;
  readonly rows: number;
  readonly edges: readonly Edge[];
}

/** Rows are at least one apart, but need not be whole. */
export interface GridPlace {
  readonly column: number;
  readonly row: number;
}

/** `part`: from a part to its whole, which ends after it. */
export interface Edge {
  readonly from: TaskId;
  readonly to: TaskId;
  readonly kind: "need" | "part";
  /** Where it passes the columns between its ends, so that it meets no task there. */
  readonly through: readonly GridPlace[];
}

type Link = Omit<Edge, "through">;
type Linked = Pick<GraphTask, "id" | "parent" | "needs">;

/**
 * Lays a graph out. Within each part that hangs together, what is needed comes before what needs it, and neighbours stand
 * near each other. The parts are set side by side, large ones first, so that the whole is about as wide as a screen.
 */
export function layOut(tasks: readonly Linked[]): Layout {
  const links = linksOf(tasks);
  const all = connected(tasks, links).map((part) => wrapped(layOutPart(part, links)));
  const [places, edges] = [new Map<TaskId, GridPlace>(), [] as Edge[]];
  const size = setSideBySide(all, (part, at) => {
    const moved = ({ column, row }: GridPlace): GridPlace => ({ column: column + at.column, row: row + at.row });
    for (const [id, place] of part.places) places.set(id, moved(place));
    for (const edge of part.edges) edges.push({ ...edge, through: edge.through.map(moved) });
  });
  return { places, edges, ...size };
}

/** Those that lead from one task of the picture to another. */
function linksOf(tasks: readonly Linked[]): ReadonlyMap<TaskId, readonly Link[]> {
  const known = new Set(tasks.map(({ id }) => id));
  const links = tasks.flatMap(({ id, parent, needs }) => [
    ...needs.filter((need) => known.has(need)).map((need): Link => ({ from: need, to: id, kind: "need" })),
    ...(parent !== undefined && known.has(parent) ? [{ from: id, to: parent, kind: "part" } as const] : []),
  ]);
  return groupBy(links, ({ from }) => from);
}

/** The parts of a graph between which no edge leads; large ones first. */
function connected(tasks: readonly Linked[], links: ReadonlyMap<TaskId, readonly Link[]>): (readonly TaskId[])[] {
  const heads = new Map<TaskId, TaskId>(tasks.map(({ id }) => [id, id]));
  const headOf = (id: TaskId): TaskId => {
    let head = id;
    while (heads.get(head) !== head) {
      heads.set(head, heads.get(heads.get(head)!)!);
      head = heads.get(head)!;
    }
    return head;
  };
  for (const group of links.values()) for (const { from, to } of group) heads.set(headOf(to), headOf(from));
  const parts = [...groupBy(tasks, ({ id }) => headOf(id)).values()].map((part) => part.map(({ id }) => id));
  return parts.toSorted((one, other) => other.length - one.length);
}

/** More points than these slow the layout down, and nobody could follow such an edge. */
const MOST_POINTS = 20_000;

function layOutPart(ids: readonly TaskId[], linksFrom: ReadonlyMap<TaskId, readonly Link[]>): Layout {
  const links = ids.flatMap((id) => linksFrom.get(id) ?? []);
  const columns = columnsOf(ids, links);
  const numbers = new Map(ids.map((id, at) => [id, at]));
  const grid: number[][] = [];
  ids.forEach((id, at) => (grid[columns.get(id)!] ??= []).push(at));
  const [before, after]: [number[][], number[][]] = [ids.map(() => []), ids.map(() => [])];
  const connect = (from: number, to: number): void => {
    after[from]!.push(to);
    before[to]!.push(from);
  };
  const points = new Map<Link, number[]>();
  const spanOf = ({ from, to }: Link): number => columns.get(to)! - columns.get(from)!;
  for (const link of links.toSorted((one, other) => spanOf(one) - spanOf(other))) {
    const span = spanOf(link);
    if (span < 1 || before.length - ids.length + span - 1 > MOST_POINTS) continue;
    let last = numbers.get(link.from)!;
    points.set(link, []);
    for (let column = columns.get(link.from)! + 1; column < columns.get(link.to)!; column += 1) {
      const point = before.length;
      before.push([]);
      after.push([]);
      grid[column]!.push(point);
      points.get(link)!.push(point);
      connect(last, point);
      last = point;
    }
    connect(last, numbers.get(link.to)!);
  }
  const layers: Layers = inOrder({ columns: grid, before, after, points: ids.length });
  const rows = rowsOf(layers);
  const placeAt = (column: number, node: number): GridPlace => ({ column, row: rows[node]! });
  const edges = links.map(({ from, to, kind }, index): Edge => {
    const first = columns.get(from)! + 1;
    const through = (points.get(links[index]!) ?? []).map((point, at) => placeAt(first + at, point));
    return { from, to, kind, through };
  });
  const places = new Map(ids.map((id, at) => [id, placeAt(columns.get(id)!, at)]));
  return { places, edges, columns: grid.length, rows: rows.reduce((most, row) => Math.max(most, row), 0) + 1 };
}

/**
 * One column after the last prerequisite; what needs nothing stands just before the first that needs it. The store has no
 * cycles, but the layout of one must still end.
 */
function columnsOf(ids: readonly TaskId[], links: readonly Link[]): Map<TaskId, number> {
  const columns = new Map<TaskId, number>(ids.map((id) => [id, 0]));
  const before = new Map<TaskId, number>(ids.map((id) => [id, 0]));
  const after = groupBy(links, ({ from }) => from);
  for (const { to } of links) before.set(to, before.get(to)! + 1);
  const first = ids.filter((id) => before.get(id) === 0);
  const free = [...first];
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    for (const { to } of after.get(id) ?? []) {
      columns.set(to, Math.max(columns.get(to)!, columns.get(id)! + 1));
      before.set(to, before.get(to)! - 1);
      if (before.get(to) === 0) free.push(to);
    }
  }
  for (const id of first) {
    const ends = (after.get(id) ?? []).map(({ to }) => columns.get(to)!);
    if (ends.length > 0) columns.set(id, Math.max(0, ends.reduce((least, end) => Math.min(least, end)) - 1));
  }
  return columns;
}

/** A column takes as much room as this many rows, and a screen is so much wider than high. */
const [COLUMN_IN_ROWS, SCREEN] = [5, 1.6];
/** What is shorter, or not this many times wider than a screen, is easier to read in one line. */
const [SHORT, LONG] = [12, 3];

/** A long chain goes on in the next line, like words. */
function wrapped(part: Layout): Layout {
  const { columns, rows } = part;
  if (columns <= SHORT || columns * COLUMN_IN_ROWS < LONG * SCREEN * rows) return part;
  const lines = Math.ceil(Math.sqrt((columns * COLUMN_IN_ROWS) / (SCREEN * (rows + 1))));
  const width = Math.ceil(columns / lines);
  const moved = ({ column, row }: GridPlace): GridPlace => ({
    column: column % width,
    row: row + Math.floor(column / width) * (rows + 1),
  });
  return {
    places: new Map(Array.from(part.places, ([id, place]) => [id, moved(place)])),
    edges: part.edges.map(({ from, to, kind, through }) => ({ from, to, kind, through: through.map(moved) })),
    columns: width,
    rows: (rows + 1) * Math.ceil(columns / width) - 1,
  };
}

/** Sets parts in lines, like words, and says where each goes; the size of the whole. */
function setSideBySide(
  parts: readonly Layout[],
  put: (part: Layout, at: GridPlace) => void,
): Pick<Layout, "columns" | "rows"> {
  const area = parts.reduce((sum, { columns, rows }) => sum + columns * COLUMN_IN_ROWS * rows, 0);
  const widest = parts.reduce((most, { columns }) => Math.max(most, columns), 0);
  const most = Math.max(widest, Math.round(Math.sqrt(area * SCREEN) / COLUMN_IN_ROWS));
  let [column, row, height, columns] = [0, 0, 0, 0];
  for (const part of parts) {
    if (column > 0 && column + part.columns > most) [column, row, height] = [0, row + height, 0];
    put(part, { column, row });
    column += part.columns;
    [height, columns] = [Math.max(height, part.rows), Math.max(columns, column)];
  }
  return { columns, rows: row + height };
}
