import { addCost, totalTokens } from "../usage.ts";
import type { CheckKind, EventOf, IterationFinished, IterationStarted, RunEvent, TaskName } from "./event.ts";
import {
  addToIteration,
  type GateRecord,
  isProving,
  type IterationRecord,
  newIteration,
  withGate,
  withResult,
} from "./iteration-record.ts";
import type { HeldWhy } from "./lanes-held.ts";
import type { Strength } from "../strength.ts";
import { noPace, type Pace, withIteration } from "./pace.ts";
import type { WorkLeft } from "./policy.ts";
import { addEvent, emptySummary, type RunSummary } from "./summary.ts";

/** A run as its events tell it so far. Times are those of the events. */
export interface RunRecord {
  /** Of the first event; undefined when there was none. */
  readonly startedAtMs: number | undefined;
  /** When something was last heard of it. */
  readonly lastAtMs: number;
  readonly summary: RunSummary;
  /** By their numbers. Several may be under way at once. */
  readonly iterations: ReadonlyMap<number, IterationRecord>;
  /** The check under way: its gates belong to the run itself, not to an iteration. */
  readonly check: CheckRecord | undefined;
  readonly hooks: readonly RunningHook[];
  /** Why idle lanes begin no task; undefined: they may. */
  readonly held: HeldNow | undefined;
  /** The last tasks that are done, newest last. */
  readonly landed: readonly LandedNow[];
  /** What is left of the work beside the tasks under way; undefined until it is known. */
  readonly left: WorkLeft | undefined;
  /** What finished tasks took. */
  readonly pace: Pace;
}

const NOTHING_HEARD: RunRecord = {
  startedAtMs: undefined,
  lastAtMs: 0,
  summary: emptySummary,
  iterations: new Map(),
  check: undefined,
  hooks: [],
  held: undefined,
  landed: [],
  left: undefined,
  pace: noPace,
};

export type HeldNow = Pick<EventOf<"lanes.held">, "lane" | "task"> & { readonly why: HeldWhy };

interface RunningHook {
  readonly hook: string;
  readonly iteration: number | undefined;
  readonly startedAtMs: number;
}

export interface LandedNow {
  readonly task: TaskName;
  readonly strength: Strength;
  readonly atMs: number;
}

/** The last ones are enough to look at. */
const MOST_LANDED = 50;

export interface CheckRecord {
  readonly check: CheckKind;
  /** The lane that it is for; undefined: the run itself. */
  readonly lane: number | undefined;
  readonly gates: readonly GateRecord[];
}

/**
 * Puts the record of a run together, whichever events come and in whatever order. `open` forgets an iteration that has
 * ended, so that a run may last as long as it likes. The record changes with every event. `from`: a record to go on with,
 * of which nothing changes (U-07).
 */
export function createRunRecorder(keeps: "open" | "all", from: RunRecord = NOTHING_HEARD) {
  const iterations = new Map(Array.from(from.iterations, ([number, record]) => [number, { ...record }]));
  const run: RunRecord = { ...from, iterations };
  /** `id`: that of the run, where its iterations are told from those of others. */
  const add = (event: RunEvent, atMs: number, id = ""): void => {
    const summary = addEvent(run.summary, event);
    Object.assign(run, { startedAtMs: run.startedAtMs ?? atMs, lastAtMs: atMs, summary });
    // Found by the event's own type, so it is the one for it.
    const step = STEPS[event.type] as Step<RunEvent> | undefined;
    if (step !== undefined) Object.assign(run, step(run, event, atMs));
    if (event.type === "iteration.started") {
      iterations.set(
        event.iteration,
        newIteration(event, atMs, { run: id, scope: event.scope ?? summary.started?.scope ?? "" }),
      );
    } else if ("iteration" in event && event.iteration !== undefined) {
      const record = iterations.get(event.iteration);
      if (record !== undefined) addToIteration(record, event, atMs);
    }
    if (keeps === "open" && event.type === "iteration.finished") iterations.delete(event.iteration);
  };
  return { run, add };
}

/** The iterations under way, in the order in which they began. */
export const openIterations = ({ summary, iterations }: RunRecord): IterationRecord[] =>
  summary.finished !== undefined ? [] : [...iterations.values()].filter(({ finished }) => finished === undefined);

/** L-10: the iterations whose claims are being proven, first come, first served. Others that claim meanwhile wait. */
export function inRooms(run: RunRecord): readonly IterationRecord[] {
  const claimed = openIterations(run)
    .filter(isProving)
    .toSorted((one, other) => one.claimedAtMs! - other.claimedAtMs!);
  const proving = claimed.filter(({ gates }) => gates.length > 0);
  return proving.length > 0 || run.check?.check === "own" ? proving : claimed.slice(0, 1);
}

type Step<Event> = (run: RunRecord, event: Event, atMs: number) => Partial<RunRecord>;

