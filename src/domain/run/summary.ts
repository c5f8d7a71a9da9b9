import type { Strength } from "../strength.ts";
import type { TaskId } from "../task.ts";
import { addCost, isPartial, type SessionCost } from "../usage.ts";
import type { EventOf, IterationFinished, IterationStarted, RunEvent } from "./event.ts";
import type { RunEnding } from "./policy.ts";
import { changeIn, withChangeOf } from "./ready-changes.ts";
import type { HookFinished, RunAsked, RunFinished, RunStarted, TaskName } from "./event.ts";

/** All that a summary of a run, or a look at one that still runs, needs to know. */
export interface RunSummary {
  /** Undefined until it has begun. */
  readonly started: RunStarted | undefined;
  /** The newest iteration. */
  readonly latest: IterationStarted | undefined;
  /** What is known of tasks, while the run lasts. */
  readonly tasks: ReadonlyMap<TaskId, TaskResult>;
  /** Of several changes, how each stands: its end, or undefined while something is done for it. */
  readonly changes: ReadonlyMap<string, RunEnding | undefined>;
  readonly commits: number;
  /** Undefined when no session reported any. */
  readonly costUsd: number | undefined;
  /** The cost of some sessions is unknown, so this is a minimum. */
  readonly isCostPartial: boolean;
  /** Some of it comes from a price list, or was told before it was complete. */
  readonly isCostEstimated: boolean;
  readonly tokens: number;
  /** Notices and warnings; the last ones of many. */
  readonly notices: readonly { readonly level: "info" | "warning"; readonly text: string }[];
  /** What was proven in the tree, but is in no commit. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
  /** Work that was put aside. */
  readonly kept: readonly { readonly task?: TaskId; readonly ref: string; readonly why: string }[];
  /** How many hooks ran, and how many of them failed. */
  readonly hooks: { readonly runs: number; readonly failed: number };
  /** What the run waits for at the moment. */
  readonly waiting: { readonly for: "limit" | "outage" | "pause"; readonly untilMs?: number } | undefined;
  /** What people have asked of it: to stop or to pause after the iteration. */
  readonly asked: Pick<RunAsked, "stop" | "pause">;
  /** Undefined while it runs, or if it ended without a word. */
  readonly finished: RunFinished | undefined;
}

export type TaskResult = Strength | "failed" | "waiting" | "dropped";

/** How many tasks are in which state. */
export type TaskCounts = Readonly<Record<TaskResult | "blocked", number>>;

export const emptySummary: RunSummary = {
  started: undefined,
  latest: undefined,
  tasks: new Map(),
  changes: new Map(),
  commits: 0,
  costUsd: undefined,
  isCostPartial: false,
  isCostEstimated: false,
  tokens: 0,
  notices: [],
  leftOut: [],
  kept: [],
  hooks: { runs: 0, failed: 0 },
  waiting: undefined,
  asked: { stop: false, pause: false },
  finished: undefined,
};

const MAX_NOTICES = 100;

/** The summary after one more event, whichever it is and whatever came before. */
export function addEvent(summary: RunSummary, event: RunEvent): RunSummary {
  // Found by the event's own type, so it is the one for it.
  const step = STEPS[event.type] as ((summary: RunSummary, event: RunEvent) => RunSummary) | undefined;
  return step === undefined ? summary : step(summary, event);
}

type Steps = { readonly [Type in RunEvent["type"]]?: (summary: RunSummary, event: EventOf<Type>) => RunSummary };

/** Later events repeat the results of sessions, gates and checks, so most events need no step. */
const STEPS: Steps = {
  "run.started": (summary, event) => ({
    ...summary,
    started: event,
    changes: new Map(event.changes?.map((change) => [change, undefined])),
  }),
  "change.finished": (summary, { change, ending }) => ({ ...summary, changes: withChange(summary, change, ending) }),
  "run.notice": (summary, { level, text }) => ({
    ...summary,
    notices: [...summary.notices, { level, text }].slice(-MAX_NOTICES),
  }),
  "run.waiting": (summary, { for: reason, untilMs }) => ({
    ...summary,
    waiting: { for: reason, ...(untilMs !== undefined && { untilMs }) },
  }),
  "run.resumed": (summary) => ({ ...summary, waiting: undefined }),
  "run.asked": (summary, { stop, pause }) => ({ ...summary, asked: { stop, pause } }),
  "tasks.changed": (summary, event) => ({ ...summary, tasks: changed(summary.tasks, event) }),
  "iteration.started": (summary, event) => ({
    ...summary,
    // While one lane waits, another may work with another agent.
    waiting: hasLanes(summary) ? summary.waiting : undefined,
    latest: event,
    started: summary.started && withChangeOf(summary.started, event),
    ...(event.scope !== undefined && { changes: withChange(summary, changeIn(event.scope), undefined) }),
  }),
  "iteration.finished": afterIteration,
  "commit.made": (summary, { leftOut }) => {
    const isNew = ({ path }: { readonly path: string }): boolean => !leftOut.some((one) => one.path === path);
    return { ...summary, commits: summary.commits + 1, leftOut: [...summary.leftOut.filter(isNew), ...leftOut] };
  },
  "work.kept": (summary, { task, ref, why }) => ({
    ...summary,
    kept: [...summary.kept, { ...(task !== undefined && { task }), ref, why }],
  }),
  "hook.finished": afterHook,
  "run.finished": finishedWith,
};

