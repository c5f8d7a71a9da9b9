import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryEvent } from "../../../test/arbitrary-event.ts";
import { hookFinished, iterationFinished, iterationStarted, login, mail } from "../../../test/run-events.ts";
import { runFinished, runStarted } from "../../../test/run-events.ts";
import type { RunEvent } from "./event.ts";
import type { IterationRecord } from "./iteration-record.ts";
import { createRunRecorder, inRooms, openIterations, progressOf, type RunRecord, spentOf } from "./run-record.ts";

const iteration = 3;
const left = { ready: 2, blocked: 1, waiting: 0, failed: 1, settled: 5 };

/** Events a second apart, the first at 1000. */
const after = (...events: readonly RunEvent[]): RunRecord => {
  const { run, add } = createRunRecorder("open");
  events.forEach((event, index) => add(event, (index + 1) * 1000));
  return run;
};

/** The one iteration under way. */
const openAfter = (...events: readonly RunEvent[]): IterationRecord => {
  const open = openIterations(after(...events));
  expect(open).toHaveLength(1);
  return open[0]!;
};

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
  const session = openAfter(
    runStarted,
    iterationStarted,
    { type: "agent.session", iteration, model: "opus-4" },
    { type: "agent.usage", iteration, input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    { type: "agent.cost", iteration, usd: 0.5 },
    { type: "run.notice", level: "info", text: "Not of the agent" },
  );
  expect(session).toMatchObject({
    started: iterationStarted,
    startedAtMs: 2000,
    heardAtMs: 5000,
    model: "opus-4",
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costUsd: 0.5, isEstimated: false },
    ended: undefined,
  });
});

test("P-15 the model of a reviewer is not that of the session", () => {
  const session = openAfter(
    runStarted,
    iterationStarted,
    { type: "agent.session", iteration, model: "opus-4" },
    { type: "agent.ended", iteration, outcome: { kind: "done" } },
    { type: "agent.session", iteration, model: "gpt-6-sol" },
  );
  expect(session).toMatchObject({ model: "opus-4", ended: { kind: "done" } });
});

test("gates are those of their iteration, or of the check that the run itself makes", () => {
  const lint: RunEvent = { type: "gate.started", gate: "lint", kind: "workspace", command: "npm run lint" };
  const check: RunEvent[] = [runStarted, { type: "check.started", check: "baseline" }, lint];
  const gate = { gate: "lint", command: "npm run lint", startedAtMs: 3000, result: undefined };
  expect(after(...check).check).toEqual({ check: "baseline", lane: undefined, gates: [gate] });
  const events: RunEvent[] = [
    ...check,
    { type: "check.finished", check: "baseline", red: [] },
    iterationStarted,
    { type: "agent.ended", iteration, outcome: { kind: "done" } },
    { type: "claim.made", iteration, claim: "done", channel: "message" },
    gateStarted("test"),
    gateFinished("test", false),
    gateStarted("lint"),
  ];
  expect(after(...events).check).toBe(undefined);
  expect(openAfter(...events).gates).toMatchObject([
    { gate: "test", startedAtMs: 8000, result: { passed: false, durationMs: 40 } },
    { gate: "lint", startedAtMs: 10_000, result: undefined },
  ]);
});

test("L-43 iterations that overlap keep what is theirs, and each goes when it ends", () => {
  const other = { ...iterationStarted, iteration: 4, task: mail, lane: 2 };
  const events: RunEvent[] = [
    runStarted,
    { ...iterationStarted, left },
    { ...other, left },
    { type: "agent.cost", iteration: 4, usd: 2 },
    { type: "agent.cost", iteration: 3, usd: 1 },
    gateStarted("test"),
  ];
  const both = after(...events);
  expect(openIterations(both)).toMatchObject([
    { started: { iteration: 3 }, heardAtMs: 5000, usage: { costUsd: 1 }, gates: [{ gate: "test" }] },
    { started: { iteration: 4 }, heardAtMs: 4000, usage: { costUsd: 2 }, gates: [] },
  ]);
  // The task of lane 1 is among the blocked ones of the second event.
  expect([spentOf(both).costUsd, progressOf(both)?.total]).toEqual([3, 10]);
  const one = after(...events, iterationFinished);
  expect([...one.iterations.keys()]).toEqual([4]);
  expect(spentOf(one).costUsd).toBeCloseTo(2.42);
  expect(openIterations(after(...events, runFinished))).toEqual([]);
});

test("all iterations are kept where that is wanted, and what comes after their end too", () => {
  const { run, add } = createRunRecorder("all");
  const events: RunEvent[] = [runStarted, iterationStarted, iterationFinished, { ...hookFinished, iteration }];
  for (const event of events) add(event, 1000);
  expect(openIterations(run)).toEqual([]);
  expect([...run.iterations.values()]).toMatchObject([{ finished: iterationFinished, hooks: [{ iteration }] }]);
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
  const known = { isCostPartial: false, isCostEstimated: false };
  expect(spentOf(after(runStarted))).toEqual({ costUsd: undefined, tokens: 0, ...known });
  expect(spentOf(after(iterationStarted, cost))).toEqual({ costUsd: 1, tokens: 0, ...known });
  expect(spentOf(after(iterationStarted, cost, iterationFinished))).toEqual({
    costUsd: 0.42,
    tokens: 12_345,
    ...known,
  });
  expect(spentOf(after(iterationStarted, cost, iterationFinished, iterationStarted, cost)).costUsd).toBeCloseTo(1.42);
});

