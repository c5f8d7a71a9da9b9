import { withLane } from "../domain/run/event-lane.ts";
import { emptyTally } from "../domain/run/policy.ts";
import type { Lane, Room } from "../lane/lane.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import { createBell, createQuiet, poolOf, seatAt } from "./desk.ts";
import type { Assignment, RunDeps } from "./run-deps.ts";
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
  return {
    deps,
    startedAtMs: performance.now(),
    landing: assignment.head,
    startHead: assignment.head,
    mode: assignment.mode,
    only: assignment.only,
    buildsAfterPlan: assignment.buildsAfterPlan,
    iterations: 0,
    isOneTask: assignment.size === "one",
    tally: emptyTally,
    begun: 0,
    avoid: new Map(),
    cooldowns: deps.agents.map(() => undefined),
    waitedMs: 0,
    reviewerCooldown: undefined,
    agentsGates: deps.gates.agents,
    redGates: [],
    redBefore: [],
    red: [],
    idle: 0,
    settled: [],
    ownPlans: new Map(),
    planWrites: [],
    elsewhere: new Set(),
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
    end: undefined,
    laneError: undefined,
    broken,
  };
}

/** The initial state of a lane. `asRoom`: its gates run in the lane itself (T-02). */
export function startLane(run: RunState, place: Lane, asRoom?: Room): LaneState {
  const seat = seatAt(run.desk);
  const { aside } = seat;
  const deps: RunDeps = {
    ...run.deps,
    emit: (event) => run.deps.emit(run.lanes > 1 && lane.isAtWork ? withLane(event, place.number) : event),
    aside,
    inRoom: async (action) => await inRoom(lane, action),
    asLander: async (action) => {
      const held = await aside(run.landers.take);
      try {
        return await action();
      } finally {
        run.landers.give(held);
      }
    },
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
    room: undefined,
    asRoom,
    iteration: 0,
    isAtWork: false,
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
  return lane;
}

/** Until the first session begins. */
const NO_SNAPSHOT: Snapshot = { head: undefined, branch: undefined, tree: "", changed: [], takenAtMs: 0 };
