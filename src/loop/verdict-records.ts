import { checkName } from "../domain/decay.ts";
import type { Evidence, Gate } from "../domain/gate.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import { messageOf } from "../system/git/commit.ts";
import { isSameChange, type LineCommit } from "../system/git/line.ts";
import type { Repository } from "../system/git/repository.ts";
import { landedAt } from "./landed-at.ts";

// T-30: the store says who landed which commit, and where a gate passed. Trailers in messages are for people.

/** Work of a task that landed. */
interface LandedWork {
  readonly task: TaskId;
  readonly tree: string;
  /** The landing commit under it. */
  readonly parent: string | undefined;
  /** Only the last one of a task has it. */
  readonly commit?: string | undefined;
}

export interface VerdictRecords {
  readonly tasks: ReadonlyMap<TaskId, Task>;
  readonly landed: readonly LandedWork[];
  /** Trees on which a gate passed, by the name of the check. */
  readonly green: ReadonlyMap<string, ReadonlySet<string>>;
}

export async function readRecords(store: Store): Promise<VerdictRecords> {
  const tasks = new Map<TaskId, Task>();
  const landed: LandedWork[] = [];
  const green = new Map<string, Set<string>>();
  for await (const task of store.each()) {
    tasks.set(task.id, task);
    const commit = (await landedAt(store, task.id))?.commit;
    if (commit !== undefined) landed.push({ task: task.id, tree: "", parent: undefined, commit });
    for (const { outcome, verdict } of await store.attempts(task.id)) {
      if (verdict === undefined) continue;
      const { tree, commit: parent } = verdict;
      const { gates, lands } = evidenceIn(verdict.evidence);
      if (outcome === "verified" && lands) landed.push({ task: task.id, tree, parent });
      const passed = gates.filter((gate) => gate.passed).map(({ kind, command: run }) => nameIn(task, { kind, run }));
      for (const name of passed) green.set(name, (green.get(name) ?? new Set()).add(tree));
    }
  }
  return { tasks, landed, green };
}

/** Evidence has only these parts of a gate. */
const nameIn = (task: Task, gate: Pick<Gate, "kind" | "run">): string => checkName({ gate, task });

function evidenceIn(evidence: unknown): { readonly gates: readonly Evidence[]; readonly lands: boolean } {
  const { gates, lands } = (evidence ?? {}) as { readonly gates?: unknown; readonly lands?: unknown };
  return { gates: Array.isArray(gates) ? (gates as Evidence[]) : [], lands: lands === true };
}

/** The task whose work a commit is; undefined for a person's. A commit that was only rebased is still the task's. */
export async function ownerOf(
  home: Repository,
  { tasks, landed }: VerdictRecords,
  { id, tree, parent }: LineCommit,
): Promise<Task | undefined> {
  const exact = landed.find((work) => work.commit === id || (work.tree === tree && work.parent === parent));
  if (exact !== undefined) return tasks.get(exact.task);
  const told = /^Ralph-Task: (\S+)$/m.exec(await messageOf(home, id))?.[1];
  if (told === undefined || parent === undefined) return undefined;
  for (const work of landed) {
    if (work.task !== told || work.parent === undefined) continue;
    if (await isSameChange(home, [work.parent, work.tree], [parent, id])) return tasks.get(told);
  }
  return undefined;
}
