import { describe, expect, test } from "vitest";
import { iterationFinished, iterationStarted, runFinished, runStarted } from "../../../test/run-events.ts";
import { estimate, estimateOf, type WorkAhead } from "./estimate.ts";
import type { RunEvent } from "./event.ts";
import { createRunRecorder } from "./run-record.ts";

const took = (...seconds: readonly number[]): WorkAhead["pace"] => ({
  finished: seconds.map((each) => ({ ms: each * 1000, costUsd: each / 100 })),
  open: new Map(),
});

const ahead: WorkAhead = {
  pace: took(100, 100, 100),
  tasks: 8,
  underWayMs: [],
  lanes: 4,
  chain: 1,
  waitMs: 0,
  spentUsd: 3,
};

/** In seconds and dollars, rounded. */
function seconds(work: Partial<WorkAhead>): unknown {
  const found = estimate({ ...ahead, ...work });
  const round = ({ from, to }: { readonly from: number; readonly to: number }, unit: number) => [
    Math.round(from / unit),
    Math.round(to / unit),
  ];
  return found && { s: round(found.leftMs, 1000), cents: found.costUsd && round(found.costUsd, 0.01) };
}

describe("L-43 the estimate of the end", () => {
  test("P-44 is a minimum of the cost if that of some sessions is unknown", () => {
    const [first, ...rest] = took(100, 100, 100).finished;
    const partial = { open: new Map(), finished: [{ ...first!, isCostPartial: true as const }, ...rest] };
    const found = [ahead, { ...ahead, isSpentPartial: true }, { ...ahead, pace: partial }].map(estimate);
    expect(found.map((each) => each?.isCostPartial)).toEqual([false, true, true]);
  });

  test("needs three finished tasks, and work that is left", () => {
    expect([seconds({ pace: took(100, 100) }), seconds({ tasks: 0 })]).toEqual([undefined, undefined]);
  });

  test("is the part of the work that each lane has, and at most one more task", () => {
    expect(seconds({ lanes: 1 })).toEqual({ s: [800, 800], cents: [1100, 1100] });
    expect(seconds({ lanes: 4 })).toEqual({ s: [200, 275], cents: [1100, 1100] });
    expect(seconds({ lanes: 99 })).toEqual({ s: [100, 188], cents: [1100, 1100] });
  });

  test("is never before a chain of tasks is through; without one known, it may be one task after the other", () => {
    expect(seconds({ chain: 6 })).toEqual({ s: [600, 650], cents: [1100, 1100] });
    expect(seconds({ chain: 8 })).toEqual({ s: [800, 800], cents: [1100, 1100] });
    expect(seconds({ chain: undefined })).toEqual({ s: [200, 800], cents: [1100, 1100] });
  });

  test("is a range that is as wide as the tasks differ, and wider if few are known", () => {
    const one = { lanes: 1, tasks: 1 };
    expect(seconds({ ...one, pace: took(50, 100, 150) })).toEqual({ s: [50, 151], cents: [350, 451] });
    const many = took(...Array.from({ length: 100 }, (_, at) => 50 + at));
    expect(seconds({ ...one, pace: many })).toEqual({ s: [56, 143], cents: [356, 443] });
    expect(seconds({ ...one, tasks: 100, pace: took(50, 100, 150) })).toEqual({
      s: [7436, 12564],
      cents: [7736, 12864],
    });
    expect(seconds({ ...one, tasks: 100, pace: many })).toEqual({ s: [9337, 10563], cents: [9637, 10863] });
    // One task that took long makes others like it likely.
    expect(seconds({ ...one, tasks: 10, pace: took(100, 100, 100, 100, 600) })).toEqual({
      s: [1000, 2000],
      cents: [1300, 2300],
    });
  });

  test("counts the time that tasks under way have taken, as work that is done up to that of a usual one", () => {
    const work = { tasks: 0, lanes: 2, underWayMs: [40_000, 30_000] };
    expect(seconds(work)).toEqual({ s: [65, 115], cents: [430, 500] });
    expect(seconds({ ...work, underWayMs: [1_000_000, 0] })).toEqual({ s: [50, 1000], cents: [400, 500] });
  });

  test("is no promise about a task that takes longer than every one before it: that may take as long again", () => {
    const work = { tasks: 0, lanes: 1, chain: 1 };
    expect(seconds({ ...work, underWayMs: [100_000] })).toMatchObject({ s: [0, 0] });
    expect(seconds({ ...work, underWayMs: [101_000] })).toMatchObject({ s: [0, 101] });
    expect(seconds({ ...work, underWayMs: [10_000, 3_600_000] })).toMatchObject({ s: [expect.any(Number), 3600] });
  });

  test("adds the time until work can go on", () => {
    expect(seconds({ lanes: 1, waitMs: 60_000 })).toMatchObject({ s: [860, 860] });
  });

  test("is a number, whatever a damaged log says", () => {
    expect(seconds({ lanes: 0, chain: -1 })).toEqual({ s: [800, 800], cents: [1100, 1100] });
    expect(seconds({ tasks: -3 })).toBe(undefined);
  });

  test("has no cost if agents do not report any", () => {
    const pace = { finished: took(1, 1, 1).finished.map(({ ms }) => ({ ms, costUsd: undefined })), open: new Map() };
    expect(seconds({ pace, lanes: 1 })).toEqual({ s: [8, 8], cents: undefined });
  });

  test("P-44 is a cost for as many tasks as report one", () => {
    const { finished } = took(100, 100, 100);
    const silent = finished.map(({ ms }) => ({ ms, costUsd: undefined }));
    const pace = { finished: [...finished, ...silent], open: new Map() };
    expect(seconds({ pace })).toMatchObject({ cents: [700, 700] });
  });
});

