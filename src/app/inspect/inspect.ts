import { RalphError } from "../../domain/error.ts";
import { closestMatch } from "../../domain/closest-match.ts";
import { iterationsOf, type Timeline } from "../../domain/run/timeline.ts";
import type { Task } from "../../domain/task.ts";
import type { Attempt, Store } from "../../store/store.ts";
import { allRunLogs, findRunLog, isRunning, newest, newestRunLog, type RunLog, runsNamed } from "../run/run-logs.ts";
import { type Caller, reading } from "../task/caller.ts";
import { isOfFleet } from "../task-store.ts";
import { askedScopeKey, openWorkspace, type ScopeChoice, type Surroundings, type Workspace } from "../workspace.ts";
import { type InspectedIteration, type InspectedSession, inspectIteration, sessionOf } from "./iteration.ts";
import { readTimeline } from "./read-timeline.ts";

export type { InspectedIteration, InspectedSession } from "./iteration.ts";

/** The result of `inspect`. */
export type Inspected =
  | { readonly kind: "none" }
  | InspectedRun
  | { readonly kind: "iteration"; readonly iteration: InspectedIteration }
  | { readonly kind: "task"; readonly task: Task; readonly attempts: readonly InspectedAttempt[] };

export interface InspectedRun {
  readonly kind: "run";
  readonly timeline: Timeline;
  readonly isRunning: boolean;
  readonly sessions: readonly InspectedSession[];
}

/** An attempt with its iteration, if it had one and its record still exists. */
export interface InspectedAttempt {
  readonly attempt: Attempt;
  readonly iteration: InspectedIteration | undefined;
}

export interface InspectRequest {
  /** A run, an iteration (`3`, `RUN/3`) or a task, by its id or the beginning of it. Undefined: the newest run. */
  readonly subject: string | undefined;
  readonly scope: ScopeChoice;
}

/** Finds the run, iteration or task that a text names. Read-only (W-06). */
export async function inspect({ subject, scope }: InspectRequest, caller: Caller): Promise<Inspected> {
  const workspace = await openWorkspace(caller);
  const newestLog = async (): Promise<RunLog | undefined> =>
    await newestRunLog(workspace.root, await askedScopeKey(workspace, scope));
  if (subject === undefined) {
    const log = await newestLog();
    return log === undefined ? { kind: "none" } : await runOf(log, workspace);
  }
  const slash = subject.lastIndexOf("/");
  if (slash >= 0) {
    const log = await findRunLog(subject.slice(0, slash), workspace.root);
    return await iterationOf(log, subject.slice(slash + 1), { workspace, caller });
  }
  return await reading(caller, async ({ store }) => {
    const log = /^[1-9]\d*$/.test(subject) ? await newestLog() : undefined;
    const found = log && (await findIteration(log, Number(subject), { workspace, caller }));
    // A short number is an iteration, not the prefix of an id.
    const isShort = log !== undefined && subject.length < SHORT;
    const isMeant = (id: string): boolean => !isShort || id === subject;
    const tasks = (await tasksNamed(subject, store)).filter(isMeant);
    if (found !== undefined && tasks.includes(subject)) throw both(subject, log!);
    if (found !== undefined) return { kind: "iteration", iteration: found };
    if (isShort && tasks.length === 0) return await iterationOf(log, subject, { workspace, caller });
    const runs = isShort ? [] : runsNamed(subject, await allRunLogs(workspace.root));
    if (tasks.length + runs.length > 1) throw several(subject, tasks, runs);
    if (runs.length === 1) return await runOf(runs[0]!, workspace);
    if (tasks.length === 0) throw await unknown(subject, store, workspace.root);
    return await taskOf(tasks[0]!, store, workspace);
  });
}

const SHORT = 4;

async function runOf(log: RunLog, workspace: Workspace): Promise<Inspected> {
  const timeline = await readTimeline(log);
  if (timeline === undefined) return { kind: "none" };
  const sessions = iterationsOf(timeline).map((record) => sessionOf(record, log.root, workspace));
  return { kind: "run", timeline, isRunning: isRunning(log), sessions };
}

interface Asked {
  readonly workspace: Workspace;
  readonly caller: Caller;
}

