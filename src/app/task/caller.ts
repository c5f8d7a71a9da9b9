import { loadConfig } from "../../config/config.ts";
import { findScopeKey, type ScopeChoice } from "../../scope/scope.ts";
import { closeStore, type OpenedStore, openStore, openStoreToRead } from "../task-store.ts";
import type { Surroundings } from "../workspace.ts";

/** Who asks: where they are, and how to tell them what they should know besides the answer. */
export interface Caller extends Surroundings {
  readonly notice: (sentence: string) => void;
}

/** Does something with the tasks that changes none, and makes no file (W-06). */
export async function reading<Result>(caller: Caller, work: (opened: OpenedStore) => Promise<Result>): Promise<Result> {
  const opened = await openToRead(caller);
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

/** For those that hand out tasks one by one, and close the store themselves. */
export async function openToRead(caller: Caller): Promise<OpenedStore> {
  const opened = await openStoreToRead(caller.cwd);
  for (const sentence of opened.notices) caller.notice(sentence);
  return opened;
}

/** Does something that changes tasks. The copy of the store is renewed when it went well. */
export async function writing<Result>(caller: Caller, work: (opened: OpenedStore) => Promise<Result>): Promise<Result> {
  const opened = await openStore(caller.cwd);
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

/** The scope that was asked for. The configuration is read only where it has a say: it costs more than the tasks do. */
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