/** What each event changes beside the summary and its iteration. */
const STEPS: { readonly [Type in RunEvent["type"]]?: Step<EventOf<Type>> } = {
  "check.started": (_, { check, lane }) => ({ check: { check, lane, gates: [] } }),
  // Another room may have a check of its own.
  "check.finished": ({ check }, { lane }) => (check?.lane === lane ? { check: undefined } : {}),
  "gate.started": ({ check }, event, atMs) => ofCheck(check, event, (each) => withGate(each, event, atMs)),
  "gate.finished": ({ check }, event, atMs) => ofCheck(check, event, (each) => withResult(each, event, atMs)),
  "tasks.changed": ({ left, landed }, event, atMs) => ({
    left: leftAfterChange(left, event),
    landed: landedAfter(landed, event, atMs),
  }),
  "iteration.started": (run, event) => ({ left: leftBeside(run, event) }),
  "iteration.finished": ({ left, landed, iterations, pace }, event, atMs) => {
    const { task, status, strength = "unbroken" } = event;
    const begun = iterations.get(event.iteration)?.startedAtMs;
    const isDone = task !== undefined && status === "done";
    return {
      left: leftAfterIteration(left, event),
      ...(begun !== undefined && { pace: withIteration(pace, event, Math.max(0, atMs - begun)) }),
      ...(isDone && { landed: withLanded(landed, { task, strength, atMs }) }),
    };
  },
  "hook.started": ({ hooks }, { hook, iteration }, atMs) => ({
    hooks: [...hooks, { hook, iteration, startedAtMs: atMs }],
  }),
  "hook.finished": ({ hooks }, { hook, iteration }) => {
    const first = hooks.findIndex((each) => each.hook === hook && each.iteration === iteration);
    return { hooks: hooks.filter((_, index) => index !== first) };
  },
  "lanes.held": (_, { why, ...event }) => ({ held: why === undefined ? undefined : { ...event, why } }),
  "run.finished": (_, { left }) => ({ hooks: [], check: undefined, left }),
};

const ofCheck = (
  check: CheckRecord | undefined,
  { iteration }: { readonly iteration?: number },
  change: (check: CheckRecord) => Pick<CheckRecord, "gates">,
): Partial<RunRecord> =>
  check === undefined || iteration !== undefined ? {} : { check: { ...check, ...change(check) } };

/** The event counts the tasks of other lanes as blocked. They are under way, and so not among those that are left. */
function leftBeside(run: RunRecord, { left }: IterationStarted): WorkLeft | undefined {
  return left === undefined ? run.left : { ...left, blocked: Math.max(0, left.blocked - tasksUnderWay(run)) };
}

const tasksUnderWay = (run: RunRecord): number =>
  openIterations(run).filter(({ started }) => started.task !== undefined).length;

function landedAfter(
  landed: readonly LandedNow[],
  { change, tasks, strength = "unbroken" }: EventOf<"tasks.changed">,
  atMs: number,
): readonly LandedNow[] {
  if (change === "claimed together") return withLanded(landed, ...tasks.map((task) => ({ task, strength, atMs })));
  if (change !== "reopened" && change !== "put back") return landed;
  return landed.filter(({ task }) => !tasks.some(({ id }) => id === task.id));
}

const withLanded = (landed: readonly LandedNow[], ...done: readonly LandedNow[]): readonly LandedNow[] =>
  [...landed, ...done].slice(-MOST_LANDED);

/** The tasks under way are not among those that are left; how one ended, puts it there. */
function leftAfterIteration(
  left: WorkLeft | undefined,
  { task, status, retry }: IterationFinished,
): WorkLeft | undefined {
  if (left === undefined || task === undefined) return left;
  const where = status === "failed" && retry ? "ready" : WHERE[status ?? "pending"];
  // A damaged log may say any word.
  return where in left ? { ...left, [where]: left[where] + 1 } : left;
}

const WHERE = { done: "settled", parked: "waiting", failed: "failed", pending: "ready" } as const;

/** As far as it can be told: parents are tasks too, and the next iteration brings the right numbers. */
function leftAfterChange(
  left: WorkLeft | undefined,
  { change, tasks }: EventOf<"tasks.changed">,
): WorkLeft | undefined {
  const to = change === "parked" ? "waiting" : change === "claimed together" ? "settled" : undefined;
  if (left === undefined || to === undefined) return left;
  const count = Math.min(tasks.length, left.ready);
  return { ...left, ready: left.ready - count, [to]: left[to] + count };
}

/** How far the work is; undefined until it is known. */
export interface Progress {
  readonly done: number;
  readonly failed: number;
  readonly waiting: number;
  readonly total: number;
}

export function progressOf(run: RunRecord): Progress | undefined {
  if (run.left === undefined) return undefined;
  const { ready, blocked, waiting, failed, settled } = run.left;
  const total = ready + blocked + waiting + failed + settled + tasksUnderWay(run);
  return { done: settled, failed, waiting, total };
}

/** What all sessions took so far, those under way included. */
export function spentOf(run: RunRecord): Pick<RunSummary, "costUsd" | "tokens" | "isCostPartial" | "isCostEstimated"> {
  const { costUsd, tokens, isCostPartial, isCostEstimated } = run.summary;
  return openIterations(run).reduce(
    (sum, { usage }) => ({
      costUsd: addCost(sum.costUsd, usage.costUsd),
      tokens: sum.tokens + totalTokens(usage),
      // One under way that has reported nothing yet is not unknown, but to come.
      isCostPartial: sum.isCostPartial || usage.isCostPartial === true,
      isCostEstimated: sum.isCostEstimated || usage.isEstimated,
    }),
    { costUsd, tokens, isCostPartial, isCostEstimated },
  );
}
