import { dirname } from "node:path";
import {
  additionTo,
  appendContext,
  clearContext,
  type ContextPlace,
  readContext,
  readForeignContext,
  type ScopeChoice,
} from "../scope/scope.ts";
import type { Store } from "../store/store.ts";
import type * as sharedContext from "./fleet/shared-context.ts";
import { findStore, isOfFleet, openStore } from "./task-store.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings, type Workspace } from "./workspace.ts";

/** The context that a person added for a scope. */
export interface ContextView {
  readonly scope: string;
  readonly text: string;
  /** Files of other tools that are part of it. */
  readonly others: readonly string[];
}

/** The context that the next iteration of a scope will see. */
export async function showContext(choice: ScopeChoice, surroundings: Surroundings): Promise<ContextView> {
  const place = await placeOf(choice, surroundings);
  await inFleet(surroundings, async (store, { syncContexts }) => await syncContexts(store, place.home));
  return await viewOf(place);
}

const viewOf = async (place: ContextPlace): Promise<ContextView> => ({
  scope: place.scope,
  text: await readContext(place),
  others: (await readForeignContext(place)).map(({ file }) => file),
});

/** Adds a text, even during a run. Returns undefined for a blank text. */
export async function addContext(
  text: string,
  choice: ScopeChoice,
  surroundings: Surroundings,
): Promise<ContextView | undefined> {
  const place = await placeOf(choice, surroundings);
  let isAdded = false;
  const isShared = await inFleet(surroundings, async (store) => {
    isAdded = await addTo(place, text, store);
  });
  if (!isShared) isAdded = await appendContext(place, text);
  return isAdded ? await viewOf(place) : undefined;
}

/** F-06: in a fleet, what is added on one machine is for all. */
async function addTo(place: ContextPlace, text: string, store: Store): Promise<boolean> {
  const add = additionTo(place, text);
  if (add === undefined) return false;
  const { changeShared } = await import("./fleet/shared-context.ts");
  await changeShared(store, place, (before) => add(before));
  return true;
}

/** Whether there is a fleet. Its code is loaded only then. */
async function inFleet(
  { cwd, env }: Surroundings,
  work: (store: Store, shared: typeof sharedContext) => Promise<void>,
): Promise<boolean> {
  if (!isOfFleet(env)) return false;
  const { store } = await openStore(cwd, env);
  try {
    await work(store, await import("./fleet/shared-context.ts"));
  } finally {
    await store.close();
  }
  return true;
}

/** Empties it; what other tools wrote stays. */
export async function emptyContext(choice: ScopeChoice, surroundings: Surroundings): Promise<ContextView> {
  const place = await placeOf(choice, surroundings);
  const isShared = await inFleet(surroundings, async (store, { changeShared }) => {
    await changeShared(store, place, () => "");
  });
  if (!isShared) await clearContext(place);
  return await viewOf(place);
}

async function placeOf(choice: ScopeChoice, surroundings: Surroundings) {
  const workspace = await openWorkspace(surroundings);
  const scope = await openWorkspaceScope(workspace, choice);
  return await contextPlace(workspace, scope.key);
}

/** A scope's context lies beside the tasks, so that runs in other working trees see it too (W-07). */
export async function contextPlace({ root, config }: Workspace, scope: string): Promise<ContextPlace> {
  const home = dirname((await findStore(root)).file);
  return { home, scope, limitBytes: config.limits.context, root, layouts: config.layouts };
}

/** Adds a paragraph of the lines that the context does not have yet; `shared`: for all machines of a fleet. */
export async function addLines(place: ContextPlace, lines: readonly string[], shared?: Store): Promise<void> {
  const known = new Set((await readContext(place)).split("\n"));
  const text = lines.filter((line) => !known.has(line)).join("\n");
  await (shared === undefined ? appendContext(place, text) : addTo(place, text, shared));
}
