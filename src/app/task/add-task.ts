import { addInSession } from "./add-in-session.ts";
import { type Caller, scopeOf, writing } from "./caller.ts";
import { RalphError } from "../../domain/error.ts";
import { sessionOf, type SessionPlace } from "../../domain/run/session.ts";
import type { NewTask } from "../../domain/task-input.ts";
import { parseTaskList } from "../../domain/task-list.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import type { Actor } from "../../domain/transition.ts";
import type { ScopeChoice } from "../../scope/scope.ts";
import { randomId } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";

export interface AddRequest {
  /** `needs` and `parent` accept beginnings of ids. */
  readonly task: Omit<NewTask, "scope" | "id">;
  readonly scope: ScopeChoice;
  /** Who is named in its log; inside a session it is always the agent. */
  readonly by?: Actor | undefined;
}

/** Adds one task, by default to the scope of its parent, of the session, or the workspace. */
export async function addTask({ task, scope, by }: AddRequest, caller: Caller): Promise<Task> {
  const session = sessionOf(caller.env);
  return await writing(caller, async ({ store, place }) => {
    const needs = await Promise.all((task.needs ?? []).map((need) => store.resolve(need)));
    const parent = task.parent === undefined ? undefined : await store.resolve(task.parent);
    // A subtask inherits the scope of its parent, unless one is named.
    const inherited = parent === undefined ? undefined : (await store.get(parent))?.scope;
    const key = (await scopeOf(scope, caller, place.root)) ?? inherited ?? session?.scope ?? "workspace";
    const [id] = await taskAdder({ store, session, caller, by }).add([{ ...task, scope: key, needs, parent }]);
    return (await store.get(id!))!;
  });
}

/** Adds the tasks of a JSONL or Markdown list, all or none. */
export async function addTasks(text: string, scope: ScopeChoice, caller: Caller): Promise<Task[]> {
  const session = sessionOf(caller.env);
  return await writing(caller, async ({ store, place }) => {
    const key = (await scopeOf(scope, caller, place.root)) ?? session?.scope ?? "workspace";
    const ids = await addMany(text, key, taskAdder({ store, session, caller }));
    return await Promise.all(ids.map(async (id) => (await store.get(id))!));
  });
}

interface TaskAdderRequest extends Pick<AddRequest, "by"> {
  readonly store: Store;
  readonly session: SessionPlace | undefined;
  readonly caller: Caller;
}

/** An agent may set fewer fields, and has a limit. */
const taskAdder = ({ store, session, caller, by }: TaskAdderRequest): Pick<Store, "add"> => ({
  add: async (tasks) =>
    session === undefined ? await store.add(tasks, { by }) : await addInSession(tasks, { store, session, caller }),
});

const TRIES = 5;

/** Adds the list of `task add -`, all or none. Returns the ids in order. */
export async function addMany(text: string, scope: string, store: Pick<Store, "add">): Promise<TaskId[]> {
  for (let left = TRIES; ; left -= 1) {
    const made = new Set<TaskId>();
    const newId = (): TaskId => {
      const id = randomId();
      made.add(id);
      return id;
    };
    try {
      return await store.add(parseTaskList(text, { scope, newId, now: Date.now() }));
    } catch (error) {
      // Chance has given out an id that is taken.
      const about = error instanceof RalphError ? error.about : undefined;
      if (left === 1 || about?.kind !== "id taken" || !made.has(about.id)) throw error;
    }
  }
}