test("L-43 a run that goes on is estimated from its events; attempts of a task count together", () => {
  const { run, add } = createRunRecorder("open");
  const left = { ready: 3, blocked: 1, waiting: 2, failed: 0, settled: 3 };
  const task = (id: string) => ({ id, title: id });
  let number = 0;
  const work = (atMs: number, id: string, status: "done" | "pending" | "failed" | "parked"): void => {
    number += 1;
    add({ ...iterationStarted, iteration: number, task: task(id), left, chain: 2 }, atMs);
    add({ ...iterationFinished, iteration: number, task: task(id), status, costUsd: 0.5 }, atMs + 10_000);
  };
  const after = (event: RunEvent, atMs: number): unknown => {
    add(event, atMs);
    return estimateOf(run, atMs);
  };
  add({ ...runStarted, lanes: 2 }, 0);
  work(0, "a", "pending");
  work(0, "a", "done");
  work(0, "b", "failed");
  work(0, "c", "parked");
  expect(estimateOf(run, 10_000)).toBe(undefined);
  work(0, "d", "done");
  expect(run.pace.finished).toEqual([
    { ms: 20_000, costUsd: 1 },
    { ms: 10_000, costUsd: 0.5 },
    { ms: 10_000, costUsd: 0.5 },
  ]);
  const begun: RunEvent = { ...iterationStarted, iteration: 9, task: task("e"), left, chain: 2 };
  const going = { tasks: 3, leftMs: { from: 24_500, to: expect.closeTo(70_130, -2) } };
  expect(after(begun, 20_000)).toMatchObject({ tasks: 3, leftMs: { from: 25_000 } });
  expect(estimateOf(run, 21_000)).toMatchObject(going);
  expect(after({ type: "run.asked", stop: true, pause: false }, 21_000)).toBe(undefined);
  expect(after({ type: "run.asked", stop: false, pause: false }, 21_000)).toMatchObject(going);
  expect([after({ type: "run.waiting", for: "pause" }, 22_000), after(runFinished, 23_000)]).toEqual([
    undefined,
    undefined,
  ]);
});
