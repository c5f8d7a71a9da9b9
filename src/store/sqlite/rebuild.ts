import { RalphError } from "../../domain/error.ts";
import { type TaskStatus, taskStatuses } from "../../domain/task.ts";
import type { SqliteRow } from "../../system/sqlite-driver.ts";
import { type Shape, worksOf } from "./batch-shape.ts";
import { workOut, type Worked } from "./batch.ts";
import { all, type Connection, run } from "./connection.ts";
import { idOf } from "./links.ts";

const DERIVED = "status, open_blockers, children, n_failed, n_in_progress, n_done, n_dropped";

/** Within a transaction: computes all derived columns again. Returns the numbers of the tasks where they were wrong. */
export function rebuild(c: Connection): number[] {
  const rows = all(c, `SELECT seq, parent, own, gates, keeps_work, ${DERIVED} FROM task ORDER BY seq`);
  const worked = worksOut(c, rows);
  if (worked === undefined) return [];
  const wrong: number[] = [];
  for (const [index, row] of rows.entries()) {
    const { status, blockers, counts } = worked(index);
    const should = [status, blockers, ...counts];
    const is = DERIVED.split(", ").map((column) => row[column]);
    if (should.every((value, at) => value === is[at])) continue;
    const sets = DERIVED.replaceAll(",", " = ?,");
    run(c, `UPDATE task SET ${sets} = ? WHERE seq = ?`, ...should, row["seq"]!);
    wrong.push(row["seq"] as number);
  }
  return wrong;
}

/** Undefined if the tasks have a cycle, which `ralphctl doctor` reports: then nothing can be derived. */
function worksOut(c: Connection, rows: readonly SqliteRow[]): Worked | undefined {
  const label = (number: number): string => idOf(c, rows[number - 1]!["seq"] as number);
  const missing = (): never => {
    throw new Error("All tasks are in the batch");
  };
  try {
    return workOut(shapeOf(c, rows), { find: missing, next: undefined, idOf: label });
  } catch (error) {
    if (error instanceof RalphError) return undefined;
    throw error;
  }
}

/** All tasks as one batch, numbered from 1 on without gaps. */
function shapeOf(c: Connection, rows: readonly SqliteRow[]): Shape {
  const numbers = new Map(rows.map((row, index) => [row["seq"], index + 1]));
  const edges = all(c, "SELECT blocked, blocker FROM dependency ORDER BY blocked");
  const needFrom = new Int32Array(rows.length + 1);
  for (const { blocked } of edges) needFrom[numbers.get(blocked)!]! += 1;
  for (const index of rows.keys()) needFrom[index + 1]! += needFrom[index]!;
  return {
    first: 1,
    count: rows.length,
    parents: Int32Array.from(rows, (row) => numbers.get(row["parent"]) ?? 0),
    needFrom,
    needs: Int32Array.from(edges, ({ blocker }) => numbers.get(blocker)!),
    own: Uint8Array.from(rows, (row) => taskStatuses.indexOf(row["own"] as TaskStatus)),
    works: Uint8Array.from(rows, (row) =>
      worksOf({ hasGates: row["gates"] !== null, keepsWork: row["keeps_work"] === 1 }),
    ),
  };
}
