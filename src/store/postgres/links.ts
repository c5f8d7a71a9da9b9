import { groupBy } from "../../domain/group.ts";
import { endOf, findCycle, startOf, type TaskLinks, waitGraph } from "../../domain/dag.ts";
import type { TaskId } from "../../domain/task.ts";
import { json } from "../rows.ts";
import { cycleError, relativeError } from "../task-errors.ts";
import { all, type Database, run } from "./connection.ts";

/** What a task is to be beneath, and all that it is to need; left out: as before. */
export interface LinkChange {
  readonly seq: number;
  readonly id: TaskId;
  readonly parent?: number | null | undefined;
  readonly needs?: readonly number[] | undefined;
}

interface Links {
  readonly id: TaskId;
  readonly parent: number | null;
  readonly needs: readonly number[];
}

/** Within an edit. Only the final state must be free of cycles: it is checked before anything is written. */
export async function changeLinks(c: Database, changes: readonly LinkChange[]): Promise<void> {
  const linked = changes.filter(({ parent, needs }) => parent !== undefined || needs !== undefined);
  if (linked.length === 0) return;
  await refuseCycle(c, linked);
  const needing = linked.filter(({ needs }) => needs !== undefined);
  const edges = needing.flatMap(({ seq, needs = [] }) => needs.map((need) => [seq, need] as const));
  const [blocked, blockers] = [edges.map(([seq]) => seq), edges.map(([, need]) => need)];
  const wanted = "SELECT blocked, blocker FROM unnest($1::integer[], $2::integer[]) AS edge (blocked, blocker)";
  await run(
    c,
    `DELETE FROM ralphctl.dependency AS d WHERE d.repository = @repo AND d.blocked = ANY ($3::integer[])
       AND NOT EXISTS (SELECT FROM (${wanted}) AS w WHERE w.blocked = d.blocked AND w.blocker = d.blocker)`,
    blocked,
    blockers,
    needing.map(({ seq }) => seq),
  );
  const moving = linked.filter(({ parent }) => parent !== undefined);
  // One statement: between two of them a task could be beneath itself, and what follows from that would not end.
  await run(
    c,
    `UPDATE ralphctl.task AS t SET parent = move.parent FROM unnest($1::integer[], $2::integer[]) AS move (seq, parent)
     WHERE t.repository = @repo AND t.seq = move.seq AND t.parent IS DISTINCT FROM move.parent`,
    moving.map(({ seq }) => seq),
    moving.map(({ parent }) => parent ?? null),
  );
  const insert = `INSERT INTO ralphctl.dependency (repository, blocked, blocker) SELECT @repo, blocked, blocker FROM (${wanted}) AS w
    ON CONFLICT DO NOTHING`;
  await run(c, insert, blocked, blockers);
}

/** One edge more. An edge between a task and what is above it has an error of its own. */
export async function addNeed(c: Database, task: LinkChange, need: { readonly seq: number; readonly id: TaskId }) {
  const around = await reachable(c, [{ ...task, needs: [need.seq] }]);
  const before = around.get(task.seq)!.needs;
  if (before.includes(need.seq)) return;
  const isAbove = (one: number, other: number): boolean => {
    for (let up = around.get(one)?.parent; up; up = around.get(up)?.parent) if (up === other) return true;
    return false;
  };
  if (isAbove(task.seq, need.seq) || isAbove(need.seq, task.seq)) throw relativeError(task.id, need.id);
  await changeLinks(c, [{ ...task, needs: [...before, need.seq] }]);
  await run(
    c,
    "UPDATE ralphctl.task SET updated_at = @now, revision = revision + 1 WHERE repository = @repo AND seq = $1",
    task.seq,
  );
}

async function refuseCycle(c: Database, changes: readonly LinkChange[]): Promise<void> {
  const links = await reachable(c, changes);
  for (const { seq, id, parent, needs } of changes) {
    const old = links.get(seq) ?? { parent: null, needs: [] };
    links.set(seq, { id, parent: parent === undefined ? old.parent : parent, needs: needs ?? old.needs });
  }
  const children = groupBy(links.keys(), (seq) => links.get(seq)!.parent);
  const graph = waitGraph(linksIn(links, children));
  const cycle = findCycle(
    changes.map(({ seq }) => endOf(seq)),
    graph.next,
  );
  if (cycle) throw cycleError(cycle, (seq) => links.get(seq)!.id);
}

const linksIn = (
  links: ReadonlyMap<number, Links>,
  children: ReadonlyMap<number | null, readonly number[]>,
): TaskLinks => ({
  needs: (task) => links.get(task)?.needs ?? [],
  parent: (task) => links.get(task)?.parent ?? undefined,
  children: (task) => children.get(task) ?? [],
  dependents: () => [],
});

/**
 * The links of all that these tasks wait for, or would wait for, as they are now. A new cycle goes through one of them, so
 * nothing else matters. The nodes are those of the wait graph: even starts, odd ends.
 */
async function reachable(c: Database, changes: readonly LinkChange[]): Promise<Map<number, Links>> {
  const roots = changes.flatMap(({ seq, parent, needs = [] }) => [
    endOf(seq),
    ...(parent ? [startOf(parent)] : []),
    ...needs.map(endOf),
  ]);
  const rows = await all(
    c,
    `WITH RECURSIVE reach (node) AS (
       SELECT DISTINCT unnest($1::bigint[])
       UNION SELECT next.node FROM reach CROSS JOIN LATERAL (
         SELECT reach.node - 1 AS node WHERE reach.node % 2 = 1
         UNION ALL SELECT k.seq::bigint * 2 + 1 FROM ralphctl.task AS k
           WHERE reach.node % 2 = 1 AND k.repository = @repo AND k.parent = (reach.node / 2)::integer
         UNION ALL SELECT d.blocker::bigint * 2 + 1 FROM ralphctl.dependency AS d
           WHERE reach.node % 2 = 0 AND d.repository = @repo AND d.blocked = (reach.node / 2)::integer
         UNION ALL SELECT p.parent::bigint * 2 FROM ralphctl.task AS p
           WHERE reach.node % 2 = 0 AND p.repository = @repo AND p.seq = (reach.node / 2)::integer AND p.parent IS NOT NULL
       ) AS next
     )
     SELECT t.seq, t.id, t.parent,
       (SELECT json_agg(d.blocker)::text FROM ralphctl.dependency AS d WHERE d.repository = @repo AND d.blocked = t.seq) AS needs
     FROM (SELECT DISTINCT (node / 2)::integer AS seq FROM reach) AS one
     JOIN ralphctl.task AS t ON t.repository = @repo AND t.seq = one.seq`,
    roots,
  );
  return new Map(
    rows.map((row) => [
      row["seq"] as number,
      {
        id: row["id"] as string,
        parent: row["parent"] as number | null,
        needs: (json(row["needs"]) ?? []) as readonly number[],
      },
    ]),
  );
}
