import type { ScopeChoice } from "../../scope/scope.ts";
import type { Task } from "../../domain/task.ts";
import { isInState, statusesOf, type TaskState } from "../../domain/task-state.ts";
import type { Store, TaskFilter, TreeEntry } from "../../store/store.ts";
import { type KnownStandings, standingsOf } from "./standing-of.ts";
import { type Caller, openToRead, reading, scopesOf } from "./caller.ts";

export interface ListRequest {
  readonly scope: ScopeChoice;
  readonly states?: readonly TaskState[] | undefined;
  readonly tag?: string | undefined;
  readonly text?: string | undefined;
  /** The beginning of its id is enough. */
  readonly parent?: string | undefined;
  readonly limit?: number | undefined;
}

export interface TaskBatch {
  readonly tasks: readonly Task[];
  /** How surely those of them are done that are (T-20). */
  readonly standings: KnownStandings;
  /** There are tasks of more than one scope here. */
  readonly hasScopes: boolean;
  /** The limit has cut the list short: there is more. */
  readonly isCut: boolean;
}

const BATCH = 1000;

/** Tasks, oldest first, in batches: a list of any length takes the memory of one. */
export async function* listTasks(request: ListRequest, caller: Caller): AsyncIterable<TaskBatch> {
  const { states, tag, text } = request;
  const { store, place } = await openToRead(caller);
  try {
    const scopes = await scopesOf(request.scope, caller, place.root);
    const hasScopes = scopes === undefined && (await store.scopes()).length > 1;
    let left = request.limit ?? Number.MAX_SAFE_INTEGER;
    // One extra task shows that there are more; a filter by state may skip most of a page.
    const page = states === undefined ? Math.min(BATCH, left + 1) : BATCH;
    const parent = request.parent === undefined ? undefined : await store.resolve(request.parent);
    const filter = { scopes, statuses: states && statusesOf(states), tag, text, parent };
    for await (const found of batches(store, filter, page)) {
      const wanted = found.filter((task) => states === undefined || isInState(task, states));
      const tasks = wanted.slice(0, left);
      left -= tasks.length;
      const isCut = tasks.length < wanted.length;
      if (tasks.length > 0 || isCut) yield { tasks, standings: await standingsOf(store, tasks), hasScopes, isCut };
      if (isCut) return;
    }
  } finally {
    await store.close();
  }
}

async function* batches(store: Store, filter: TaskFilter, limit: number): AsyncIterable<readonly Task[]> {
  for (let cursor: string | undefined = "0"; cursor !== undefined;) {
    const page = await store.list(filter, { cursor, limit });
    yield page.tasks;
    cursor = page.cursor;
  }
}

/** Tasks that can start now, in order. */
export async function readyTasks(
  { scope, limit }: { readonly scope: ScopeChoice; readonly limit: number },
  caller: Caller,
): Promise<TaskBatch> {
  return await reading(caller, async ({ store, place }) => {
    const found = await store.ready({ scopes: await scopesOf(scope, caller, place.root), limit: limit + 1 });
    const tasks = found.slice(0, limit);
    return { tasks, standings: new Map(), hasScopes: scopesIn(tasks) > 1, isCut: found.length > limit };
  });
}

export interface TaskTreeRequest {
  readonly scope: ScopeChoice;
  /** The beginning of its id is enough. */
  readonly root?: string | undefined;
}

export interface TreeView {
  readonly entries: readonly TreeEntry[];
  readonly standings: KnownStandings;
  readonly hasScopes: boolean;
}

/** Parents before their parts. */
export async function taskTree({ scope, root }: TaskTreeRequest, caller: Caller): Promise<TreeView> {
  return await reading(caller, async ({ store, place }) => {
    const scopes = await scopesOf(scope, caller, place.root);
    const entries = await store.tree({ scopes, root: root === undefined ? undefined : await store.resolve(root) });
    const standings = await standingsOf(
      store,
      entries.map(({ task }) => task),
    );
    return { entries, standings, hasScopes: scopesIn(entries.map(({ task }) => task)) > 1 };
  });
}

const scopesIn = (tasks: readonly Task[]): number => new Set(tasks.map(({ scope }) => scope)).size;
