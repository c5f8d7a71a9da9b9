import { join, relative } from "node:path";
import { checkInside, writeAtomic } from "../system/folder.ts";
import type { PlanFile } from "./plan-file.ts";

/**
 * S003-04: the plan file keeps changing, so our version cannot be merged. The user's version stays in the file, ours is
 * saved elsewhere. Returns a sentence that says where.
 */
export async function saveConflictingPlan(root: string, { name }: PlanFile, text: string): Promise<string> {
  const path = join(root, ".ralph", "backup", "refused", name);
  await checkInside(root, path);
  await writeAtomic(path, text);
  return `${name} keeps changing, so your version stays; ralphctl's version is in ${relative(root, path)}`;
}

export const CONFLICT_HINT = "Stop the program that keeps writing it";
