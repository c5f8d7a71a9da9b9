import { type CleanTask, cleanTask, type NewTask } from "../../domain/task-input.ts";
import { type TaskId, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import { idTaken, unknownNeed, unknownParent } from "../refusal.ts";
import type { AddOptions } from "../store.ts";
import { addTasks, COLUMNS, derivedOf, nextSeq, rowOf, surroundings, tellOldParents } from "./add.ts";
import type { Shape } from "./batch-shape.ts";
import { workOut, type Worked } from "./batch.ts";
import { type Connection, get, patiently, run, statement, write } from "./connection.ts";

/**
 * Adds what a stream yields, all or nothing. What does not fit into memory is put aside in a table that only this
 * connection sees, on disk, without a lock on the store; one transaction then takes it over.
 */
export async function addStream(
  c: Connection,
  chunks: AsyncIterable<readonly NewTask[]>,
  options: AddOptions,
): Promise<number> {
  let waiting: NewTask[] = [];
  let aside: Aside | undefined;
  let read = 0;
  try {
    for await (const chunk of chunks) {
      for (const task of chunk) waiting.push(task);
      read += chunk.length;
      options.onProgress?.(read);
      if (waiting.length < c.streamMemory) continue;
      aside ??= await openAside(c);
      await putAside(c, aside, waiting);
      waiting = [];
    }
    if (aside === undefined) return (await write(c, () => addTasks(c, waiting, options), { durable: true })).length;
    const full = aside;
    await putAside(c, full, waiting);
    return await write(c, () => takeOver(c, full, options), { durable: true });
  } finally {
    if (aside) c.db.exec(`DROP TABLE temp.${aside.tasks}; DROP TABLE temp.${aside.needs}`);
  }
}

interface Aside {
  readonly tasks: string;
  readonly needs: string;
  count: number;
}

/** The same columns as a task, but `parent` is still an id. `seq` counts from 1. */
async function openAside(c: Connection): Promise<Aside> {
  const number = ++c.streams;
  const aside = { tasks: `aside_${number}`, needs: `aside_need_${number}`, count: 0 };
  const columns = COLUMNS.replace("seq", "seq INTEGER PRIMARY KEY").replace(" id,", " id TEXT UNIQUE,");
  await patiently(c, () => {
    c.db.exec(`CREATE TEMP TABLE ${aside.tasks} (${columns}, is_made INTEGER)`);
    c.db.exec(`CREATE TEMP TABLE ${aside.needs} (task INTEGER, need TEXT)`);
  });
  return aside;
}

const putAside = (c: Connection, aside: Aside, inputs: readonly NewTask[]): Promise<void> =>
  patiently(c, () => {
    const before = aside.count;
    statement(c, "BEGIN").run();
    try {
      for (const task of inputs) putOne(c, aside, cleanTask(task));
      statement(c, "COMMIT").run();
    } catch (error) {
      aside.count = before;
      statement(c, "ROLLBACK").run();
      throw error;
    }
  });

function putOne(c: Connection, aside: Aside, task: CleanTask): void {
  const insert = statement(
    c,
    `INSERT INTO temp.${aside.tasks} VALUES (${COLUMNS.replace(/\w+/g, "?")}, ?) ON CONFLICT (id) DO NOTHING`,
  );
  const seq = ++aside.count;
  const derived = { status: task.status, blockers: 0, counts: [0, 0, 0, 0, 0] };
  const values = rowOf(task, { seq, now: c.clock(), parent: task.parent ?? null, ...derived });
  for (;;) {
    values[1] = task.id ?? c.newId();
    if (Number(insert.run(...values, task.id === undefined ? 1 : 0).changes) === 1) break;
    if (task.id !== undefined) throw idTaken(task.id);
  }
  const need = statement(c, `INSERT INTO temp.${aside.needs} VALUES (?, ?)`);
  for (const id of task.needs) need.run(seq, id);
}

/** Within a transaction. */
function takeOver(c: Connection, aside: Aside, options: AddOptions): number {
  refuseTaken(c, aside, options);
  const shape = shapeOf(c, aside);
  const label = (seq: number): TaskId =>
    get(c, `SELECT id FROM temp.${aside.tasks} WHERE seq = ?`, seq - shape.first + 1)?.["id"] as string;
  const worked = workOut(shape, surroundings(c, shape, label));
  writeDerived(c, aside, { shape, worked });
  const others = COLUMNS.replace("seq,", "");
  const taken = run(
    c,
    `INSERT INTO task (${COLUMNS}) SELECT seq + ${shape.first - 1}, ${others} FROM temp.${aside.tasks} ORDER BY seq`,
  );
  run(c, `INSERT INTO dependency (blocked, blocker) ${resolvedNeeds(aside, shape.first)} ORDER BY 1, 2`);
  tellOldParents(c, shape, worked);
  return taken;
}

function refuseTaken(c: Connection, aside: Aside, { onExisting }: AddOptions): void {
  const old = `id IN (SELECT id FROM task)`;
  const made = statement(c, `SELECT seq FROM temp.${aside.tasks} WHERE is_made = 1 AND ${old}`);
  const rename = statement(c, `UPDATE OR IGNORE temp.${aside.tasks} SET id = ? WHERE seq = ?`);
  for (let rows = made.all(); rows.length > 0; rows = made.all()) {
    for (const row of rows) rename.run(c.newId(), row["seq"]!);
  }
  if (onExisting === "skip") {
    const gone = `SELECT seq FROM temp.${aside.tasks} WHERE ${old}`;
    c.db.exec(`DELETE FROM temp.${aside.needs} WHERE task IN (${gone}); DELETE FROM temp.${aside.tasks} WHERE ${old}`);
    closeGaps(c, aside);
    return;
  }
  const taken = get(c, `SELECT id FROM temp.${aside.tasks} WHERE ${old} LIMIT 1`);
  if (taken) throw idTaken(taken["id"] as string);
}

/** Numbers must follow each other: what works the batch out keeps it in arrays. */
function closeGaps(c: Connection, aside: Aside): void {
  const kept = statement(c, `SELECT seq FROM temp.${aside.tasks} ORDER BY seq`).all();
  const renumber = statement(c, `UPDATE temp.${aside.tasks} SET seq = ? WHERE seq = ?`);
  const follow = statement(c, `UPDATE temp.${aside.needs} SET task = ? WHERE task = ?`);
  c.db.exec(`CREATE INDEX temp.${aside.needs}_task ON ${aside.needs} (task)`);
  for (const [index, row] of kept.entries()) {
    if (row["seq"] === index + 1) continue;
    renumber.run(index + 1, row["seq"]!);
    follow.run(index + 1, row["seq"]!);
  }
  aside.count = kept.length;
}

const seqOfId = (aside: Aside, first: number, id: string): string =>
  `coalesce((SELECT n.seq + ${first - 1} FROM temp.${aside.tasks} AS n WHERE n.id = ${id}),
    (SELECT o.seq FROM main.task AS o WHERE o.id = ${id}))`;

const resolvedNeeds = (aside: Aside, first: number): string =>
  `SELECT w.task + ${first - 1}, ${seqOfId(aside, first, "w.need")} FROM temp.${aside.needs} AS w`;

function shapeOf(c: Connection, aside: Aside): Shape {
  const first = nextSeq(c);
  const { count } = aside;
  const parents = new Int32Array(count);
  const own = new Uint8Array(count);
  const tasks = `SELECT a.seq, a.id, a.own, a.parent, ${seqOfId(aside, first, "a.parent")} AS above FROM temp.${aside.tasks} AS a`;
  for (const row of c.db.prepare(tasks).iterate()) {
    const index = (row["seq"] as number) - 1;
    if (row["parent"] !== null && row["above"] === null) {
      throw unknownParent(row["id"] as string, row["parent"] as string);
    }
    parents[index] = (row["above"] as number | null) ?? 0;
    own[index] = taskStatuses.indexOf(row["own"] as TaskStatus);
  }
  const total = c.db.prepare(`SELECT count(*) AS n FROM temp.${aside.needs}`).get()!["n"] as number;
  const needs = new Int32Array(total);
  const needFrom = new Int32Array(count + 1);
  let at = 0;
  const edges = `SELECT w.task, w.need, ${seqOfId(aside, first, "w.need")} AS seq FROM temp.${aside.needs} AS w ORDER BY w.task`;
  for (const row of c.db.prepare(edges).iterate()) {
    const index = (row["task"] as number) - 1;
    if (row["seq"] === null) throw unknownNeed(labelAside(c, aside, index + 1), row["need"] as string);
    needs[at++] = row["seq"] as number;
    needFrom[index + 1] = at;
  }
  for (let index = 1; index <= count; index++) needFrom[index] = Math.max(needFrom[index]!, needFrom[index - 1]!);
  return { first, count, parents, needFrom, needs, own };
}

const labelAside = (c: Connection, aside: Aside, seq: number): TaskId =>
  c.db.prepare(`SELECT id FROM temp.${aside.tasks} WHERE seq = ?`).get(seq)!["id"] as string;

/** Only where it is not what was put aside: most tasks have no parent and are none. */
function writeDerived(c: Connection, aside: Aside, { shape, worked }: { shape: Shape; worked: Worked }): void {
  const update = statement(
    c,
    `UPDATE temp.${aside.tasks} SET parent = ?, status = ?, open_blockers = ?, children = ?, n_failed = ?,
       n_in_progress = ?, n_done = ?, n_dropped = ? WHERE seq = ?`,
  );
  for (let index = 0; index < shape.count; index++) {
    const parent = shape.parents[index]!;
    const { status, blockers, counts } = derivedOf(worked, index);
    if (parent === 0 && blockers === 0 && counts[0] === 0) continue;
    update.run(parent || null, status, blockers, ...counts, index + 1);
  }
}
