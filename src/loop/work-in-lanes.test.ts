import { expect, test, vi } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { RalphError } from "../domain/error.ts";
import { LaneFailed } from "../lane/lane.ts";
import { startLane, startRun } from "./open-lane.ts";
import type { LaneState } from "./run-state.ts";
import { type LanePlaces, workInLanes } from "./work-in-lanes.ts";

const ASSIGNMENT = {
  mode: "build",
  only: undefined,
  size: 3,
  buildsAfterPlan: false,
  notices: [],
  info: [],
  notIncluded: [],
} as const;

test("L-42 too little space for more lanes is said once, and the lanes that there are do all the work", async () => {
  const { lane: begun, events } = await startTestRun(await newRepository({}), { told: new Set() });
  for (const title of ["One", "Two", "Three"]) await addTask(begun, { title });
  const run = startRun(begun.deps, { ...ASSIGNMENT, head: begun.run.landing }, 3);
  const lane = startLane(run, begun.place);
  const places: LanePlaces = {
    first: { lane: begun.place },
    count: 3,
    gates: 1,
    openRoom: async () => await Promise.reject(new Error("no room may be opened")),
    open: async () => await Promise.reject(new Error("no lane may be opened")),
    hasSpace: async () => false,
    others: async () => [],
  };
  const worked: string[] = [];
  const iterate = async ({ deps }: LaneState) => {
    const claim = await deps.store.claim({ scopes: [deps.scope], owner: deps.owner, leaseMs: 60_000 });
    if (claim === undefined) return { reason: "All tasks are done" };
    worked.push(claim.task.title);
    await lane.seat.aside(async () => await vi.waitUntil(() => events.length > 0, { timeout: 50_000 })); // the others have looked
    return undefined;
  };
  await workInLanes(lane, places, { iterate });
  expect([worked, run.end]).toEqual([["One", "Two", "Three"], { reason: "All tasks are done" }]);
  expect(events.filter(({ type }) => type === "run.notice")).toEqual([
    {
      type: "run.notice",
      level: "warning",
      text: "There is too little space for more lanes, so fewer agents work at once. ralphctl lanes gc removes lanes",
    },
  ]);
});

test("L-04 a lane that fails is left out, the first one too; the others do its work, and without any the run fails", async () => {
  const { lane: begun, events } = await startTestRun(await newRepository({}));
  await addTask(begun);
  const failure = new LaneFailed(new RalphError("config", "Set-up failed"));
  const play = async (failing: readonly number[]) => {
    const run = startRun(begun.deps, { ...ASSIGNMENT, head: begun.run.landing }, 3);
    const places: LanePlaces = {
      first: { lane: begun.place },
      count: 3,
      gates: 1,
      openRoom: async () => await Promise.reject(new Error("no room may be opened")),
      open: async (number) => ({ lane: { ...begun.place, number }, close: async () => undefined }),
      hasSpace: async () => true,
      others: async () => [],
    };
    const iterate = async ({ place }: LaneState) => {
      if (failing.includes(place.number)) throw failure;
      return { reason: `Lane ${place.number} is through` };
    };
    await workInLanes(startLane(run, begun.place), places, { iterate });
    return run.end;
  };
  expect([await play([1]), events.length]).toEqual([{ reason: expect.stringMatching(/^Lane [23] is through$/) }, 1]);
  expect(events).toMatchObject([{ type: "run.notice", text: "Lane 1 is left out: Set-up failed" }]);
  await expect(play([1, 2, 3])).rejects.toBe(failure);
});

test("L-10 an error while a further room opens stops the other lanes, and closes the lane", async () => {
  const { lane: begun } = await startTestRun(await newRepository({}));
  for (const title of ["One", "Two", "Three"]) await addTask(begun, { title });
  const run = startRun(begun.deps, { ...ASSIGNMENT, head: begun.run.landing }, 2);
  const lane = startLane(run, begun.place);
  const broken = new Error("no room may be opened");
  let closed = 0;
  const places: LanePlaces = {
    first: { lane: begun.place },
    count: 2,
    gates: 2,
    openRoom: async () => await Promise.reject(broken),
    open: async (number) => ({ lane: { ...begun.place, number }, close: async () => void (closed += 1) }),
    hasSpace: async () => true,
    others: async () => [],
  };
  const iterate = async ({ deps }: LaneState) => {
    await lane.seat.aside(async () => await vi.waitUntil(() => deps.stop.aborted, { timeout: 50_000 }));
    return { reason: "Stopped" };
  };
  const working = workInLanes(lane, places, { iterate });
  await expect(working).rejects.toBe(broken);
  expect([closed, run.end]).toEqual([1, { reason: "Stopped" }]);
});

test("L-04 L-21 as many lanes as there are tasks open while the baseline is taken, and no task begins before its end", async () => {
  const { lane: begun } = await startTestRun(await newRepository({}));
  for (const title of ["One", "Two", "Three"]) await addTask(begun, { title });
  const play = async (end: () => Promise<void>) => {
    const run = startRun(begun.deps, { ...ASSIGNMENT, head: begun.run.landing }, 8);
    const lane = startLane(run, begun.place);
    const seen: string[] = [];
    const opened = (): string[] => seen.filter((word) => word.startsWith("opened"));
    const places: LanePlaces = {
      first: { lane: begun.place },
      count: 8,
      gates: 1,
      openRoom: async () => await Promise.reject(new Error("no room may be opened")),
      open: async (number, start) => {
        seen.push(`opened at ${start?.head === run.landing ? "the landing" : "nothing"}`);
        return { lane: { ...begun.place, number }, close: async () => void seen.push("closed") };
      },
      hasSpace: async () => true,
      others: async () => [],
    };
    const before = async (): Promise<void> => {
      await lane.seat.aside(async () => await vi.waitUntil(() => opened().length === 2, { timeout: 50_000 }));
      seen.push("baseline");
      await end();
    };
    const iterate = async () => {
      seen.push("iteration");
      return { reason: "Done" };
    };
    const outcome = await workInLanes(lane, places, { before, iterate }).catch((error: unknown) => error);
    return { seen, outcome };
  };
  const both = ["opened at the landing", "opened at the landing", "baseline"];
  expect(await play(async () => undefined)).toEqual({
    seen: [...both, "iteration", "closed", "closed"],
    outcome: undefined,
  });
  const refused = new RalphError("config", "A gate cannot pass in the room");
  expect(await play(async () => await Promise.reject(refused))).toEqual({
    seen: [...both, "closed", "closed"],
    outcome: refused,
  });
});
