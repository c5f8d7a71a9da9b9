import { dirname } from "node:path";
import {
  appendContext,
  clearContext,
  type ContextPlace,
  readContext,
  readForeignContext,
  type ScopeChoice,
} from "../scope/scope.ts";
import { findStore } from "./task-store.ts";
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
  return await viewOf(await placeOf(choice, surroundings));
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
  return (await appendContext(place, text)) ? await viewOf(place) : undefined;
}

/** Empties it; what other tools wrote stays. */
export async function emptyContext(choice: ScopeChoice, surroundings: Surroundings): Promise<ContextView> {
  const place = await placeOf(choice, surroundings);
  await clearContext(place);
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

/** Adds a paragraph of the lines that the context does not have yet. */
export async function addLines(place: ContextPlace, lines: readonly string[]): Promise<void> {
  const known = new Set((await readContext(place)).split("\n"));
  await appendContext(place, lines.filter((line) => !known.has(line)).join("\n"));
}
