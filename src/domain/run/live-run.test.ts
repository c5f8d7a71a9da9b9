import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryEvent } from "../../../test/arbitrary-event.ts";
import { hookFinished, iterationFinished, iterationStarted, login, mail } from "../../../test/run-events.ts";
import { runFinished, runStarted } from "../../../test/run-events.ts";
import type { RunEvent } from "./event.ts";
import { freshLiveRun, liveAfter, type LiveRun, progressOf, spentOf } from "./live-run.ts";

const iteration = 3;
const left = { ready: 2, blocked: 1, waiting: 0, failed: 1, settled: 5 };

/** Events a second apart, the first at 1000. */
const after = (...events: readonly RunEvent[]): LiveRun =>
  events.reduce((live, event, index) => liveAfter(live, event, (index + 1) * 1000), freshLiveRun);

const gateFinished = (gate: string, passed: boolean): RunEvent => ({
  type: "gate.finished",
  iteration,
  gate,
  passed,
  runs: 1,
  durationMs: 40,
  end: { kind: "exit", code: 0 },
  output: "",
  file: "log",
});
const gateStarted = (gate: string): RunEvent => ({ type: "gate.started", iteration, gate, kind: "task", command: "x" });

test("a session is known with its model, what it took, and when it was last heard of", () => {
  const { session, startedAtMs } = after(
    runStarted,
    iterationStarted,
    { type: "agent.session", iteration, model: "opus-4" },
    { type: "agent.usage", iteration, input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    { type: "agent.cost", iteration, usd: 0.5 },
    { type: "run.notice", level: "info", text: "Not of the agent" },
  );
  expect([startedAtMs, session]).toEqual([
    1000,
    {
      started: iterationStarted,
      startedAtMs: 2000,
      heardAtMs: 5000,
      model: "opus-4",
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costUsd: 0.5, isEstimated: false },
      isOver: false,
    },
  ]);
});

test("P-15 the model of a reviewer is not that of the session", () => {
  const { session } = after(
    runStarted,
    iterationStarted,
    { type: "agent.session", iteration, model: "opus-4" },
    { type: "agent.ended", iteration, outcome: { kind: "done" } },
    { type: "agent.session", iteration, model: "gpt-6-sol" },
  );
  expect(session).toMatchObject({ model: "opus-4", isOver: true });
});

test("gates are those of the claim under way, and go with their iteration", () => {
  const events: RunEvent[] = [
    runStarted,
    { type: "check.started", check: "baseline" },
    gateStarted("lint"),
    gateFinished("lint", true),
    { type: "check.finished", check: "baseline", red: [] },
    iterationStarted,
    { type: "agent.ended", iteration, outcome: { kind: "done" } },
    { type: "claim.made", iteration, claim: "done", channel: "message" },
    gateStarted("test"),
    gateFinished("test", false),
    gateStarted("lint"),
  ];
  const { gates, check, session } = after(...events);
  expect([gates, check, session?.isOver]).toEqual([
    [
      { gate: "test", startedAtMs: 9000, passed: false, durationMs: 40 },
      { gate: "lint", startedAtMs: 11_000, passed: undefined, durationMs: 0 },
    ],
    undefined,
    true,
  ]);
  expect(after(...events.slice(0, 3)).check).toBe("baseline");
  expect(after(...events, iterationFinished)).toMatchObject({ gates: [], session: undefined });
});

test.each([
  ["done", { status: "done" }, { done: 6, failed: 1, waiting: 0, total: 10 }],
  ["failed", { status: "failed" }, { done: 5, failed: 2, waiting: 0, total: 10 }],
  ["to be tried again", { status: "failed", retry: true }, { done: 5, failed: 1, waiting: 0, total: 10 }],
  ["parked", { status: "parked" }, { done: 5, failed: 1, waiting: 1, total: 10 }],
  ["open", { status: "pending" }, { done: 5, failed: 1, waiting: 0, total: 10 }],
] as const)("how far the work is, when the task is %s", (_how, end, progress) => {
  const events: RunEvent[] = [runStarted, { ...iterationStarted, left }];
  expect(progressOf(after(...events))).toEqual({ done: 5, failed: 1, waiting: 0, total: 10 });
  expect(progressOf(after(...events, { ...iterationFinished, ...end }))).toEqual(progress);
});

test("a task that is parked on the way waits; what is added is counted by the next iteration", () => {
  const events: RunEvent[] = [
    runStarted,
    { ...iterationStarted, left },
    { type: "tasks.changed", change: "parked", tasks: [mail] },
    { type: "tasks.changed", change: "added", tasks: [login] },
  ];
  expect(progressOf(after(...events))).toEqual({ done: 5, failed: 1, waiting: 1, total: 10 });
  expect(progressOf(after(runStarted))).toBe(undefined);
  expect(progressOf(after(...events, runFinished))).toEqual({ done: 4, failed: 0, waiting: 0, total: 4 });
});

test("what was spent includes the session under way, once", () => {
  const cost: RunEvent = { type: "agent.cost", iteration, usd: 1 };
  expect(spentOf(after(runStarted))).toEqual({ costUsd: undefined, tokens: 0 });
  expect(spentOf(after(iterationStarted, cost))).toEqual({ costUsd: 1, tokens: 0 });
  expect(spentOf(after(iterationStarted, cost, iterationFinished))).toEqual({ costUsd: 0.42, tokens: 12_345 });
  expect(spentOf(after(iterationStarted, cost, iterationFinished, iterationStarted, cost)).costUsd).toBeCloseTo(1.42);
});

test("hooks are known while they run", () => {
  const started: RunEvent = {
    type: "hook.started",
    hook: "push",
    point: "run-start",
    kind: "command",
    command: "x",
    parallel: true,
  };
  const hooks = after(started, started, hookFinished).hooks;
  expect(hooks).toEqual([{ hook: "push", startedAtMs: 2000 }]);
});

test("a fold over any events never throws", () => {
  fc.assert(
    fc.property(fc.array(arbitraryEvent()), (events) => {
      const live = after(...events);
      progressOf(live);
      spentOf(live);
    }),
  );
});
