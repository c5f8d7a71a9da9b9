import { all, type Connection, get } from "./connection.ts";
import { blocksNow, fieldsIn, type HeldRow, rowsIn, type Holding } from "./held.ts";

export interface Differences {
  readonly changed: readonly Difference[];
  readonly deleted: readonly HeldRow[];
  readonly inserted: readonly HeldRow[];
}

export interface Difference {
  readonly held: HeldRow;
  readonly fields: readonly string[];
  readonly status: { readonly before: string; readonly found: string } | undefined;
}

/** What is not as it was, and did not become so through a store, which would have left a higher revision. */
export function compare(c: Connection, holding: Holding): Differences {
  const now = blocksNow(c, holding);
  const changed: Difference[] = [];
  const deleted: HeldRow[] = [];
  const inserted: HeldRow[] = [];
  for (let at = 0; at < Math.max(now.length, holding.blocks.length); at++) {
    const [before = "", after = ""] = [holding.blocks[at], now[at]];
    if (before === after) continue;
    const found = new Map(rowsIn(after).map((row) => [row.id, row]));
    for (const held of rowsIn(before)) {
      const row = found.get(held.id);
      found.delete(held.id);
      if (row === undefined) deleted.push(...(isMissing(c, held, holding) ? [held] : []));
      else if (row.revision <= held.revision) changed.push(...differences(holding, held, row));
    }
    for (const row of found.values()) if (row.revision === 0) inserted.push(row);
  }
  return { changed, deleted, inserted };
}

function isMissing(c: Connection, { id }: HeldRow, { at }: Holding): boolean {
  const isElsewhere = get(c, "SELECT 1 FROM task WHERE id = ?", id) !== undefined;
  return !isElsewhere && get(c, "SELECT 1 FROM removed WHERE id = ? AND at >= ?", id, at) === undefined;
}

function differences({ extent }: Holding, held: HeldRow, found: HeldRow): Difference[] {
  const different = fieldsIn(extent).flatMap(({ name }, at) =>
    held.values[at] === found.values[at] ? [] : [{ name, at }],
  );
  if (different.length === 0) return [];
  const state = different.find(({ name }) => name === "status")?.at;
  return [
    {
      held,
      fields: [...new Set(different.map(({ name }) => name))],
      status:
        state === undefined ? undefined : { before: String(held.values[state]), found: String(found.values[state]) },
    },
  ];
}

/** The number that the task has now which had this number then. */
export function heldIds(c: Connection, { blocks }: Holding): (held: number) => number | undefined {
  const now = new Map(all(c, "SELECT id, seq FROM task").map((row) => [row["id"] as string, row["seq"] as number]));
  const ids = new Map(blocks.flatMap((block) => rowsIn(block).map(({ seq, id }) => [seq, id])));
  const numbers = new Set(now.values());
  return (held) => {
    const id = ids.get(held);
    // One that is not held, of very many, has its number still.
    return id === undefined ? (numbers.has(held) ? held : undefined) : now.get(id);
  };
}
