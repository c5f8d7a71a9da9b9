import { dirname } from "node:path";
import { RalphError } from "../domain/error.ts";
import type { RunFinished } from "../domain/run/event.ts";
import { openIterations, spentOf } from "../domain/run/run-record.ts";
import type { Task } from "../domain/task.ts";
import { addCost } from "../domain/usage.ts";
import { listContexts, type ScopeContext } from "../scope/scope.ts";
import type { ScopeCounts, Store } from "../store/store.ts";
import { isAlive } from "../system/process/process-identity.ts";
import { type BehindBranch, explainBehind, withLanding } from "./branches-behind.ts";
import type { FoundItem } from "./found/found.ts";
import { glanceAt, isAbout, lastEventAt, type RunGlance, scopeAt } from "./run/run-glance.ts";
import { allRunLogs, holderAt, livingRuns, type RunLog } from "./run/run-logs.ts";
import { isOfFleet } from "./task-store.ts";
import { type Caller, reading, scopeOf } from "./task/caller.ts";
import type { ScopeChoice } from "./workspace.ts";

export type { ScopeCounts } from "../store/store.ts";

/** The state of a workspace. */
export interface WorkspaceStatus {
  readonly root: string;
  /** Undefined: all scopes. */
  readonly scope: string | undefined;
  /** The tasks are those of a fleet, and a run is one of it. */
  readonly isFleet: boolean;
  readonly nowMs: number;
  readonly running: readonly LivingRun[];
  /** A run of any scope holds this working tree. */
  readonly isTreeTaken: boolean;
  /** The newest ended run. */
  readonly last: EndedRun | undefined;
  /** One for each scope that has tasks. */
  readonly counts: readonly ScopeCounts[];
  /** The first ready tasks, in order. */
  readonly next: readonly Task[];
  /** The first parked and failed tasks. */
  readonly waiting: readonly Task[];
  readonly failed: readonly Task[];
  readonly leases: readonly HeldTask[];
  /** Branches that lack work that landed; none while a run has the tree. */
  readonly behind: readonly BehindBranch[];
  /** What people added for agents, by scope. */
  readonly context: readonly ScopeContext[];
  /** The total of all recorded runs. */
  readonly spent: SpentSummary;
  /** Before the first run: what was there already, and how it is used. */
  readonly found: readonly FoundItem[];
}

export interface LivingRun {
  readonly run: string;
  readonly scope: string;
  readonly pid: number;
  readonly host: string;
  /** The workspace in its working tree. */
  readonly root: string;
  /** Undefined: no events yet. */
  readonly glance: RunGlance | undefined;
}

export interface EndedRun {
  readonly run: string;
  readonly scope: string | undefined;
  readonly lastAtMs: number;
  /** Undefined: it crashed or was killed. */
  readonly finished: RunFinished | undefined;
}

/** A claimed task. */
export interface HeldTask {
  readonly task: Task;
  /** Undefined: its holder is on another host, or a machine of a fleet. Only the lease can tell. */
  readonly isAlive: boolean | undefined;
}

export interface SpentSummary {
  /** Undefined when none was reported. */
  readonly costUsd: number | undefined;
  /** Some session reported no cost, so this is a minimum. */
  readonly isCostPartial: boolean;
  readonly isCostEstimated: boolean;
  readonly tokens: number;
  readonly runs: number;
}

const MOST_NAMED = 5;
/** Parents have states too, and are left out of what is named. */
const LOOKED_AT = 200;

/** Read-only (W-06). Uses the store's counts, and reads only both ends of long logs. */
export async function workspaceStatus(choice: ScopeChoice, caller: Caller): Promise<WorkspaceStatus> {
  return await reading(caller, async ({ store, place: { root, file } }) => {
    const scope = await scopeAsked(choice, caller, root);
    const isOurs = (file: string): boolean => scope === undefined || isAbout(file, scope);
    const living = livingRuns(root);
    const running: LivingRun[] = [];
    for (const { run, root: at, file, holder } of living.filter(
      ({ holder, file: log }) => holder.scope === scope || isOurs(log),
    )) {
      const { pid, host } = holder.owner;
      running.push({ run, scope: holder.scope, pid, host, root: at, glance: glanceAt(file) });
    }
    const ended = endedRuns(await allRunLogs(root), living, isOurs);
    const newest = ended.at(-1);
    const isTreeTaken = holderAt(root)?.isAlive === true;
    const isFleet = isOfFleet(caller.env);
    const tasks = await tasksOf(store, { scopes: scope === undefined ? undefined : [scope], isFleet });
    const isFirst = running.length === 0 && newest === undefined;
    return {
      root,
      scope,
      isFleet,
      nowMs: Date.now(),
      running,
      isTreeTaken,
      behind: isTreeTaken ? [] : await behindNow(store, caller, root),
      last: newest === undefined ? undefined : { ...newest, scope: scopeAt(newest.file) },
      ...tasks,
      ...(isFirst && { counts: (await countPlanned(store, caller, scope)) ?? tasks.counts }),
      context: await listContexts(dirname(file), scope),
      spent: spentBy(running, ended),
      found: isFirst && scope === undefined ? await lookAround(caller) : [],
    };
  });
}

