import { afterLimit } from "../../domain/settlement.ts";
import { type ChangeWhen, checkWhen, type TaskEdits } from "../../domain/task-edits.ts";
import { cleanPatch, type TaskPatch } from "../../domain/task-input.ts";
import type { TaskId } from "../../domain/task.ts";
import type { Actor } from "../../domain/transition.ts";
import type { PgRow } from "../../system/postgres.ts";
import { columnsOf } from "../said-columns.ts";
import { neededError, unknownNeed, unknownParent } from "../task-errors.ts";
import { addTasks, isHeld } from "./add.ts";
import { all, type Database, run } from "./connection.ts";
import { addNeed, changeLinks, type LinkChange } from "./links.ts";
import { addLog, readMeta, writeMeta } from "./record.ts";
import { findRow, rowOf, seqOf } from "./rows.ts";
import { changeTask, refuseIfHeld } from "./settle.ts";

// All of these are called within an edit.

interface Update {
  readonly id: TaskId;
  readonly patch: TaskPatch;
  readonly needs?: readonly TaskId[] | undefined;
}

export async function applyEdits(
  c: Database,
  { add = [], update = [], change = [], meta = [], when }: TaskEdits,
  by: Actor,
): Promise<void> {
  const stored = when && (await readMeta(c, when.key));
  checkWhen({ when }, () => stored);
  const updates = update.map(({ id, patch, needs }) => ({ id, needs, patch: cleanPatch(patch) }));
  await loosen(c, updates);
  await addTasks(c, add);
  await updateTasks(c, updates, by);
  for (const one of change) if (await isStillSo(c, one)) await changeTask(c, one.id, one);
  for (const { key, value } of meta) await writeMeta(c, key, value);
}

/** Takes away the links that they will not have, so that those of new tasks meet none of them. */
async function loosen(c: Database, updates: readonly Update[]): Promise<void> {
  const changes: LinkChange[] = [];
  for (const { id, patch, needs } of updates) {
    const row = await rowOf(c, id);
    const seq = row["seq"] as number;
    const parent = row["parent"] !== null && patch.parent !== undefined && (await isOther(c, row, patch.parent));
    const wanted = needs && (await all(c, NEEDED, seq, needs)).map((one) => one["blocker"] as number);
    changes.push({ seq, id, needs: wanted, ...(parent && { parent: null }) });
  }
  await changeLinks(c, changes);
}

const NEEDED = `SELECT d.blocker FROM ralphctl.dependency AS d JOIN ralphctl.task AS t ON t.repository = d.repository AND t.seq = d.blocker
  WHERE d.repository = @repo AND d.blocked = $1 AND t.id = ANY ($2::text[])`;

const isOther = async (c: Database, row: PgRow, parent: TaskId | null): Promise<boolean> =>
  parent === null || (await findRow(c, parent))?.["seq"] !== row["parent"];

async function isStillSo(c: Database, { id, when }: ChangeWhen): Promise<boolean> {
  const row = await rowOf(c, id);
  return row["status"] === when && row["is_group"] === 0 && !isHeld(c, row);
}

/** The patches are clean. */
export async function updateTasks(c: Database, updates: readonly Update[], by: Actor): Promise<void> {
  for (const { id, patch, needs } of updates) {
    const row = await rowOf(c, id);
    const seq = row["seq"] as number;
    const parent =
      patch.parent === undefined || patch.parent === null
        ? patch.parent
        : await numberOf(c, patch.parent, (name) => unknownParent(id, name));
    const numbers =
      needs && (await Promise.all(needs.map((need) => numberOf(c, need, (name) => unknownNeed(id, name)))));
    await changeLinks(c, [{ seq, id, parent, needs: numbers }]);
    await setColumns(c, row, patch);
    await addLog(c, seq, { by, kind: "edited", text: Object.keys(patch).sort().join(", ") });
  }
}

async function numberOf(c: Database, id: TaskId, missing: (id: TaskId) => Error): Promise<number> {
  const row = await findRow(c, id);
  if (row === undefined) throw missing(id);
  return row["seq"] as number;
}

async function setColumns(c: Database, row: PgRow, patch: TaskPatch): Promise<void> {
  const columns = columnsOf(patch);
  if (patch.attemptLimit !== undefined && row["own"] === "failed") {
    const { retry, retryLimit } = afterLimit({
      attempts: row["attempts"] as number,
      attemptLimit: patch.attemptLimit ?? undefined,
      retry: row["retry"] === 1,
      retryLimit: (row["retry_limit"] as number | null) ?? undefined,
    });
    columns.push(["retry", retry ? 1 : 0], ["retry_limit", retryLimit ?? null]);
  }
  const assignments = columns.map(([column], index) => `${column} = $${index + 2}`);
  await run(
    c,
    `UPDATE ralphctl.task SET ${["updated_at = @now", "revision = revision + 1", ...assignments].join(", ")}
     WHERE repository = @repo AND seq = $1`,
    row["seq"]!,
    ...columns.map(([, value]) => value),
  );
}

export async function addEdge(c: Database, id: TaskId, need: TaskId): Promise<void> {
  const [seq, other] = [await seqOf(c, id), await seqOf(c, need)];
  await addNeed(c, { seq, id }, { seq: other, id: need });
}

export async function removeEdge(c: Database, id: TaskId, need: TaskId): Promise<void> {
  const [seq, other] = [await seqOf(c, id), await seqOf(c, need)];
  const sql = "DELETE FROM ralphctl.dependency WHERE repository = @repo AND blocked = $1 AND blocker = $2";
  if ((await run(c, sql, seq, other)) > 0) await setColumns(c, { seq }, {});
}

export async function removeTask(c: Database, id: TaskId): Promise<number> {
  const root = await seqOf(c, id);
  const going = await all(
    c,
    `WITH RECURSIVE down (seq) AS (
       SELECT $1::integer UNION ALL SELECT k.seq FROM down JOIN ralphctl.task AS k ON k.repository = @repo AND k.parent = down.seq
     ) SELECT t.*, @now AS now FROM ralphctl.task AS t WHERE t.repository = @repo AND t.seq IN (SELECT seq FROM down)
     ORDER BY t.seq`,
    root,
  );
  for (const row of going) refuseIfHeld(c, row);
  const list = going.map((row) => row["seq"] as number);
  const outside = await all(
    c,
    `SELECT b.id AS blocker, t.id FROM ralphctl.dependency AS d
       JOIN ralphctl.task AS b ON b.repository = @repo AND b.seq = d.blocker
       JOIN ralphctl.task AS t ON t.repository = @repo AND t.seq = d.blocked
     WHERE d.repository = @repo AND d.blocker = ANY ($1::integer[]) AND NOT d.blocked = ANY ($1::integer[])
     ORDER BY d.blocker, t.seq LIMIT 10`,
    list,
  );
  const first = outside[0]?.["blocker"] as TaskId | undefined;
  const names = outside.filter((row) => row["blocker"] === first).map((row) => row["id"] as TaskId);
  if (first !== undefined) throw neededError(first, names);
  await run(c, "DELETE FROM ralphctl.task WHERE repository = @repo AND seq = ANY ($1::integer[])", list);
  return list.length;
}
