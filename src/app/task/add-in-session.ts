import { loadConfig } from "../../config/config.ts";
import { RalphError } from "../../domain/error.ts";
import type { SessionPlace } from "../../domain/run/session.ts";
import type { NewTask } from "../../domain/task-input.ts";
import type { TaskId } from "../../domain/task.ts";
import { parkBeyondLimit } from "../../loop/new-tasks.ts";
import type { Store } from "../../store/store.ts";
import type { Caller } from "./caller.ts";

interface SessionChannel {
  readonly store: Store;
  readonly session: SessionPlace;
  readonly caller: Caller;
}

/** Adds tasks on behalf of an agent (W-01), parked beyond the limit of its run. */
export async function addInSession(
  tasks: readonly NewTask[],
  { store, session, caller }: SessionChannel,
): Promise<TaskId[]> {
  for (const task of tasks) refuseProof(task);
  const limit = (await loadConfig(caller)).config.limits.newTasks;
  if (session.task !== undefined) await keepParents(store, tasks);
  const ids = await store.add(tasks, { by: "agent" });
  const parked = await parkBeyondLimit(store, { run: session.run, ids, limit });
  if (parked.length > 0) {
    const many = parked.length === 1 ? `${parked[0]} is` : `${parked.length} tasks are`;
    caller.notice(`${many} parked for a person to review: a run may add at most ${limit} new tasks`);
  }
  return ids;
}

/** T-13: parts that an agent finds while it works do not settle a task that was to be worked on. Planning may split one. */
async function keepParents(store: Store, tasks: readonly NewTask[]): Promise<void> {
  for (const id of new Set(tasks.flatMap(({ parent }) => parent ?? []))) {
    const parent = await store.get(id);
    if (parent !== undefined && !parent.isParent && !parent.keepsWork) {
      await store.update(id, { keepsWork: true }, "agent");
    }
  }
}

/** Fields that an agent may set. The others define or claim proof. */
const WORDS: ReadonlySet<string> = new Set<keyof NewTask>([
  "id",
  "scope",
  "title",
  "description",
  "acceptance",
  "needs",
  "priority",
  "parent",
  "tags",
  "createdAt",
]);

function refuseProof(task: NewTask): void {
  const field = Object.entries(task).find(([name, value]) => !WORDS.has(name) && isSaid(name, value))?.[0];
  if (field === undefined) return;
  throw new RalphError("usage", `Inside a session a new task cannot set ${NAMES[field] ?? field}`, {
    hint: "Set only title, description, acceptance, needs, priority, parent and tags",
  });
}

const NAMES: Readonly<Record<string, string>> = {
  gates: "its gates",
  model: "its model",
  status: "its status",
  attempts: "its attempts",
  attemptLimit: "its attempts",
  allowNoChange: "that no change is needed",
  keepsWork: "whether its parts settle it",
  mayChange: "which files it may change",
};

const isSaid = (name: string, value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0) && !isPending(name, value);

const isPending = (name: string, value: unknown): boolean => name === "status" && value === "pending";
