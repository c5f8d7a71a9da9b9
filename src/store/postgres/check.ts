import { groupBy } from "../../domain/group.ts";
import { endOf, findCycle, startOf, type TaskLinks, waitersOf, waitGraph } from "../../domain/dag.ts";
import type { TaskId, TaskStatus } from "../../domain/task.ts";
import type { PgRow } from "../../system/postgres.ts";
import { isGone } from "../lease.ts";
import { deadLease, waitsForever } from "../problems.ts";
import { leaseOwner, storedLease } from "../rows.ts";
import type { Problem } from "../store.ts";
import { cycleError } from "../task-errors.ts";
import { all, type Database } from "./connection.ts";

/** Compares what the triggers keep with its definition. What a row has from itself cannot be wrong. */
export async function findProblems(c: Database): Promise<Problem[]> {
  const rows = await all(c, "SELECT *, @now AS now FROM ralphctl.task WHERE repository = @repo ORDER BY seq");
  const edges = await all(c, "SELECT blocked, blocker FROM ralphctl.dependency WHERE repository = @repo");
  const bySeq = new Map(rows.map((row) => [row["seq"] as number, row]));
  const graph = waitGraph(linksOf(rows, edges, bySeq));
  const cycle = findCycle(
    [...bySeq.keys()].flatMap((seq) => [startOf(seq), endOf(seq)]),
    graph.next,
  );
  const cycles = cycle ? [cycleError(cycle, (seq) => idOf(bySeq.get(seq)!)).message] : [];
  const leases = rows.filter(
    (row) => row["lease_until"] !== null && isGone(storedLease(row)!, row["now"] as number, c.isAlive),
  );
  return [
    ...(await wrongCounts(c)),
    ...cycles.map((message): Problem => ({ kind: "cycle", task: undefined, message })),
    ...leases.map((row) => deadLease(idOf(row), leaseOwner(row), row["has_verdict"] === 1 ? "verdict" : "none")),
    ...stuck(bySeq, graph),
  ];
}

const idOf = (row: PgRow): TaskId => row["id"] as TaskId;

function linksOf(rows: readonly PgRow[], edges: readonly PgRow[], bySeq: ReadonlyMap<number, PgRow>): TaskLinks {
  const needs = groupBy(edges, (edge) => edge["blocked"]);
  const dependents = groupBy(edges, (edge) => edge["blocker"]);
  const children = groupBy(rows, (row) => row["parent"]);
  const numbers = (found: readonly PgRow[] | undefined, column: string): number[] =>
    (found ?? []).map((row) => row[column] as number);
  return {
    needs: (task) => numbers(needs.get(task), "blocker"),
    dependents: (task) => numbers(dependents.get(task), "blocked"),
    children: (task) => numbers(children.get(task), "seq"),
    parent: (task) => (bySeq.get(task)?.["parent"] as number | null) ?? undefined,
  };
}

async function wrongCounts(c: Database): Promise<Problem[]> {
  const rows = await all(
    c,
    `SELECT t.id FROM ralphctl.task AS t WHERE t.repository = @repo AND (
       (t.children, t.n_failed, t.n_in_progress, t.n_done, t.n_dropped) <> (
         SELECT count(*), count(*) FILTER (WHERE k.status = 'failed'), count(*) FILTER (WHERE k.status = 'in_progress'),
           count(*) FILTER (WHERE k.status = 'done'), count(*) FILTER (WHERE k.status = 'dropped')
         FROM ralphctl.task AS k WHERE k.repository = @repo AND k.parent = t.seq)
       OR t.open_needs <> (
         SELECT count(*) FROM ralphctl.dependency AS d JOIN ralphctl.task AS b ON b.repository = @repo AND b.seq = d.blocker
         WHERE d.repository = @repo AND d.blocked = t.seq AND b.status NOT IN ('done', 'dropped'))
       OR t.held <> coalesce((
         SELECT (p.open_needs + p.held > 0)::integer FROM ralphctl.task AS p WHERE p.repository = @repo AND p.seq = t.parent), 0)
     ) ORDER BY t.seq`,
  );
  return rows.map((row) => ({ kind: "counter", task: idOf(row), message: `The counts of ${idOf(row)} are wrong` }));
}

/** Tasks that cannot become ready unless a person acts, each with the task to act on. */
function stuck(bySeq: ReadonlyMap<number, PgRow>, graph: ReturnType<typeof waitGraph>): Problem[] {
  const needsPerson = (row: PgRow): boolean =>
    row["is_group"] === 0 && (row["status"] === "parked" || (row["status"] === "failed" && row["retry"] === 0));
  const roots = [...bySeq].filter(([, row]) => needsPerson(row)).map(([seq]) => seq);
  return [...waitersOf(graph, roots)]
    .sort(([a], [b]) => a - b)
    .flatMap(([seq, root]) => {
      const [row, cause] = [bySeq.get(seq)!, bySeq.get(root)!];
      const isWaiting = row["status"] === "pending" && row["is_group"] === 0 && row["queue"] === null;
      return isWaiting ? [waitsForever(idOf(row), { id: idOf(cause), status: cause["status"] as TaskStatus })] : [];
    });
}
