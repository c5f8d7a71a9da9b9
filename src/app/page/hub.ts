import { join } from "node:path";
import { fileFacts } from "../../system/store-file.ts";
import { findRunLog, livingRuns, newestRunLog, type RunLog, workspaceRoots } from "../run/run-logs.ts";
import { findStore, isOfFleet } from "../task-store.ts";
import type { Surroundings } from "../workspace.ts";
import { type FollowedRun, followRun } from "./follow-run.ts";

/** Counts changes, so that a page knows when to ask again. */
export interface WorkspaceVersion {
  readonly tasks: number;
  readonly runs: number;
}

export interface HubListener {
  readonly onWorkspace: (version: WorkspaceVersion) => void;
  /** Another run is the one to look at; undefined: there is none. */
  readonly onRun: (run: FollowedRun | undefined) => void;
}

/** Looks at the workspace for all open pages; nothing happens while there is none. */
export interface Hub {
  /** `wanted`: a run by its id; undefined: the one that goes on, or the newest. */
  readonly join: (wanted: string | undefined, listener: HubListener) => Promise<() => void>;
  /** Rejects if there is no such run. */
  readonly checkRun: (wanted: string) => Promise<void>;
  readonly readers: () => number;
  readonly close: () => void;
}

const LOOK_MS = 500;
/** Which runs there are takes more of a look, in every working tree, and changes seldom. */
const LOOK_FOR_RUNS_MS = 1000;
/** How long a run is still followed after the last page has gone: it may only be loaded again. */
const LINGER_MS = 60_000;

interface Member {
  readonly wanted: string | undefined;
  readonly listener: HubListener;
}

/** U-07, U-09: one look twice a second for all pages, at the sizes and times of a few files; at the runs once. */
export async function openHub({ cwd, env }: Pick<Surroundings, "cwd" | "env">): Promise<Hub> {
  const { root, file } = await findStore(cwd);
  const tasksNow = isOfFleet(env) ? fleetKey : () => tasksKey(file);
  const members = new Set<Member>();
  const followers = createFollowers();
  let timer: NodeJS.Timeout | undefined;
  let seen = { tasks: "", runs: "" };
  let version: WorkspaceVersion = { tasks: 1, runs: 1 };
  let newest: RunLog | undefined;

  const lookForRun = async (): Promise<void> => {
    const found = await newestRunLog(root, undefined);
    if (found?.run === newest?.run) return;
    newest = found;
    const waiting = [...members].filter(({ wanted }) => wanted === undefined);
    for (const { listener } of waiting) listener.onRun(found && followers.follow(found));
  };
  const isFound = async (): Promise<boolean> =>
    await lookForRun().then(
      () => true,
      () => false,
    );
  let runsAtMs = -Infinity;
  const look = async (isFirst: boolean): Promise<void> => {
    const isDue = isFirst || performance.now() - runsAtMs >= LOOK_FOR_RUNS_MS - LOOK_MS / 2;
    if (isDue) runsAtMs = performance.now();
    const now = { tasks: tasksNow(), runs: isDue ? runsKey(root) : seen.runs };
    const hasTasks = now.tasks !== seen.tasks;
    const hasRuns = now.runs !== seen.runs && (await isFound());
    // Runs that could not be looked at are news at the next look still; tasks do not wait for them.
    seen = hasRuns ? now : { ...seen, tasks: now.tasks };
    if (!hasTasks && !hasRuns) return;
    version = { tasks: version.tasks + (hasTasks ? 1 : 0), runs: version.runs + (hasRuns ? 1 : 0) };
    for (const { listener } of members) listener.onWorkspace(version);
  };
  const tick = async (): Promise<void> => {
    // A file that cannot be looked at now can be in half a second.
    await look(false).catch(() => undefined);
    followers.forgetAllBut(new Set([...members].map(({ wanted }) => wanted ?? newest?.run)));
    timer = members.size > 0 || followers.count() > 0 ? lookLater() : undefined;
  };
  const lookLater = (): NodeJS.Timeout => setTimeout(() => void tick(), LOOK_MS).unref();
  return {
    join: async (wanted, listener) => {
      await look(true);
      const log = wanted === undefined ? newest : await findRunLog(wanted, root);
      const member = { wanted: wanted === undefined ? undefined : log?.run, listener };
      members.add(member);
      listener.onWorkspace(version);
      listener.onRun(log && followers.follow(log));
      timer ??= lookLater();
      return () => void members.delete(member);
    },
    checkRun: async (wanted) => void (await findRunLog(wanted, root)),
    readers: () => members.size,
    close: () => {
      clearTimeout(timer);
      followers.close();
    },
  };
}

/** The runs that somebody looks at, each read once. */
function createFollowers() {
  const known = new Map<string, { readonly run: FollowedRun; readonly usedAt: number }>();
  return {
    follow: (log: RunLog): FollowedRun => {
      const run = known.get(log.run)?.run ?? followRun(log);
      known.set(log.run, { run, usedAt: Date.now() });
      return run;
    },
    forgetAllBut: (used: ReadonlySet<string | undefined>): void => {
      for (const [name, { run, usedAt }] of known) {
        if (used.has(name)) known.set(name, { run, usedAt: Date.now() });
        else if (Date.now() - usedAt > LINGER_MS) {
          run.stop();
          known.delete(name);
        }
      }
    },
    count: () => known.size,
    close: (): void => {
      for (const { run } of known.values()) run.stop();
    },
  };
}

/** F-04: no file shows what changes in a database. A page asks for it every two seconds. */
const fleetKey = (): string => String(Math.floor(Date.now() / 2000));

/** An empty log of the database comes and goes with every look of our own. */
function tasksKey(file: string): string {
  const log = fileFacts(`${file}-wal`);
  return `${keyOf(file)} ${log === undefined || log.size === 0 ? "" : keyOf(`${file}-wal`)}`;
}

/** Runs come with a folder, and go with the process that holds the tree. */
function runsKey(root: string): string {
  const roots = workspaceRoots(root);
  const folders = roots.map((each) => keyOf(join(each, ".ralph", "runs")));
  return [...folders, ...livingRuns(root, roots).map(({ run }) => run)].join(" ");
}

function keyOf(path: string): string {
  const found = fileFacts(path);
  return found === undefined ? "-" : `${found.size}:${found.changedAt}`;
}

/** Whether a run of the workspace around a folder goes on. */
export const hasLivingRun = (cwd: string): boolean => livingRuns(cwd).length > 0;