test("P-44 a cost is a minimum as soon as a session, a hook or some tokens have none", () => {
  const tokens: RunEvent = {
    type: "agent.usage",
    iteration,
    input: 1,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    unpriced: true,
  };
  const hook = { ...hookFinished, tokens: 5 };
  const partial = [
    [iterationStarted, tokens],
    [iterationStarted, { ...iterationFinished, isCostPartial: true }],
    [iterationStarted, { ...iterationFinished, costUsd: undefined }],
    [iterationStarted, iterationFinished, { ...hook, costUsd: 1, isCostPartial: true }],
    [iterationStarted, iterationFinished, hook],
    [iterationStarted, iterationFinished, { ...runFinished, isCostPartial: true }],
  ] as const;
  expect(partial.map((events) => spentOf(after(...events)).isCostPartial)).toEqual(partial.map(() => true));
  const known = [hookFinished, { ...hook, costUsd: 1 }];
  expect(spentOf(after(iterationStarted, iterationFinished, ...known)).isCostPartial).toBe(false);
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
  const ofIteration: RunEvent = { ...started, iteration: 3 };
  const { iteration: _, ...ofRun } = hookFinished;
  expect(after(started, ofIteration, hookFinished).hooks).toEqual([{ hook: "push", startedAtMs: 1000 }]);
  expect(after(ofIteration, started, ofRun).hooks).toEqual([{ hook: "push", iteration: 3, startedAtMs: 1000 }]);
});

test("L-10 L-43 one claim is in the room, and the others wait for it in order", () => {
  const second: RunEvent = { ...iterationStarted, iteration: 4, task: mail, lane: 2 };
  const claim = (number: number): RunEvent => ({
    type: "claim.made",
    iteration: number,
    claim: "done",
    channel: "message",
  });
  const verdict: RunEvent = { type: "verdict.reached", iteration: 4, verdict: "accepted", reasons: [] };
  const own: RunEvent = { type: "check.started", check: "own", lane: 3 };
  const begun = [{ ...runStarted, lanes: 3 }, iterationStarted, second];
  const inside = (...events: readonly RunEvent[]) =>
    inRooms(after(...begun, ...events)).map(({ started }) => started.lane);
  expect([inside(), inside(claim(4)), inside(claim(4), claim(3))]).toEqual([[], [2], [2]]);
  expect([inside(claim(4), claim(3), verdict), inside(claim(4), own)]).toEqual([[1], []]);
  expect(after(...begun, own).check).toEqual({ check: "own", lane: 3, gates: [] });
  const gate = (number: number): RunEvent => ({
    type: "gate.started",
    iteration: number,
    gate: "test",
    kind: "workspace",
    command: "npm test",
  });
  expect(inside(claim(4), gate(4), claim(3), gate(3))).toEqual([2, 1]);
  const other: RunEvent = { type: "check.finished", check: "extra", lane: 1, red: [] };
  expect(after(...begun, own, other).check).toEqual({ check: "own", lane: 3, gates: [] });
});

test("L-43 the last words of each agent and the tasks that landed are known, and a wait of one lane goes on", () => {
  const text = (words: string): RunEvent => ({ type: "agent.text", iteration, block: "1", text: words });
  const lanes = { ...runStarted, lanes: 2 };
  expect(openAfter(lanes, iterationStarted, text("Now I"), text(" look\nat it")).doing?.text).toBe("at it");
  expect(openAfter(lanes, iterationStarted, text("Step 1\n"), text("Step 2\n")).doing?.text).toBe("Step 2");
  expect(openAfter(lanes, iterationStarted, text("Step 1"), text("\n"), text("St"), text("ep 2")).doing?.text).toBe(
    "Step 2",
  );
  const tool: RunEvent = { type: "agent.tool", iteration, name: "Bash", input: "ls" };
  expect(openAfter(lanes, iterationStarted, tool, text("\n\n")).doing).toEqual({ kind: "tool", text: "Bash ls" });
  const together: RunEvent = { type: "tasks.changed", change: "claimed together", tasks: [mail], strength: "proven" };
  const { landed } = after(lanes, iterationStarted, iterationFinished, together);
  expect(landed).toEqual([
    { task: login, strength: "proven", atMs: 3000 },
    { task: mail, strength: "proven", atMs: 4000 },
  ]);
  expect(after(iterationFinished, { ...together, change: "reopened", tasks: [login] }).landed).toEqual([]);
  const waiting: RunEvent = { type: "run.waiting", for: "pause" };
  expect(after(lanes, waiting, iterationStarted).summary.waiting).toEqual({ for: "pause" });
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