const withChange = ({ changes }: RunSummary, change: string, ending: RunEnding | undefined): RunSummary["changes"] =>
  new Map([...changes, [change, ending]]);

/** Lanes that may be named while they have no task: those of a fleet are known to its machines. */
export const ownLanes = ({ started }: Pick<RunSummary, "started">): number =>
  started?.fleet === true ? 0 : (started?.lanes ?? 1);

/** L-08: several iterations may be under way at once. */
export const hasLanes = ({ started }: Pick<RunSummary, "started">): boolean =>
  started?.fleet === true || (started?.lanes ?? 1) > 1;

/** The final numbers once they are there; before, those that can be told. */
export function countsOf({ finished, tasks }: RunSummary): TaskCounts {
  if (finished !== undefined) {
    const { verified, proven = 0, unverified, dropped, left } = finished;
    const done = { proven, unbroken: Math.max(0, verified - proven), look: unverified };
    return { ...done, dropped, failed: left.failed, waiting: left.waiting, blocked: left.blocked };
  }
  const counts = { proven: 0, unbroken: 0, look: 0, failed: 0, waiting: 0, dropped: 0, blocked: 0 };
  for (const state of tasks.values()) counts[state] += 1;
  return counts;
}

function afterIteration(summary: RunSummary, event: IterationFinished): RunSummary {
  return { ...summary, ...withSpent(summary, event), tasks: settled(summary.tasks, event) };
}

function afterHook(summary: RunSummary, event: HookFinished): RunSummary {
  const { passed, costUsd, tokens, isEstimated = false, isCostPartial } = event;
  const { runs, failed } = summary.hooks;
  const hooks = { runs: runs + 1, failed: failed + (passed ? 0 : 1) };
  if (tokens === undefined) return { ...summary, hooks }; // it started no agent
  return {
    ...summary,
    ...withSpent(summary, { costUsd, tokens, isEstimated, ...(isCostPartial && { isCostPartial }) }),
    hooks,
  };
}

const withSpent = (
  summary: RunSummary,
  spent: SessionCost,
): Pick<RunSummary, "costUsd" | "isCostPartial" | "isCostEstimated" | "tokens"> => ({
  costUsd: addCost(summary.costUsd, spent.costUsd),
  isCostPartial: summary.isCostPartial || isPartial(spent),
  isCostEstimated: summary.isCostEstimated || spent.isEstimated,
  tokens: summary.tokens + spent.tokens,
});

/** The run's own numbers win: they count what starts an agent outside of iterations, too (P-44). */
function finishedWith(summary: RunSummary, finished: RunFinished): RunSummary {
  const { commits, costUsd, tokens } = finished;
  const isCostPartial = summary.isCostPartial || finished.isCostPartial === true;
  const isCostEstimated = summary.isCostEstimated || finished.isCostEstimated === true;
  return { ...summary, waiting: undefined, finished, commits, costUsd, tokens, isCostPartial, isCostEstimated };
}

function settled(tasks: RunSummary["tasks"], { task, status, strength }: IterationFinished): RunSummary["tasks"] {
  if (task === undefined || status === undefined) return tasks;
  if (status === "done") return withState(tasks, [task], strength ?? "unbroken");
  return withState(tasks, [task], status === "pending" ? undefined : status === "failed" ? "failed" : "waiting");
}

function changed(tasks: RunSummary["tasks"], event: EventOf<"tasks.changed">): RunSummary["tasks"] {
  if (event.change === "added" || event.change === "updated") return tasks;
  const state =
    event.strength ?? (event.change === "dropped" ? "dropped" : event.change === "parked" ? "waiting" : undefined);
  return withState(tasks, event.tasks, state);
}

/** Undefined: open again. */
function withState(
  tasks: RunSummary["tasks"],
  names: readonly TaskName[],
  state: TaskResult | undefined,
): RunSummary["tasks"] {
  const after = new Map(tasks);
  for (const { id } of names) {
    if (state === undefined) after.delete(id);
    else after.set(id, state);
  }
  return after;
}
