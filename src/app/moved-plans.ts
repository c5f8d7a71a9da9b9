import type { Environment } from "../domain/environment.ts";
import { matchesAny } from "../domain/glob.ts";
import type { Task } from "../domain/task.ts";
import { goneReason, memoryKey } from "../plan/plan.ts";
import type { Scope } from "../scope/scope.ts";
import type { Store } from "../store/store.ts";
import { isTakenAway } from "../system/git/gone-file.ts";
import { readPlan } from "./follow-plan.ts";
import { linkedTree, planFile } from "./plan-file.ts";

/**
 * Where a pattern names plan files, a file may be renamed or taken away like an entry (P-51): its task follows the id into
 * the new file, or is dropped and revives if the file returns. A branch that never had the file drops nothing.
 */
export async function followMovedFiles(
  { store, root, env }: { readonly store: Store; readonly root: string; readonly env: Environment },
  scope: Scope,
): Promise<void> {
  const { planFiles, planPatterns = [] } = scope;
  if (planPatterns.length === 0) return;
  const there = new Set(planFiles);
  const known = new Set<string>();
  const lost: Task[] = [];
  for await (const task of store.each({ scopes: [scope.key] })) {
    const file = task.source?.file;
    if (file === undefined || !matchesAny(planPatterns, file)) continue;
    known.add(file);
    if (!there.has(file)) lost.push(task);
  }
  if (lost.length === 0) return;
  const newFiles = await filesByKey(
    root,
    planFiles.filter((file) => !known.has(file)),
  );
  const tree = linkedTree(root);
  for (const { id, source, status } of lost) {
    const { file, key } = source!;
    const to = newFiles.get(key);
    const forget = { key: memoryKey(file, tree), value: undefined };
    if (to !== undefined) {
      newFiles.delete(key);
      await store.apply({ update: [{ id, patch: { source: { file: to, key } } }], meta: [forget] }, "plan");
    } else if (status === "pending" && (await isTakenAway({ folder: root, env }, file))) {
      const change = { kind: "drop", reason: goneReason(file) } as const;
      await store.apply({ change: [{ id, when: "pending", change, by: "plan" }], meta: [forget] }, "plan");
    }
  }
}

/** New files by the key of the task in each; what cannot be read is said when it is followed. */
async function filesByKey(root: string, files: readonly string[]): Promise<Map<string, string>> {
  const byKey = new Map<string, string>();
  for (const file of files) {
    const read = await readPlan(planFile({ root, file }));
    if ("reading" in read) for (const { key } of read.reading.entries) byKey.set(key, file);
  }
  return byKey;
}
