import type { ScopeChoice } from "../../scope/scope.ts";
import { type SessionPlace, sessionOf } from "../../domain/run/session.ts";
import type { NewTask } from "../../domain/task-input.ts";
import type { Task } from "../../domain/task.ts";
import type { Actor } from "../../domain/transition.ts";
import type { Store } from "../../store/store.ts";
import { addInSession } from "./add-in-session.ts";
import { addMany, type TaskEntrance } from "./add-many.ts";
import { type Caller, scopeOf, writing } from "./caller.ts";

export interface AddRequest {
  /** `needs` and `parent` accept beginnings of ids. */
  readonly task: Omit<NewTask, "scope" | "id">;
  readonly scope: ScopeChoice;
  /** Who is named in its log; inside a session it is always the agent. */
  readonly by?: Actor | undefined;
}

/** Adds one task, to its parent's scope, the session's, or the workspace's own where none was named. */
export async function addTask({ task, scope, by }: AddRequest, caller: Caller): Promise<Task> {
  const session = sessionOf(caller.env);
  return await writing(caller, async ({ store, place }) => {
    const needs = await Promise.all((task.needs ?? []).map((need) => store.resolve(need)));
    const parent = task.parent === undefined ? undefined : await store.resolve(task.parent);
    // A part belongs where the whole does, unless somebody says otherwise.
    const inherited = parent === undefined ? undefined : (await store.get(parent))?.scope;
    const key = (await scopeOf(scope, caller, place.root)) ?? inherited ?? session?.scope ?? "workspace";
    const [id] = await entrance({ store, session, caller, by }).add([{ ...task, scope: key, needs, parent }]);
    return (await store.get(id!))!;
  });
}

/** Adds what a text lists, JSONL or Markdown, all of it or nothing. */
export async function addTasks(text: string, scope: ScopeChoice, caller: Caller): Promise<Task[]> {
  const session = sessionOf(caller.env);
  return await writing(caller, async ({ store, place }) => {
    const key = (await scopeOf(scope, caller, place.root)) ?? session?.scope ?? "workspace";
    const ids = await addMany(text, key, entrance({ store, session, caller }));
    return await Promise.all(ids.map(async (id) => (await store.get(id))!));
  });
}

interface Entering extends Pick<AddRequest, "by"> {
  readonly store: Store;
  readonly session: SessionPlace | undefined;
  readonly caller: Caller;
}

/** A person adds what they like; an agent has less to say, and a limit. */
const entrance = ({ store, session, caller, by }: Entering): TaskEntrance => ({
  add: async (tasks) =>
    session === undefined ? await store.add(tasks, { by }) : await addInSession(tasks, { store, session, caller }),
});