async function iterationOf(log: RunLog, number: string, asked: Asked): Promise<Inspected> {
  const iteration = /^\d+$/.test(number) ? await findIteration(log, Number(number), asked) : undefined;
  if (iteration !== undefined) return { kind: "iteration", iteration };
  const timeline = await readTimeline(log);
  const count = timeline === undefined ? 0 : iterationsOf(timeline).length;
  throw new RalphError("usage", `Run ${log.run} has no iteration ${JSON.stringify(number)}: it has ${count}`, {
    hint: `See them: ralphctl inspect ${log.run}`,
  });
}

async function findIteration(
  log: RunLog,
  number: number,
  { workspace, caller }: Asked,
): Promise<InspectedIteration | undefined> {
  const timeline = await readTimeline(log);
  const record = timeline && iterationsOf(timeline).find(({ started }) => started.iteration === number);
  if (record === undefined) return undefined;
  // F-04: the machine that has its files may be another.
  if (isOfFleet(caller.env)) await (await import("../fleet/fetch-files.ts")).fetchFiles(record, log.root, caller);
  return await inspectIteration(record, log.root, workspace);
}

/** If the folder of a run is gone, only the store's data remains. */
async function taskOf(id: string, store: Store, workspace: Workspace): Promise<Inspected> {
  const logs = new Map((await allRunLogs(workspace.root)).map((log) => [log.run, log]));
  const timelines = new Map<string, Timeline | undefined>();
  const attempts: InspectedAttempt[] = [];
  for (const attempt of await store.attempts(id)) {
    const log = attempt.run === undefined ? undefined : logs.get(attempt.run);
    if (log !== undefined && !timelines.has(log.run)) timelines.set(log.run, await readTimeline(log));
    const timeline = log && timelines.get(log.run);
    const record = timeline && iterationsOf(timeline).find(({ started }) => started.iteration === attempt.iteration);
    attempts.push({ attempt, iteration: record && (await inspectIteration(record, log.root, workspace)) });
  }
  return { kind: "task", task: (await store.get(id))!, attempts };
}

const MOST_NAMED = 5;

/** The ids that a text matches. */
async function tasksNamed(text: string, store: Store): Promise<readonly string[]> {
  try {
    return [await store.resolve(text)];
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return error.about?.kind === "ambiguous id" ? error.about.matches : [];
  }
}

const both = (text: string, { run }: RunLog): RalphError =>
  new RalphError("usage", `${text} is both a task and an iteration of run ${run}`, {
    hint: `Write ${run}/${text} for the iteration, or ralphctl task show ${text} for the task`,
  });

function several(text: string, tasks: readonly string[], runs: readonly RunLog[]): RalphError {
  const names = [
    ...(tasks.length === 0 ? [] : [`the tasks ${tasks.slice(0, MOST_NAMED).join(", ")}`]),
    ...(runs.length === 0 ? [] : [`the runs ${newest(runs)}`]),
  ];
  return new RalphError("usage", `${JSON.stringify(text)} is ambiguous: it matches ${names.join(" and ")}`, {
    hint: "Type more of the id",
  });
}

const CANDIDATES = 1000;

async function unknown(text: string, store: Store, root: string): Promise<RalphError> {
  const { tasks } = await store.list({}, { limit: CANDIDATES });
  const names = [...(await allRunLogs(root)).map(({ run }) => run), ...tasks.map(({ id }) => id)];
  const meant = closestMatch(text, names) ?? closestMatch(`t-${text}`, names);
  return new RalphError("usage", `Unknown run, iteration or task ${JSON.stringify(text.slice(0, 80))}`, {
    hint: meant === undefined ? "See the last run: ralphctl inspect" : `Did you mean ralphctl inspect ${meant}?`,
  });
}

/** The sessions of one or all scopes in every working tree, oldest first. Read-only (W-06). */
export async function listSessions(choice: ScopeChoice, surroundings: Surroundings): Promise<InspectedSession[]> {
  const workspace = await openWorkspace(surroundings);
  const key = await askedScopeKey(workspace, choice);
  const all: InspectedSession[] = [];
  for (const log of await allRunLogs(workspace.root)) {
    const timeline = await readTimeline(log);
    const records = timeline === undefined ? [] : iterationsOf(timeline);
    const wanted = records.filter(({ scope }) => key === undefined || scope === key);
    all.push(...wanted.map((record) => sessionOf(record, log.root, workspace)));
  }
  return all.toSorted((a, b) => a.record.startedAtMs - b.record.startedAtMs);
}
