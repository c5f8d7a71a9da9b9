import { type ChangeWhen, checkWhen, type TaskEdits } from "../../domain/task-edits.ts";
import { cleanPatch } from "../../domain/task-input.ts";
import type { Actor } from "../../domain/transition.ts";
import { isGone } from "../lease.ts";
import { addTasks } from "./add.ts";
import type { Connection } from "./connection.ts";
import { editTask, rowOf } from "./edit.ts";
import { attachNeeds, detach } from "./overwrite.ts";
import { addLog, readMeta, writeMeta } from "./record.ts";
import { storedLease } from "./rows.ts";
import { changeTask } from "./settle.ts";

/** Within a transaction. Removes before it adds, so that only the final state can have a cycle. */
export function applyEdits(
  c: Connection,
  { add = [], update = [], change = [], meta = [], when }: TaskEdits,
  by: Actor,
): void {
  checkWhen({ when }, (key) => readMeta(c, key));
  const updates = update.map(({ id, patch, needs }) => ({ id, needs, patch: cleanPatch(patch) }));
  for (const { id, patch, needs } of updates) detach(c, id, { parent: patch.parent, needs });
  addTasks(c, add);
  for (const { id, patch, needs = [] } of updates) {
    const seq = editTask(c, id, patch);
    attachNeeds(c, id, needs);
    addLog(c, seq, { by, kind: "edited", text: Object.keys(patch).sort().join(", ") });
  }
  for (const one of change) if (isStillSo(c, one)) changeTask(c, one.id, one);
  for (const { key, value } of meta) writeMeta(c, key, value);
}

function isStillSo(c: Connection, { id, when }: ChangeWhen): boolean {
  const row = rowOf(c, id);
  const lease = storedLease(row);
  const isHeld = lease !== undefined && (row["has_verdict"] === 1 || !isGone(lease, c.clock(), c.isAlive));
  return row["status"] === when && row["children"] === 0 && !isHeld;
}
