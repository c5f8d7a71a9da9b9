import { RalphError } from "../domain/error.ts";
import { groupBy } from "../domain/group.ts";
import type { TaskId } from "../domain/task.ts";
import type { LinkedTask } from "../plan/plan.ts";
import type { Store } from "../store/store.ts";

/**
 * Needs between plan files that have one task each and name others by id. A task also waits for its parts. Edges that
 * somebody else added stay. Returns what could not be done, as sentences.
 */
export async function linkPlans(store: Store, scope: string, linked: readonly LinkedTask[]): Promise<string[]> {
  if (linked.length === 0) return [];
  const key = `plan-links:${scope}`;
  const before = linksOf(await store.getMeta(key));
  const now = wantedLinks(linked);
  const ids = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const changed = ids.filter((id) => String(before[id] ?? []) !== String(now[id] ?? []));
  if (changed.length === 0) return [];
  const update = [];
  for (const id of changed) {
    const task = await store.get(id);
    if (task === undefined) continue;
    const others = task.needs.filter((need) => !(before[id] ?? []).includes(need));
    update.push({ id, patch: {}, needs: [...new Set([...others, ...(now[id] ?? [])])] });
  }
  try {
    await store.apply({ update, meta: [{ key, value: now }] }, "plan");
    return [];
  } catch (error) {
    if (!(error instanceof RalphError) || error.kind === "io") throw error;
    return [`The dependencies between plan files were left out: ${error.message}`];
  }
}

type Links = Readonly<Record<TaskId, readonly TaskId[]>>;

/** Ids are compared without case, as Backlog.md does. What no file has is done and archived, and holds nobody back. */
function wantedLinks(linked: readonly LinkedTask[]): Links {
  const byId = new Map(linked.map(({ id, task }) => [id.toLowerCase(), task]));
  const taskOf = (id: string | undefined): TaskId | undefined => byId.get((id ?? "").toLowerCase());
  const parts = groupBy(linked, ({ partOf }) => taskOf(partOf));
  const links: [TaskId, TaskId[]][] = linked.map(({ task, needs }) => {
    const all = [...needs.map(taskOf), ...(parts.get(task) ?? []).map((part) => part.task)];
    return [task, [...new Set(all.filter((need) => need !== undefined && need !== task))].toSorted() as TaskId[]];
  });
  return Object.fromEntries(links.filter(([, needs]) => needs.length > 0));
}

const linksOf = (meta: unknown): Links => (typeof meta === "object" && meta !== null ? (meta as Links) : {});
