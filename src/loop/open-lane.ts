import { withLane } from "../domain/run/event-lane.ts";
import { defaultIterations, emptyTally } from "../domain/run/policy.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { Lane, Room } from "../lane/lane.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import { createBell, createQuiet, poolOf, type Seat, seatAt } from "./desk.ts";
import { shownNumber } from "./fleet-deps.ts";
import type { Assignment, ReadyScope, RunDeps } from "./run-deps.ts";
import { type HooksState, inRoom, type LaneState, type RunState } from "./run-state.ts";

/** The initial state of a run. */
export function startRun(given: RunDeps, assignment: Assignment, lanes = 1): RunState {
  const hooks: HooksState = { end: new AbortController(), background: new Map(), parked: [], started: 0 };
  const broken = new AbortController();
  const deps: RunDeps = {
    ...given,
    stop: AbortSignal.any([given.stop, broken.signal]),
    emit: (event) => {
      // A step may park a task, but hooks run only between steps.
      if (event.type === "tasks.changed" && event.change === "parked") hooks.parked.push(event);
      given.emit(event);
    },
  };
  const run: RunState = {
    deps,
    scopes: [],
    refused: [],
    ...ownState(assignment),
    startedAtMs: performance.now(),
    landing: assignment.head,
    startHead: assignment.head,
    mode: assignment.mode,
    buildsAfterPlan: assignment.buildsAfterPlan,
    iterations: 0,
    tally: emptyTally,
    begun: 0,
    avoid: new Map(),
    cooldowns: deps.agents.map(() => undefined),
    worked: new Set(),
    waitedMs: 0,
    reviewerCooldown: undefined,
    agentsGates: deps.gates.agents,
    redGates: [],
    redBefore: [],
    red: [],
    idle: 0,
    fleet: { unclaimedMs: undefined, trouble: undefined },
    notFollowing: undefined,
    taken: { costUsd: undefined, isCostPartial: false, isCostEstimated: false, tokens: 0 },
    hooks,
    lanes,
    desk: poolOf(["desk"]),
    rooms: poolOf([deps.room]),
    landers: poolOf(["lander"]),
    quiet: deps.rules.exclusiveGates ? createQuiet() : undefined,
    bell: createBell(),
    nextChange: undefined,
    open: 1,
    busy: new Set(),
    reserved: new Map(),
    isWaiting: false,
    resumes: 0,
    alone: undefined,
    held: undefined,
    hasStarted: false,
    end: undefined,
    laneError: undefined,
    broken,
  };
  run.scopes.push(run);
  return run;
}

/** What each scope of a run has for itself. */
const ownState = ({ only, size }: Pick<Assignment, "only" | "size">) => ({
  ended: undefined,
  outcome: undefined,
  tasks: size === "one" ? 1 : size,
  only,
  isOneTask: size === "one",
  counted: 0,
  settled: [],
  ownPlans: new Map<string, string>(),
  planWrites: [],
  elsewhere: new Set<TaskId>(),
});

/** The state of one more scope of a run: all but its own work is that of the run. */
export function startScope(run: RunState, { deps: own, only, size }: ReadyScope): RunState {
  const deps = { ...run.deps, ...own };
  const scope = sharing(run, {
    ...ownState({ only, size }),
    deps,
    mode: "build",
    buildsAfterPlan: false,
    iterations: deps.rules.iterations ?? defaultIterations({ mode: "build", tasks: size }),
  });
  run.scopes.push(scope);
  return scope;
}

function sharing(run: RunState, own: Partial<RunState>): RunState {
  const shared = (Object.keys(run) as (keyof RunState)[]).filter((key) => !(key in own));
  for (const key of shared) {
    const get = (): unknown => run[key];
    const set = (value: unknown): void => void Object.assign(run, { [key]: value });
    Object.defineProperty(own, key, { get, set, enumerable: true });
  }
  return own as RunState;
}

/** The state of a lane in another scope of its run. */
export function laneIn(lane: LaneState, scope: RunState): LaneState {
  const { place, asRoom, seat, states } = lane;
  return states.get(scope) ?? startLane(scope, place, { asRoom, seat, states });
}

/** The state of a lane in the scope of a task, if the run works on that. */
export const laneInScopeOf = (lane: LaneState, { scope: key }: Pick<Task, "scope">): LaneState =>
  laneIn(lane, lane.run.scopes.find(({ deps }) => deps.scope === key) ?? lane.run);

interface LaneParts {
  /** T-02: gates run in the lane itself. */
  readonly asRoom?: Room | undefined;
  /** Those of the same lane in other scopes. */
  readonly seat?: Seat;
  readonly states?: LaneState["states"];
}

/** The initial state of a lane. */
export function startLane(
  run: RunState,
  place: Lane,
  { asRoom, seat = seatAt(run.desk), states = new Map() }: LaneParts = {},
): LaneState {
  const { aside } = seat;
  const deps: RunDeps = {
    ...run.deps,
    emit: (event) => run.deps.emit(isNumbered(run) && lane.isAtWork ? withLane(event, shownNumber(lane)) : event),
    aside,
    inRoom: async (action) => await inRoom(lane, action),
    asLander: async (action) =>
      run.deps.fleet === undefined ? await landHere(lane, action) : await landForAll(lane, action),
    publish: run.deps.fleet && (async (move) => await run.deps.fleet!.lander.publish(lane, move)),
    get stop() {
      return lane.isProving ? run.deps.kill : run.deps.stop;
    },
    room: {
      ...run.deps.room,
      enter: async (start, use) => {
        if (lane.room === undefined) throw new Error("A lane must take a room before it enters it");
        const { room } = lane;
        return await aside(async () => await room.enter(start, { ...use, stop: deps.stop, lane: place.folder }));
      },
    },
  };
  const lane: LaneState = {
    run,
    deps,
    place,
    seat,
    states,
    room: undefined,
    lease: undefined,
    offered: undefined,
    lander: undefined,
    asRoom,
    iteration: 0,
    isAtWork: false,
    agent: undefined,
    base: NO_SNAPSHOT,
    last: NO_SNAPSHOT,
    laidPlans: new Map(),
    hint: undefined,
    noted: undefined,
    lateNotes: [],
    history: undefined,
    planNotes: { notes: [] },
    background: Promise.resolve(),
    isProving: false,
    isInLine: false,
  };
  states.set(run, lane);
  return lane;
}

const isNumbered = ({ lanes, deps }: RunState): boolean => lanes > 1 || deps.fleet !== undefined;

async function landHere<Result>({ run, seat }: LaneState, action: () => Promise<Result>): Promise<Result> {
  const held = await seat.aside(run.landers.take);
  try {
    return await action();
  } finally {
    run.landers.give(held);
  }
}

/** The room comes first: lanes with a room wait for those that land, never the other way round. */
async function landForAll<Result>(lane: LaneState, action: () => Promise<Result>): Promise<Result> {
  const { lander } = lane.deps.fleet!;
  const isHeld = lane.lander !== undefined;
  return await inRoom(lane, async () => {
    await lander.hold(lane);
    try {
      return await action();
    } finally {
      if (!isHeld) await lander.leave(lane);
    }
  });
}

/** Until the first session begins. */
const NO_SNAPSHOT: Snapshot = { head: undefined, branch: undefined, tree: "", changed: [], takenAtMs: 0 };
