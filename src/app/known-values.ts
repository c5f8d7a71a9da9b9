import { join, relative } from "node:path";
import { LAYOUTS } from "../domain/layouts.ts";
import { taskStatuses, type TaskStatus } from "../domain/task.ts";
import { foldersIn, kindOf } from "../system/folder.ts";
import type { OpenedStore } from "./task-store.ts";
import type { Surroundings } from "./workspace.ts";

/** The kinds of values that completion looks up in the workspace. */
export type ValueKind =
  | "project"
  | "change"
  | "module"
  | "sprint"
  | "run"
  | "task"
  | "open-task"
  | "parked-task"
  | "ended-task"
  | "gate"
  | "harness"
  | "config-key";

export interface KnownValue {
  readonly value: string;
  readonly doc: string;
}

export interface ValueRequest {
  readonly kind: ValueKind;
  /** The typed prefix. */
  readonly typed: string;
}

/**
 * Looks up values with the typed prefix. It writes and starts nothing, and loads only what the kind needs: completion
 * must be fast.
 */
export async function knownValues({ kind, typed }: ValueRequest, around: Surroundings): Promise<KnownValue[]> {
  const all = isTaskKind(kind)
    ? await taskIds(STATUSES[kind], typed, around)
    : (await LOOKUPS[kind](around)).map((value) => ({ value, doc: "" }));
  return all.filter(({ value }) => value.startsWith(typed));
}

/** A longer list would be slow to find, and too long to read. */
const MOST = 200;
const MOST_LOOKED_AT = 5000;

type TaskKind = "task" | "open-task" | "parked-task" | "ended-task";

const STATUSES: Readonly<Record<TaskKind, readonly TaskStatus[]>> = {
  task: taskStatuses,
  "open-task": ["pending", "in_progress"],
  "parked-task": ["parked"],
  "ended-task": ["done", "failed", "dropped"],
};

const isTaskKind = (kind: ValueKind): kind is TaskKind => Object.hasOwn(STATUSES, kind);

const LOOKUPS: Readonly<Record<Exclude<ValueKind, TaskKind>, (around: Surroundings) => Promise<string[]>>> = {
  project: async (around) => {
    const { projectsIn } = await import("./scopes.ts");
    return (await projectsIn({ root: await rootOf(around) })).map(({ name }) => name);
  },
  change: async (around) => await documents(around, "change"),
  module: async (around) => await documents(around, "module"),
  sprint: sprintFolders,
  // By their time: the newest are the last.
  run: async (around) => (await foldersIn(join(await rootOf(around), ".ralph/runs"))).slice(-MOST),
  gate: async (around) => {
    const { gateNames } = await import("./show-gates.ts");
    return await gateNames(around);
  },
  harness: async (around) => {
    const { knownHarnesses } = await import("./known-harnesses.ts");
    const { loadConfig } = await import("../config/config.ts");
    const config = await loadConfig(around).then(
      (loaded) => loaded.config,
      () => ({ harnesses: {} }),
    );
    return Object.keys(knownHarnesses(config)).toSorted();
  },
  "config-key": async () => {
    const { configKeyNames } = await import("../config/config.ts");
    return await configKeyNames();
  },
};

async function rootOf({ cwd }: Surroundings): Promise<string> {
  const { findStore } = await import("./task-store.ts");
  return (await findStore(cwd)).root;
}

async function documents(around: Surroundings, kind: "change" | "module"): Promise<string[]> {
  const [{ loadConfig }, { listDocuments }] = await Promise.all([
    import("../config/config.ts"),
    import("../scope/scope.ts"),
  ]);
  // A configuration with a mistake in it is no reason to propose nothing.
  const layouts = await loadConfig(around).then(
    ({ config }) => config.layouts,
    () => LAYOUTS,
  );
  return (await listDocuments({ root: await rootOf(around), layouts }, kind)).map(({ id }) => id);
}

const SPRINT_FILES = ["SPRINT.yaml", "PROGRESS.yaml"];

/** Sprints in the usual folder and those with tasks, relative to the working directory. */
async function sprintFolders(around: Surroundings): Promise<string[]> {
  const root = await rootOf(around);
  const usual = (await foldersIn(join(root, "sprints"))).map((name) => `sprints/${name}`);
  const known = await withStore(around, async (store) => await store.scopes());
  const folders = new Set([
    ...usual,
    ...(known ?? []).flatMap((key) => (key.startsWith("sprint/") ? [key.slice("sprint/".length)] : [])),
  ]);
  const isSprint = await Promise.all(
    [...folders].map(async (folder) => {
      const kinds = await Promise.all(SPRINT_FILES.map((file) => kindOf(join(root, folder, file))));
      return kinds.includes("file");
    }),
  );
  return [...folders].filter((_, index) => isSprint[index]).map((folder) => relative(around.cwd, join(root, folder)));
}

/** Undefined without a store: opening a missing one would restore it. */
async function withStore<Result>(
  { cwd }: Surroundings,
  work: (store: OpenedStore["store"]) => Promise<Result>,
): Promise<Result | undefined> {
  const { findStore, openStoreToRead } = await import("./task-store.ts");
  if ((await kindOf((await findStore(cwd)).file)) === undefined) return undefined;
  const { store } = await openStoreToRead(cwd);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Oldest first. A unique prefix finds its task even among very many. */
async function taskIds(
  statuses: readonly TaskStatus[],
  typed: string,
  around: Surroundings,
): Promise<readonly KnownValue[]> {
  const found = await withStore(around, async (store) => {
    const { tasks, cursor } = await store.list({ statuses }, { limit: MOST_LOOKED_AT });
    const like = tasks.filter(({ id }) => id.startsWith(typed)).slice(0, MOST);
    if (like.length > 0 || cursor === undefined || typed === "") return like;
    const only = await store.get(await store.resolve(typed));
    return only !== undefined && statuses.includes(only.status) ? [only] : [];
  });
  return (found ?? []).map(({ id, title }) => ({ value: id, doc: title }));
}
