import { waitGraph } from "../../domain/dag.ts";
import { cleanTask, type CleanTask, type NewTask } from "../../domain/task-input.ts";
import type { TaskId, TaskStatus } from "../../domain/task.ts";
import type { SqliteValue } from "../../system/sqlite-driver.ts";
import { idTaken } from "../refusal.ts";
import type { AddOptions } from "../store.ts";
import { type Known, planBatch, type Planned, type Surroundings } from "./batch.ts";
import { type Connection, get, run } from "./connection.ts";
import { type ChildDelta, childrenChanged } from "./derive.ts";
import { hasDependents, idOf, linksOf, withAncestors } from "./links.ts";
import { listColumn } from "./rows.ts";

/** Within a transaction. */
export function addTasks(c: Connection, inputs: readonly NewTask[], options: AddOptions): TaskId[] {
  const tasks = newOnes(c, inputs.map(cleanTask), options);
  const planned = planBatch(tasks, nextSeq(c), surroundings(c, tasks));
  const ids = planned.map((task) => insertTask(c, task));
  for (const { seq, needs } of planned) for (const need of needs) insertEdge(c, seq, need);
  for (const [parent, delta] of newChildren(planned)) childrenChanged(c, parent, delta);
  return ids;
}

export const nextSeq = (c: Connection): number =>
  get(c, "SELECT coalesce(max(seq), 0) + 1 AS next FROM task")!["next"] as number;

function newOnes(c: Connection, tasks: readonly CleanTask[], options: AddOptions): readonly CleanTask[] {
  const seen = new Set<TaskId>();
  const isOld = (id: TaskId): boolean => get(c, "SELECT 1 FROM task WHERE id = ?", id) !== undefined;
  return tasks.filter(({ id }) => {
    if (id === undefined) return true;
    if (options.onExisting === "skip" && isOld(id)) return false;
    if (seen.has(id)) throw idTaken(id);
    seen.add(id);
    return true;
  });
}

function surroundings(c: Connection, tasks: readonly CleanTask[]): Surroundings {
  const find = (id: TaskId): Known | undefined => {
    const row = get(c, "SELECT seq, status, open_blockers FROM task WHERE id = ?", id);
    return (
      row && { seq: row["seq"] as number, status: row["status"] as TaskStatus, isHeldBack: row["open_blockers"] !== 0 }
    );
  };
  // The only way from an old task to a new one leads through a parent that somebody, old or new, waits for.
  const parents = new Set(tasks.flatMap(({ parent }) => (parent === undefined ? [] : (find(parent)?.seq ?? []))));
  const above = new Set([...parents].flatMap((parent) => withAncestors(c, parent)));
  const isAwaited =
    [...above].some((seq) => hasDependents(c, seq)) ||
    (above.size > 0 && tasks.some(({ needs }) => needs.some((need) => above.has(find(need)?.seq ?? -1))));
  if (!isAwaited) return { find, next: () => [], idOf: (seq) => idOf(c, seq) };
  const old = waitGraph(linksOf(c));
  const newEnds = new Map<number, number[]>();
  const first = nextSeq(c);
  tasks.forEach(({ parent }, index) => {
    const seq = parent === undefined ? undefined : find(parent)?.seq;
    if (seq !== undefined) newEnds.set(seq * 2 + 1, [...(newEnds.get(seq * 2 + 1) ?? []), (first + index) * 2 + 1]);
  });
  return { find, next: (node) => [...old.next(node), ...(newEnds.get(node) ?? [])], idOf: (seq) => idOf(c, seq) };
}

const COLUMNS = `seq, id, scope, parent, priority, status, own, open_blockers, retry, children, n_failed, n_in_progress,
  n_done, n_dropped, attempts, attempt_limit, created_at, updated_at, started_at, ended_at, allow_no_change, title, model,
  tags, acceptance, gates, source_file, source_key, question, reason, summary, description`;

const INSERT = `INSERT INTO task (${COLUMNS}) VALUES (${COLUMNS.replace(/\w+/g, "?")})
  ON CONFLICT (id) DO NOTHING`;

function insertTask(c: Connection, planned: Planned): TaskId {
  const { task } = planned;
  const now = c.clock();
  const { children = 0, failed = 0, inProgress = 0, done = 0, dropped = 0 } = planned.counts ?? {};
  const rest: SqliteValue[] = [
    task.scope,
    planned.parent,
    task.priority,
    planned.status,
    task.status,
    planned.openBlockers,
    task.retry ? 1 : 0,
    children,
    failed,
    inProgress,
    done,
    dropped,
    task.attempts,
    task.attemptLimit ?? null,
    task.createdAt ?? now,
    task.updatedAt ?? task.createdAt ?? now,
    task.startedAt ?? null,
    task.endedAt ?? null,
    task.allowNoChange ? 1 : 0,
    task.title,
    task.model ?? null,
    listColumn(task.tags),
    listColumn(task.acceptance),
    listColumn(task.gates),
    task.source?.file ?? null,
    task.source?.key ?? null,
    task.question ?? null,
    task.reason ?? null,
    task.summary ?? null,
    task.description,
  ];
  for (;;) {
    const id = task.id ?? c.newId();
    if (run(c, INSERT, planned.seq, id, ...rest) === 1) return id;
    // Chance has given out an id twice: at a million tasks that happens a hundred times.
    if (task.id !== undefined) throw idTaken(id);
  }
}

function insertEdge(c: Connection, blocked: number, blocker: number): void {
  run(c, "INSERT INTO dependency (blocked, blocker) VALUES (?, ?)", blocked, blocker);
}

/** What the batch adds to each parent that was there before. */
function newChildren(planned: readonly Planned[]): Map<number, ChildDelta> {
  const first = planned[0]?.seq ?? 0;
  const deltas = new Map<number, ChildDelta>();
  for (const { parent, status } of planned) {
    if (parent === null || parent >= first) continue;
    const delta = deltas.get(parent) ?? {};
    deltas.set(parent, { ...delta, children: (delta.children ?? 0) + 1, [status]: (delta[status] ?? 0) + 1 });
  }
  return deltas;
}
