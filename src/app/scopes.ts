import { RalphError } from "../domain/error.ts";
import { isScopeName } from "../domain/scope-name.ts";
import { type ScopeFacts, scopeState, type ScopeState } from "../domain/scope-state.ts";
import { compareIds } from "../domain/target.ts";
import { listDocuments } from "../scope/scope.ts";
import type { ScopeCounts, Store } from "../store/store.ts";
import { foldersIn } from "../system/folder.ts";
import { processIdentity } from "../system/process/process-identity.ts";
import { join } from "node:path";
import { chooseWork } from "./run/choose-work.ts";
import { plansOf } from "./run/plans.ts";
import { previewStore } from "./task-store.ts";
import { openWorkspace, openWorkspaceScope, type ScopeChoice, type Surroundings, type Workspace } from "./workspace.ts";

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
  return names.map((name) => ({ name, key: `project/${name}`, folder: `projects/${name}`, choice: { project: name } }));
}

/** Its changes, lowest id first. */
export async function changesIn({ root, config }: Pick<Workspace, "root" | "config">): Promise<KnownScope[]> {
  const changes = await listDocuments({ root, layouts: config.layouts }, "change");
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

/** The work in a scope, as a run would find it. */
interface ScopeWork {
  readonly next: ScopeFacts["next"];
  /** Its tasks, with those of the plan file; undefined without any. */
  readonly counts: ScopeCounts | undefined;
  /** Why something of it could not be read. */
  readonly problems: readonly string[];
}

/** `store` is a preview: it follows plan files in it, and nothing of that stays. */
async function scopeWork(store: Store, workspace: Workspace, choice: ScopeChoice): Promise<ScopeWork> {
  try {
    return await look(store, workspace, choice);
  } catch (error) {
    // One scope that cannot be read must not hide the others.
    if (!(error instanceof RalphError)) throw error;
    return { next: "nothing", counts: undefined, problems: [error.message] };
  }
}

async function look(store: Store, workspace: Workspace, choice: ScopeChoice): Promise<ScopeWork> {
  const { root } = workspace;
  const scope = await openWorkspaceScope(workspace, choice);
  const { problems } = await plansOf({ store, root, tree: root, scope, isReadOnly: true }).follow({ editor: "person" });
  await freeLost(store);
  const [counts] = await store.counts([scope.key]);
  const work = await chooseWork({ store, workspace, scope, request: { mode: "auto" } });
  if (work.kind !== "build") return { next: work.kind, counts, problems };
  // The prompt file may have become a task only now.
  const [now] = await store.counts([scope.key]);
  const canGoOn = now !== undefined && (now.ready + now.retry > 0 || (await hasProven(store, scope.key)));
  return { next: canGoOn ? "build" : "nothing", counts, problems };
}

/** Frees tasks of runs that were killed, as a run does before it takes its first: a claim of nothing. */
export const freeLost = async (store: Store): Promise<unknown> =>
  await store.claim({ scopes: [], only: [], owner: processIdentity(), leaseMs: 1 });

/** Whether a run that was killed has proven a task, so that the next one finishes it. */
const hasProven = async (store: Store, scope: string): Promise<boolean> =>
  (await store.openVerdicts()).some(({ task, holder }) => task.scope === scope && holder === "gone");
