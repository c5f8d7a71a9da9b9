import { isScopeName } from "../domain/scope-name.ts";
import { scopeState, type ScopeState } from "../domain/scope-state.ts";
import { compareIds } from "../domain/target.ts";
import { listChanges } from "../scope/scope.ts";
import type { ScopeCounts, Store } from "../store/store.ts";
import { foldersIn } from "../system/folder.ts";
import { join } from "node:path";
import { type ScopeWork, scopeWork } from "./run/scope-work.ts";
import { previewStore } from "./task-store.ts";
import { openWorkspace, type ScopeChoice, type Surroundings, type Workspace } from "./workspace.ts";

/** A scope that has a folder in the workspace. */
export interface KnownScope {
  /** A project's name, or a change's id. */
  readonly name: string;
  readonly key: string;
  /** Relative to the workspace. */
  readonly folder: string;
  readonly choice: ScopeChoice;
}

/** A scope with its state. */
export interface ListedScope extends KnownScope, ScopeWork {
  readonly state: ScopeState;
}

/** The projects of a workspace, by name. */
export async function projectsIn({ root }: Pick<Workspace, "root">): Promise<KnownScope[]> {
  const names = (await foldersIn(join(root, "projects"))).filter(isScopeName).toSorted(compareIds);
  return names.map((name) => ({
    name,
    key: `project/${name}`,
    folder: `projects/${name}`,
    choice: { project: name },
  }));
}

/** Its changes, lowest id first. */
export async function changesIn({ root, config }: Pick<Workspace, "root" | "config">): Promise<KnownScope[]> {
  const changes = await listChanges({ root, layouts: config.layouts });
  return changes.map(({ id, folder }) => ({ name: id, key: `change/${id}`, folder, choice: { change: id } }));
}

/** Every project with its state. Read-only. */
export const listProjects = async (surroundings: Surroundings): Promise<ListedScope[]> =>
  await listed(surroundings, projectsIn);

/** The same for changes. */
export const listAllChanges = async (surroundings: Surroundings): Promise<ListedScope[]> =>
  await listed(surroundings, changesIn);

async function listed(
  surroundings: Surroundings,
  find: (workspace: Workspace) => Promise<KnownScope[]>,
): Promise<ListedScope[]> {
  const workspace = await openWorkspace(surroundings);
  const known = await find(workspace);
  if (known.length === 0) return [];
  return await previewStore(workspace.root, async (store) => await scopeStates(store, workspace, known));
}

/** How scopes stand. `store` is a preview: plan files are followed in it. */
export async function scopeStates(
  store: Store,
  workspace: Workspace,
  known: readonly KnownScope[],
): Promise<ListedScope[]> {
  const all: ListedScope[] = [];
  for (const scope of known) {
    const work = await scopeWork(store, workspace, scope.choice);
    all.push({ ...scope, ...work, state: scopeState({ next: work.next, ...numbersOf(work.counts) }) });
  }
  return all;
}

const numbersOf = (counts: ScopeCounts | undefined) => ({
  running: counts?.leaves.in_progress ?? 0,
  parked: counts?.leaves.parked ?? 0,
  blocked: counts?.blocked ?? 0,
  failed: counts?.leaves.failed ?? 0,
  settled: counts === undefined ? 0 : counts.leaves.done + counts.leaves.dropped,
});
