import { RalphError } from "../domain/error.ts";
import type { Task } from "../domain/task.ts";
import { type Lane, LaneFailed, type Room, type Start } from "../lane/lane.ts";
import { keptAs } from "../lane/place.ts";
import { nameTree } from "../system/git/tree.ts";
import { dropProving } from "../system/git/work-ref.ts";
import { sleep } from "../system/sleep.ts";
import { awaitAgent } from "./after.ts";
import { decide, type End, STOPPED } from "./decide.ts";
import { heldBy, hold, release } from "./held-lanes.ts";
import { awaitHooks } from "./hooks.ts";
import { laneInScopeOf, startLane } from "./open-lane.ts";
import { begunKey, rescueWork } from "./rescue.ts";
import { hasScopes, type LaneState, rest, type RunState, warn } from "./run-state.ts";
import { restoreMark } from "./settle.ts";
import { startRef } from "./start-work.ts";
import { endScope, nextLane } from "./scopes.ts";
import { countReadyInAll, hasReady } from "./work-left.ts";

/** A lane that is open. */
export interface OpenLane {
  readonly lane: Lane;
  /** T-02: gates run in the lane itself. */
  readonly asRoom?: Room | undefined;
  readonly close: () => Promise<void>;
}

/** Where a run works. */
export interface LanePlaces {
  /** Lane 1, or lane 0. The run does not close it. */
  readonly first: Omit<OpenLane, "close">;
  /** How many lanes may work at once. */
  readonly count: number;
  /** L-10: how many proofs may run at once. */
  readonly gates: number;
  /** `start`: the lane is filled with it and set up. */
  readonly open: (number: number, start?: Start) => Promise<OpenLane>;
  readonly openRoom: (number: number) => Promise<Room>;
  /** L-42: whether the disk has space for one more. */
  readonly hasSpace: () => Promise<boolean>;
  /** The numbers of other lanes that exist. */
  readonly others: () => Promise<readonly number[]>;
}

type Iterate = (lane: LaneState) => Promise<End | undefined>;

export interface LaneWork {
  /** Before the first iteration, such as the baseline. Other lanes are opened meanwhile. */
  readonly before?: () => Promise<void>;
  readonly iterate: Iterate;
}

/** Works in all lanes until one of them finds a reason to end the run. An error in one stops the others in order. */
export async function workInLanes(first: LaneState, places: LanePlaces, { before, iterate }: LaneWork): Promise<void> {
  const { run } = first;
  const numbers = Array.from({ length: places.count - 1 }, (_, index) => index + 2);
  const begun = before === undefined ? Promise.resolve() : beginFirst(first, before);
  const work = async (lane: LaneState): Promise<void> => {
    await begun;
    await workLane(lane, iterate);
  };
  // Set-up may use what gates must have for themselves.
  const mayOpen = run.quiet === undefined ? Promise.resolve() : begun;
  const working = [
    work(first).finally(() => (run.open -= 1)),
    ...numbers.map(async (number) => await workExtraLane(run, { places, number, mayOpen, work })),
  ];
  const ended = await Promise.allSettled(working);
  const failed = ended.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  if (run.end === undefined && run.deps.stop.aborted) run.end = STOPPED;
  // No lane is left that could have found an end.
  if (run.end === undefined && run.laneError !== undefined) throw run.laneError;
}

async function beginFirst({ seat, run }: LaneState, before: () => Promise<void>): Promise<void> {
  try {
    await seat.sit(before);
  } catch (error) {
    run.broken.abort();
    throw error;
  }
}

/** L-04: the other lanes do the work of one that cannot be used. */
function leaveOut(run: RunState, number: number, error: RalphError): void {
  run.laneError = error;
  warn(run, `Lane ${number} is left out: ${error.message}`);
}

async function workLane(lane: LaneState, iterate: Iterate): Promise<void> {
  const { run } = lane;
  try {
    await lane.seat.sit(async () => {
      while (run.end === undefined) {
        const here = await nextLane(lane);
        if (here === undefined) await nothingLeft(lane);
        else await workOnce(here, iterate);
      }
    });
  } catch (error) {
    if (error instanceof LaneFailed && run.lanes > 1 && !run.deps.stop.aborted) {
      leaveOut(run, lane.place.number, error);
      return;
    }
    run.broken.abort();
    throw error;
  } finally {
    run.bell.ring();
  }
}

async function workOnce(lane: LaneState, iterate: Iterate): Promise<void> {
  const end = (await decide(lane)) ?? (await awaitAgent(lane)) ?? (await beginIteration(lane, iterate));
  if (end !== undefined) endScope(lane, end);
}

/** All scopes have ended; but work of another lane may unblock tasks of theirs. */
async function nothingLeft(lane: LaneState): Promise<void> {
  if (lane.run.deps.stop.aborted) lane.run.end ??= STOPPED;
  else if (lane.run.busy.size > 0) await standBy(lane);
  else lane.run.end ??= { reason: "Nothing more is ready" };
}

async function beginIteration(lane: LaneState, iterate: Iterate): Promise<End | undefined> {
  const { run } = lane;
  const why = heldBy(run);
  if (why !== undefined) {
    if (why !== "plan" && why !== "alone" && (await hasReady(run))) hold(lane, why);
    return await standBy(lane);
  }
  release(run);
  run.busy.add(lane);
  try {
    return await iterate(lane);
  } finally {
    rest(lane);
    run.reserved.delete(lane);
  }
}

const LOOK_MS = 1000;