/** Looks at files only if some branch lacks something: a status is asked for often. */
async function behindNow(store: Store, caller: Caller, root: string): Promise<BehindBranch[]> {
  const found = await withLanding({ folder: root, env: caller.env }, async (home) => {
    return await explainBehind(home, { planFiles: async () => await planFilesOf(store, caller, home.folder) });
  });
  return found ?? [];
}

async function planFilesOf(store: Store, caller: Caller, tree: string): Promise<string[]> {
  const { openWorkspace } = await import("./workspace.ts");
  const { allPlanFiles } = await import("./run/all-plan-files.ts");
  return await allPlanFiles(store, { workspace: await openWorkspace(caller), surroundings: caller, tree });
}

/** A module has no tasks of its own: the scope it belongs to has them. Imported lazily, because it is slow to load. */
async function scopeAsked(choice: ScopeChoice, caller: Caller, root: string): Promise<string | undefined> {
  if (choice.module === undefined) return await scopeOf(choice, caller, root);
  const { openWorkspace, openWorkspaceScope } = await import("./workspace.ts");
  return (await openWorkspaceScope(await openWorkspace(caller), choice)).key;
}

/** Imported lazily, because most calls come after the first run. */
async function lookAround(caller: Caller): Promise<readonly FoundItem[]> {
  const { findInWorkspace } = await import("./found/find-all.ts");
  return await findInWorkspace(caller);
}

/** No run has brought in the plan files yet. Imported lazily, because it is slow to load. Undefined: they cannot be read. */
async function countPlanned(
  store: Store,
  caller: Caller,
  scope: string | undefined,
): Promise<readonly ScopeCounts[] | undefined> {
  const { plannedCounts } = await import("./planned-counts.ts");
  try {
    return await plannedCounts(store, caller, scope);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    caller.notice(error.message);
    return undefined;
  }
}

/** An ended run without its scope, which is read only when needed. */
type EndedLog = Omit<EndedRun, "scope"> & SpentSummary & { readonly file: string };

/** Oldest first. The log of a crashed run is read completely for its cost. */
function endedRuns(logs: readonly RunLog[], living: readonly RunLog[], isOurs: (file: string) => boolean): EndedLog[] {
  const found: EndedLog[] = [];
  for (const { run, root, file } of logs) {
    if (living.some((each) => each.run === run && each.root === root)) continue;
    if (!isOurs(file)) continue;
    const last = lastEventAt(file);
    if (last === undefined) continue;
    const finished = last.event.type === "run.finished" ? last.event : undefined;
    // It was refused before it started, with an error at the time.
    if (finished === undefined && scopeAt(file) === undefined) continue;
    found.push({ run, file, lastAtMs: last.atMs, finished, ...spentIn(file, finished) });
  }
  return found;
}

function spentIn(file: string, finished: RunFinished | undefined): SpentSummary {
  if (finished !== undefined) {
    const { costUsd, tokens, isCostPartial = false, isCostEstimated = false } = finished;
    return { costUsd, tokens, isCostPartial, isCostEstimated, runs: 1 };
  }
  const glance = glanceAt(file);
  if (glance === undefined) return { ...NOTHING, runs: 1 };
  const spent = spentSoFar(glance);
  // An interrupted session may have cost more than it reported.
  return { ...spent, isCostPartial: spent.isCostPartial || openIterations(glance).length > 0 };
}

const NOTHING: SpentSummary = { costUsd: undefined, tokens: 0, isCostPartial: false, isCostEstimated: false, runs: 0 };

function spentBy(running: readonly LivingRun[], ended: readonly SpentSummary[]): SpentSummary {
  const live = running.map(({ glance }) => (glance === undefined ? NOTHING : spentSoFar(glance)));
  return [...ended, ...live].reduce(
    (sum, { costUsd, tokens, isCostPartial, isCostEstimated, runs }) => ({
      costUsd: addCost(sum.costUsd, costUsd),
      isCostPartial: sum.isCostPartial || isCostPartial,
      isCostEstimated: sum.isCostEstimated || isCostEstimated,
      tokens: sum.tokens + tokens,
      runs: sum.runs + runs,
    }),
    NOTHING,
  );
}

/** What a run has taken, its open iterations included. */
export function spentSoFar(glance: RunGlance): SpentSummary {
  return { ...spentOf(glance), runs: 1 };
}

async function tasksOf(
  store: Store,
  { scopes, isFleet }: { readonly scopes: readonly string[] | undefined; readonly isFleet: boolean },
): Promise<Pick<WorkspaceStatus, "counts" | "next" | "waiting" | "failed" | "leases">> {
  const leaves = async (status: Task["status"]): Promise<Task[]> =>
    (await store.list({ scopes, statuses: [status] }, { limit: LOOKED_AT })).tasks.filter(({ isParent }) => !isParent);
  const held = await leaves("in_progress");
  return {
    counts: await store.counts(scopes),
    next: await store.ready({ scopes, limit: MOST_NAMED }),
    waiting: (await leaves("parked")).slice(0, MOST_NAMED),
    failed: (await leaves("failed")).filter(({ retry }) => !retry).slice(0, MOST_NAMED),
    leases: held.map((task) => ({ task, isAlive: isFleet ? undefined : task.lease && isAlive(task.lease.owner) })),
  };
}
