/**
 * A graph in columns. Every edge leads to the next column: longer ones pass through points that stand for no task.
 * Nodes are numbers.
 */
export interface Layers {
  /** The nodes of each column, from top to bottom. */
  readonly columns: readonly (readonly number[])[];
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
  /** From this number on, nodes are points of edges. */
  readonly points: number;
}

/** How often the columns are put in order, there and back: more changes little. */
const SWEEPS = 8;
/** In a larger graph a person follows no single edge, and each sweep takes longer. */
const [LARGE, SWEEPS_IF_LARGE] = [5000, 3];

/** Puts each column in an order in which few edges cross: the best of several tries. */
export function inOrder(layers: Layers): Layers {
  const { before, after } = layers;
  const places = new Float64Array(before.length);
  const count = (nodes: readonly number[]): void => nodes.forEach((node, at) => (places[node] = at));
  layers.columns.forEach(count);
  const wanted = new Float64Array(before.length);
  const sort = (nodes: readonly number[], near: Layers["before"]): readonly number[] => {
    for (const node of nodes) wanted[node] = middle(near[node]!, places) ?? places[node]!;
    const sorted = nodes.toSorted((one, other) => wanted[one]! - wanted[other]!);
    count(sorted);
    return sorted;
  };
  let columns = layers.columns;
  let best = { columns, crossings: crossingsIn(layers) };
  const sweeps = before.length > LARGE ? SWEEPS_IF_LARGE : SWEEPS;
  for (let sweep = 0; sweep < sweeps && best.crossings > 0; sweep += 1) {
    columns = columns.map((nodes) => sort(nodes, before));
    columns = columns
      .toReversed()
      .map((nodes) => sort(nodes, after))
      .toReversed();
    const crossings = crossingsIn({ ...layers, columns });
    if (crossings < best.crossings) best = { columns, crossings };
  }
  return { ...layers, columns: best.columns };
}

function middle(near: readonly number[], places: Float64Array): number | undefined {
  if (near.length === 0) return undefined;
  let sum = 0;
  for (const other of near) sum += places[other]!;
  return sum / near.length;
}

/** How many pairs of edges cross. */
function crossingsIn({ columns, after }: Layers): number {
  const places = new Uint32Array(after.length);
  for (const nodes of columns) nodes.forEach((node, place) => (places[node] = place));
  let crossings = 0;
  for (const [at, nodes] of columns.entries()) {
    // By end, how many edges of the nodes above end there: a tree of sums.
    const sums = new Uint32Array((columns[at + 1]?.length ?? 0) + 1);
    let seen = 0;
    for (const node of nodes) {
      const ends = after[node]!.map((other) => places[other]!);
      for (const end of ends) crossings += seen - sumUpTo(sums, end + 1);
      for (const end of ends) addOne(sums, end + 1);
      seen += ends.length;
    }
  }
  return crossings;
}

function addOne(sums: Uint32Array, at: number): void {
  for (let each = at; each < sums.length; each += each & -each) sums[each]! += 1;
}

function sumUpTo(sums: Uint32Array, end: number): number {
  let sum = 0;
  for (let each = end; each > 0; each -= each & -each) sum += sums[each]!;
  return sum;
}

const TURNS = 6;

/** The row of each node: as near to its neighbours as the order and the distance to the next node allow. */
export function rowsOf({ columns, before, after, points }: Layers): Float64Array {
  const rows = new Float64Array(before.length);
  // An edge that passes by needs less room than a task.
  const gap = (one: number, other: number): number =>
    one >= points && other >= points ? 0.3 : one >= points || other >= points ? 0.65 : 1;
  const offsets = columns.map((nodes) => {
    let sum = 0;
    return nodes.map((node, at) => (sum += at === 0 ? 0 : gap(nodes[at - 1]!, node)));
  });
  columns.forEach((nodes, at) => nodes.forEach((node, place) => (rows[node] = offsets[at]![place]!)));
  const place = (at: number, near: Layers["before"]): void => {
    const nodes = columns[at]!;
    const wanted = nodes.map((node, index) => (middle(near[node]!, rows) ?? rows[node]!) - offsets[at]![index]!);
    rising(wanted).forEach((row, index) => (rows[nodes[index]!] = row + offsets[at]![index]!));
  };
  const both = before.map((nodes, node) => [...nodes, ...after[node]!]);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const near = turn === TURNS - 1 ? both : before;
    for (let at = 1; at < columns.length; at += 1) place(at, near);
    for (let at = columns.length - 2; at >= 0; at -= 1) place(at, turn === TURNS - 1 ? both : after);
  }
  const top = rows.reduce((least, row) => Math.min(least, row), Infinity);
  return rows.map((row) => Math.round((row - top) * 100) / 100);
}

/** The numbers that never fall, and are nearest to the given ones. */
function rising(wanted: readonly number[]): number[] {
  const groups: { sum: number; size: number }[] = [];
  for (const value of wanted) {
    let group = { sum: value, size: 1 };
    for (
      let last = groups.at(-1);
      last !== undefined && last.sum / last.size > group.sum / group.size;
      last = groups.at(-1)
    ) {
      groups.pop();
      group = { sum: group.sum + last.sum, size: group.size + last.size };
    }
    groups.push(group);
  }
  return groups.flatMap(({ sum, size }) => Array.from({ length: size }, () => sum / size));
}