/** Waits until another lane has done something, or somebody may have added a task. */
export async function standBy(lane: LaneState): Promise<undefined> {
  const { run, seat } = lane;
  rest(lane);
  await seat.aside(async () => await nextChange(run));
  return undefined;
}

async function nextChange(run: RunState): Promise<void> {
  run.nextChange ??= changeOrTask(run).finally(() => {
    run.nextChange = undefined;
  });
  await run.nextChange;
}

/** One look at the tasks serves all lanes that wait. */
async function changeOrTask(run: RunState): Promise<void> {
  const { bell, deps } = run;
  const rung = new AbortController();
  void bell.next().then(() => rung.abort());
  void deps.fleet?.wake.next().then(() => rung.abort());
  const over = AbortSignal.any([deps.stop, rung.signal]);
  do await sleep(LOOK_MS, over);
  while (!over.aborted && !hasScopes(run) && deps.fleet === undefined && !(await hasReady(run)));
}

/** L-25: a task that conflicted again and again begins when no other lane works, and none begins before it ends. */
export async function alone<Result>(lane: LaneState, task: Task, action: () => Promise<Result>): Promise<Result> {
  const { run, seat } = lane;
  const waitWhile = async (isTooEarly: () => boolean): Promise<void> => {
    while (isTooEarly() && !run.deps.stop.aborted) await seat.aside(async () => await nextChange(run));
  };
  lane.isInLine = true;
  run.bell.ring();
  await waitWhile(() => run.alone !== undefined);
  lane.isInLine = false;
  run.alone = lane.place.number;
  hold(lane, "alone", task);
  try {
    await waitWhile(() => [...run.busy].some((other) => other !== lane && !other.isInLine));
    return await action();
  } finally {
    run.alone = undefined;
    release(run);
  }
}

interface ExtraLane {
  readonly places: LanePlaces;
  readonly number: number;
  readonly mayOpen: Promise<void>;
  readonly work: (lane: LaneState) => Promise<void>;
}

/** What a lane began last may still go on, by the same git index. */
export async function awaitBackground({ states }: LaneState): Promise<void> {
  await Promise.all([...states.values()].map(async ({ background }) => await background));
}

/** A lane besides the first is opened when there is a task for it. Without it, the others do its work. */
async function workExtraLane(run: RunState, { places, number, mayOpen, work }: ExtraLane): Promise<void> {
  await mayOpen;
  while (!(await takeOpening(run))) {
    if (run.end !== undefined || run.deps.stop.aborted) return;
    await nextChange(run);
  }
  try {
    const opened = await openReady(run, places, number);
    if (opened === undefined) return;
    try {
      if (number <= places.gates) await openFurtherRoom(run, places, number);
      const lane = startLane(run, opened.lane, opened);
      await work(lane);
      await awaitBackground(lane);
      // A parallel hook may still work in the lane.
      await awaitHooks(lane);
    } finally {
      await opened.close();
    }
  } catch (error) {
    run.broken.abort();
    throw error;
  } finally {
    run.open -= 1;
  }
}

const NO_SPACE =
  "There is too little space for more lanes, so fewer agents work at once. ralphctl lanes gc removes lanes";

/** L-04: set-up that fails is an error of the lane, never an attempt of a task. Undefined if the lane cannot be used. */
async function openReady(run: RunState, places: LanePlaces, number: number): Promise<OpenLane | undefined> {
  try {
    if (!(await places.hasSpace())) {
      if (run.deps.told?.has(NO_SPACE) !== true) warn(run, NO_SPACE);
      run.deps.told?.add(NO_SPACE);
      return undefined;
    }
    const head = run.landing;
    const { tree } = await nameTree(run.deps.home, head, []);
    return await places.open(number, { head, tree });
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // Set-up that was stopped has not failed.
    if (!run.deps.stop.aborted) leaveOut(run, number, error);
    return undefined;
  }
}

/** L-10: a room for each lane, up to the limit. Without it, its lane waits for another. */
async function openFurtherRoom(run: RunState, { openRoom }: LanePlaces, number: number): Promise<void> {
  try {
    run.rooms.give(await openRoom(number));
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    warn(run, `Room ${number} is left out: ${error.message}`);
  }
}

/** Whether there is a task for one more lane, which counts as open from now on. */
async function takeOpening(run: RunState): Promise<boolean> {
  const ready = run.mode === "plan" ? 0 : await countReadyInAll(run, run.lanes);
  // Other lanes that asked at the same time may have been opened since.
  const mayOpen = run.end === undefined && !run.deps.stop.aborted;
  const isWanted = mayOpen && (run.open === 0 || ready > run.open - run.busy.size);
  if (isWanted) run.open += 1;
  return isWanted;
}

/** L-41: keeps the work that killed sessions left in other lanes. Without such work, nothing of a lane is needed. */
export async function rescueOthers({ run }: LaneState, places: LanePlaces): Promise<void> {
  const numbers = await places.others();
  const begun = await Promise.all(numbers.map(async (number) => await wasBegun(run, number)));
  await dropProving(
    run.deps.home,
    ...numbers.flatMap((number, at) => (begun[at] ? [] : [keptAs(number)])),
    ...numbers.map(startRef),
  );
  for (const number of numbers.filter((_, at) => begun[at])) {
    const opened = await places.open(number);
    try {
      const lane = startLane(run, opened.lane);
      const rescued = await rescueWork(lane);
      if (rescued !== undefined) await restoreMark(laneInScopeOf(lane, rescued), rescued);
    } finally {
      await opened.close();
    }
  }
}

const wasBegun = async ({ deps }: RunState, number: number): Promise<boolean> =>
  (await deps.store.getMeta(begunKey(deps, number))) !== undefined;
