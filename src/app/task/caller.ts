import { loadConfig } from "../../config/config.ts";
import { findScopeKey, type ScopeChoice } from "../../scope/scope.ts";
import { closeStore, type OpenedStore, openStore, openStoreToRead } from "../task-store.ts";
import type { TaskId } from "../../domain/task.ts";
import type { Store } from "../../store/store.ts";
import type { Surroundings } from "../workspace.ts";

/** The caller of a use case, with a way to show notices. */
export interface Caller extends Surroundings {
  readonly notice: (sentence: string) => void;
  /** U-04: where a person asks from, for the log of the task; undefined: a terminal. */
  readonly from?: string | undefined;
}

/** U-04: adds to a task's log where a change came from, if that was not a terminal. */
export async function noteFrom(
  store: Store,
  { from }: Caller,
  { id, what }: { readonly id: TaskId; readonly what: string },
): Promise<void> {
  if (from !== undefined) await store.note(id, { by: "person", kind: "from", text: `${what} ${from}` });
}

/** Runs read-only work on the store, and creates no file (W-06). */
export async function reading<Result>(caller: Caller, work: (opened: OpenedStore) => Promise<Result>): Promise<Result> {
  const opened = await openToRead(caller);
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

/** For callers that stream tasks and close the store themselves. */
export async function openToRead(caller: Caller): Promise<OpenedStore> {
  const opened = await openStoreToRead(caller.cwd, caller.env);
  for (const sentence of opened.notices) caller.notice(sentence);
  return opened;
}

/** Runs work that changes tasks. Renews the copy of the store on success. */
export async function writing<Result>(caller: Caller, work: (opened: OpenedStore) => Promise<Result>): Promise<Result> {
  const opened = await openStore(caller.cwd, caller.env);
  for (const sentence of opened.notices) caller.notice(sentence);
  let result: Result;
  try {
    result = await work(opened);
  } catch (error) {
    await opened.store.close();
    throw error;
  }
  for (const sentence of await closeStore(opened)) caller.notice(sentence);
  return result;
}

/** The requested scope. The configuration is read only if needed, because that is slow. */
export async function scopeOf(choice: ScopeChoice, caller: Caller, root: string): Promise<string | undefined> {
  const isConfigured = caller.configFile !== undefined || choice.change !== undefined;
  const config = isConfigured ? (await loadConfig(caller)).config : undefined;
  return await findScopeKey(choice, { root, cwd: caller.cwd, layouts: async () => config?.layouts ?? [] });
}

/** The same as a filter: undefined means all. */
export async function scopesOf(choice: ScopeChoice, caller: Caller, root: string): Promise<[string] | undefined> {
  const scope = await scopeOf(choice, caller, root);
  return scope === undefined ? undefined : [scope];
}
