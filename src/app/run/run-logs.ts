import { join, relative } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { closestMatch } from "../../domain/closest-match.ts";
import { isRunId } from "../../domain/run/run-id.ts";
import { entriesIn } from "../../system/folder.ts";
import { gitFolder, workingTrees } from "../../system/git/folder.ts";
import { readTreeLock, type TreeHolder } from "../../system/tree-lock.ts";
import { mirroredRuns } from "./mirrored-runs.ts";
import { isAbout, scopeAt } from "./run-glance.ts";

/** A run whose events are kept, and where. */
export interface RunLog {
  readonly run: string;
  readonly file: string;
  /** The workspace in the working tree of the run. */
  readonly root: string;
}

/** The same workspace in each working tree of the repository. */
export function workspaceRoots(root: string): string[] {
  const git = gitFolder(root);
  if (git === undefined) return [root];
  return workingTrees(git).map((tree) => join(tree, relative(git.top, root)));
}

/** The runs of a workspace in every working tree, oldest first. Their folders are there; whether they have events is not asked. */
export async function allRunLogs(root: string): Promise<RunLog[]> {
  const found: RunLog[] = [];
  for (const each of workspaceRoots(root)) {
    const names = await entriesIn(join(each, ".ralph", "runs"));
    for (const run of names.filter(isRunId)) found.push(logOf(run, each));
  }
  // Their names begin with the time.
  return distinct(found).toSorted((a, b) => (a.run < b.run ? -1 : 1));
}

/** A working tree may have two names, one of them through a link. */
function distinct<Log extends RunLog>(logs: readonly Log[]): Log[] {
  const known = new Map<string, Log>();
  for (const log of logs) if (!known.has(log.run)) known.set(log.run, log);
  return [...known.values()];
}

const logOf = (run: string, root: string): RunLog => ({
  run,
  root,
  file: join(root, ".ralph", "runs", run, "events.ndjson"),
});

/** The run that holds the working tree around a folder. */
export function holderAt(root: string): TreeHolder | undefined {
  const git = gitFolder(root);
  return git && readTreeLock(git.own);
}

/** The runs that are going on, in every working tree, and those of a fleet whose events are copied here. */
export function livingRuns(root: string, roots = workspaceRoots(root)): (RunLog & { readonly holder: TreeHolder })[] {
  const living = roots.flatMap((each) => {
    const holder = holderAt(each);
    const holders = [...(holder?.isAlive ? [holder] : []), ...mirroredRuns(each)];
    return holders.map((one) => Object.assign({ holder: one }, logOf(one.run, each)));
  });
  return distinct(living);
}

/** Whether a run is going on. The number of its process alone could be another's by now. */
export function isRunning({ run, root }: Pick<RunLog, "run" | "root">): boolean {
  const holder = holderAt(root);
  return (holder?.run === run && holder.isAlive) || mirroredRuns(root).some((each) => each.run === run);
}

/** Runs that match a text: by id, by prefix with or without `r-`, or by last part. */
export function runsNamed(text: string, logs: readonly RunLog[]): RunLog[] {
  const exact = logs.filter(({ run }) => run === text);
  if (exact.length > 0 || text === "") return exact;
  return logs.filter(({ run }) => run.startsWith(text) || run.startsWith(`r-${text}`) || run.endsWith(`-${text}`));
}

/** The one run that a text means. */
export async function findRunLog(text: string, root: string): Promise<RunLog> {
  const logs = await allRunLogs(root);
  const found = runNamed(text, logs);
  if (found === undefined) throw noSuchRun(text, logs);
  return found;
}

/** The same; undefined if none is meant. */
export function runNamed(text: string, logs: readonly RunLog[]): RunLog | undefined {
  const [found, ...others] = runsNamed(text, logs);
  if (found !== undefined && others.length > 0) throw severalRuns(text, [found, ...others]);
  return found;
}

/** The default run: the active one in this working tree, or else the newest. */
export async function newestRunLog(root: string, scope: string | undefined): Promise<RunLog | undefined> {
  const living = livingRuns(root).filter(
    ({ holder, file }) => scope === undefined || holder.scope === scope || isAbout(file, scope),
  );
  const own = living.find((log) => log.root === root) ?? living[0];
  if (own !== undefined) return own;
  for (const log of (await allRunLogs(root)).reverse()) {
    if (scope === undefined ? scopeAt(log.file) !== undefined : isAbout(log.file, scope)) return log;
  }
  return undefined;
}

export const noSuchRun = (text: string, logs: readonly RunLog[]): RalphError => {
  const meant = closestMatch(
    text,
    logs.map(({ run }) => run),
  );
  return new RalphError("usage", `Unknown run ${JSON.stringify(text.slice(0, 80))}`, {
    hint: meant === undefined ? "See the last one: ralphctl inspect" : `Did you mean ${meant}?`,
  });
};

const severalRuns = (text: string, logs: readonly RunLog[]): RalphError =>
  new RalphError("usage", `${JSON.stringify(text)} matches ${logs.length} runs: ${newest(logs)}`, {
    hint: "Type more of its id",
  });

/** The newest of many. */
export const newest = (logs: readonly RunLog[]): string =>
  logs
    .slice(-5)
    .map(({ run }) => run)
    .join(", ");
