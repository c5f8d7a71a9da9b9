import { type ChangeWhen, checkWhen, type TaskEdits } from "../../domain/task-edits.ts";
import { cleanPatch } from "../../domain/task-input.ts";
import type { Actor } from "../../domain/transition.ts";
import { addTasks } from "./add.ts";
import type { Connection } from "./connection.ts";
import { editTask } from "./edit.ts";
import { rowOf } from "./links.ts";
import { attachNeeds, detach, isHeld } from "./overwrite.ts";
import { readMeta, writeMeta } from "./record.ts";
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
    editTask(c, { id, patch, by });
    attachNeeds(c, id, needs);
  }
  for (const one of change) if (isStillSo(c, one)) changeTask(c, one.id, one);
  for (const { key, value } of meta) writeMeta(c, key, value);
}

function isStillSo(c: Connection, { id, when }: ChangeWhen): boolean {
  const row = rowOf(c, id);
  return row["status"] === when && row["is_group"] === 0 && !isHeld(c, row);
}
