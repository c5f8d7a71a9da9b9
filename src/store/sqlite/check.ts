import { endOf, findCycle, startOf, waitersOf, waitGraph } from "../../domain/dag.ts";
import type { TaskId, TaskStatus } from "../../domain/task.ts";
import type { SqliteRow } from "../../system/sqlite-driver.ts";
import { isGone } from "../lease.ts";
import { cycleError } from "../task-errors.ts";
import type { Problem } from "../store.ts";
import { all, type Connection, get } from "./connection.ts";
import { idOf, linksOf } from "./links.ts";
import { deadLease, waitsForever } from "../problems.ts";
import { leaseOwner, storedLease } from "../rows.ts";

/** Compares all derived values with their definition. */
export function findProblems(c: Connection): Problem[] {
  const integrity = all(c, "PRAGMA integrity_check(20)")
    .map((row) => row["integrity_check"] as string)
    .filter((line) => line !== "ok")
    .map((line): Problem => ({ kind: "integrity", task: undefined, message: `The database file is damaged: ${line}` }));
  if (integrity.length > 0) return integrity;
  return [
    ...orphanEdges(c),
    ...wrongStatuses(c),
    ...wrongChildCounts(c),
    ...wrongBlockers(c),
    ...wrongReady(c),
    ...cycles(c),
    ...deadLeases(c),
    ...stuck(c),
  ];
}

/** The tasks with a wrong derived value. */
export const wrongCounts = (c: Connection): Set<TaskId> =>
  new Set(
    [wrongStatuses, wrongChildCounts, wrongBlockers].flatMap((find) => find(c).flatMap(({ task }) => task ?? [])),
  );

const orphanEdges = (c: Connection): Problem[] =>
  all(c, "PRAGMA foreign_key_check").map((row) => ({
    kind: "integrity",
    task: undefined,
    message: `A row of ${row["table"]} points at nothing`,
  }));

/** Compares each row with its children's rows. There are no cycles of parents, so that is enough. */
const wrongStatuses = (c: Connection): Problem[] =>
  all(
    c,
    `SELECT id, status, CASE
       WHEN is_group = 0 THEN own
       WHEN n_failed > 0 THEN 'failed'
       WHEN n_done + n_dropped = children THEN iif(n_done > 0, 'done', 'dropped')
       WHEN n_in_progress > 0 THEN 'in_progress'
       ELSE 'pending'
     END AS should FROM task WHERE status IS NOT should`,
  ).map((row) => ({
    kind: "status",
    task: id(row),
    message: `${id(row)} shows ${row["status"]} and should show ${row["should"]}`,
  }));

const wrongChildCounts = (c: Connection): Problem[] =>
  all(
    c,
    `WITH sums AS (
       SELECT parent, count(*) AS n, sum(status = 'failed') AS f, sum(status = 'in_progress') AS i,
         sum(status = 'done') AS d, sum(status = 'dropped') AS x FROM task WHERE parent IS NOT NULL GROUP BY parent
     )
     SELECT id FROM task LEFT JOIN sums ON sums.parent = task.seq
     WHERE (children, n_failed, n_in_progress, n_done, n_dropped)
       IS NOT (coalesce(n, 0), coalesce(f, 0), coalesce(i, 0), coalesce(d, 0), coalesce(x, 0))`,
  ).map((row) => ({ kind: "counter", task: id(row), message: `The counts of the children of ${id(row)} are wrong` }));

const wrongBlockers = (c: Connection): Problem[] =>
  all(
    c,
    `SELECT id, open_blockers, (
         SELECT count(*) FROM dependency AS d JOIN task AS b ON b.seq = d.blocker
         WHERE d.blocked = t.seq AND b.status NOT IN ('done', 'dropped')
       ) + coalesce((SELECT p.open_blockers > 0 FROM task AS p WHERE p.seq = t.parent), 0) AS should
     FROM task AS t WHERE open_blockers <> should`,
  ).map((row) => ({
    kind: "counter",
    task: id(row),
    message: `${id(row)} counts ${row["open_blockers"]} open blockers and should count ${row["should"]}`,
  }));

/** The ready set by definition: pending leaves without an open need, their own or an ancestor's. */
const wrongReady = (c: Connection): Problem[] =>
  all(
    c,
    `WITH RECURSIVE held (seq) AS (
       SELECT d.blocked FROM dependency AS d JOIN task AS b ON b.seq = d.blocker WHERE b.status NOT IN ('done', 'dropped')
       UNION SELECT task.seq FROM held JOIN task ON task.parent = held.seq
     )
     SELECT id, queue FROM task AS t
     WHERE (queue IS 0) <> (
       own = 'pending' AND NOT EXISTS (
           SELECT 1 FROM task AS k WHERE k.parent = t.seq AND t.keeps_work = 0
             AND (t.gates IS NULL OR k.status NOT IN ('done', 'dropped'))
         ) AND t.seq NOT IN (SELECT seq FROM held)
     )`,
  ).map((row) => ({
    kind: "ready",
    task: id(row),
    message: `${id(row)} is ${row["queue"] === 0 ? "queued as ready, but it is not ready" : "ready, but it is not queued"}`,
  }));

function cycles(c: Connection): Problem[] {
  const nodes = function* (): Iterable<number> {
    for (const row of all(c, "SELECT seq FROM task")) {
      yield startOf(row["seq"] as number);
      yield endOf(row["seq"] as number);
    }
  };
  const graph = waitGraph(linksOf(c));
  const cycle = findCycle(nodes(), (node) => graph.next(node));
  return cycle ? [{ kind: "cycle", task: undefined, message: cycleError(cycle, (seq) => idOf(c, seq)).message }] : [];
}

const deadLeases = (c: Connection): Problem[] =>
  all(c, "SELECT * FROM task WHERE lease_until IS NOT NULL ORDER BY seq")
    .filter((row) => isGone(storedLease(row)!, c.clock(), c.isAlive))
    .map((row) => deadLease(id(row), leaseOwner(row), row["has_verdict"] === 1 ? "verdict" : "none"));

/** Tasks that cannot become ready unless a person acts, each with the task to act on. */
function stuck(c: Connection): Problem[] {
  const roots = all(
    c,
    "SELECT seq FROM task WHERE is_group = 0 AND (status = 'parked' OR (status = 'failed' AND retry = 0)) ORDER BY seq",
  );
  const why = waitersOf(
    waitGraph(linksOf(c)),
    roots.map((row) => row["seq"] as number),
  );
  return [...why]
    .sort(([a], [b]) => a - b)
    .flatMap(([seq, root]) => {
      const row = get(
        c,
        "SELECT id FROM task WHERE seq = ? AND status = 'pending' AND is_group = 0 AND queue IS NULL",
        seq,
      );
      if (row === undefined) return [];
      const blocker = get(c, "SELECT id, status FROM task WHERE seq = ?", root)!;
      return [waitsForever(id(row), { id: id(blocker), status: blocker["status"] as TaskStatus })];
    });
}

const id = (row: SqliteRow): string => row["id"] as string;
