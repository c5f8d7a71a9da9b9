import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryEvent } from "../../../test/arbitrary-event.ts";
import {
  hookFinished,
  iterationFinished,
  iterationStarted,
  runFinished,
  runStarted,
} from "../../../test/run-events.ts";
import { NOTHING_USED } from "../usage.ts";
import type { RunEvent } from "./event.ts";
import type { IterationRecord } from "./iteration-record.ts";
import { addEvent, emptySummary } from "./summary.ts";
import { createTimeline, iterationsOf, type Timeline } from "./timeline.ts";

const RUN = runStarted.run;

/** Each event a second after the one before. */
const timelineOf = (...events: readonly RunEvent[]): Timeline | undefined => {
  const builder = createTimeline();
  events.forEach((event, at) => builder.add({ atMs: at * 1000, run: RUN, event }));
  return builder.timeline();
};

const EMPTY: IterationRecord = {
  run: RUN,
  scope: "workspace",
  startedAtMs: 1000,
  endedAtMs: undefined,
  isCutOff: false,
  started: iterationStarted,
  finished: undefined,
  heardAtMs: 1000,
  sessionId: undefined,
  model: undefined,
  usage: NOTHING_USED,
  doing: undefined,
  tools: 0,
  ended: undefined,
  stopped: [],
  changed: undefined,
  claims: [],
  claimedAtMs: undefined,
  notes: [],
  gates: [],
  verdict: undefined,
  commits: [],
  hooks: [],
};

test("nothing was said: there is no timeline", () => {
  expect(timelineOf()).toBeUndefined();
});

test("what the events say of an iteration is in its record, and in no other", () => {
  const changed: RunEvent = { type: "session.changed", iteration: 3, files: 1, paths: ["a.ts"] };
  const claim: RunEvent = { type: "claim.made", iteration: 3, claim: "done", channel: "message" };
  const end = { kind: "exit", code: 1 } as const;
  const result = { passed: false, runs: 2, durationMs: 400, end, output: "no\n", file: "test.log" };
  const verdict: RunEvent = { type: "verdict.reached", iteration: 3, verdict: "rejected", reasons: ["no"] };
  const commit: RunEvent = { type: "commit.made", iteration: 3, commit: "abc", subject: "S", files: 1, leftOut: [] };
  const stopped: RunEvent = { type: "session.stopped", iteration: 3, why: "It was silent" };
  const timeline = timelineOf(
    runStarted,
    iterationStarted,
    { type: "agent.session", iteration: 3, sessionId: "s-1" },
    { type: "agent.tool", iteration: 3, name: "Bash", input: "ls" },
    { type: "agent.tool", iteration: 4, name: "Bash", input: "of an iteration that never began" },
    { type: "agent.ended", iteration: 3, outcome: { kind: "done" } },
    stopped,
    changed,
    claim,
    { type: "protocol.broken", iteration: 3, note: "Two claims" },
    { type: "gate.started", gate: "test", kind: "workspace", command: "not of an iteration" },
    { type: "gate.started", iteration: 3, gate: "test", kind: "workspace", command: "npm test" },
    { type: "gate.finished", iteration: 3, gate: "test", ...result },
    { type: "gate.started", iteration: 3, gate: "lint", kind: "workspace", command: "npm run lint" },
    verdict,
    commit,
    { ...hookFinished, iteration: 3 },
    iterationFinished,
  );
  expect(iterationsOf(timeline!)).toEqual([
    {
      ...EMPTY,
      doing: { kind: "tool", text: "Bash ls" },
      claimedAtMs: 8000,
      endedAtMs: 17_000,
      finished: iterationFinished,
      heardAtMs: 5000,
      sessionId: "s-1",
      tools: 1,
      ended: { kind: "done" },
      stopped: [stopped],
      changed,
      claims: [claim],
      notes: ["Two claims"],
      gates: [
        { gate: "test", command: "npm test", startedAtMs: 11_000, result },
        { gate: "lint", command: "npm run lint", startedAtMs: 13_000, result: undefined },
      ],
      verdict,
      commits: [commit],
      hooks: [{ ...hookFinished, iteration: 3 }],
    },
  ]);
});

test("P-15 what a reviewer says and does is not the agent's", () => {
  const { sessionId: _, ...finished } = iterationFinished;
  const timeline = timelineOf(
    runStarted,
    iterationStarted,
    { type: "agent.tool", iteration: 3, name: "Bash", input: "ls" },
    { type: "agent.ended", iteration: 3, outcome: { kind: "done" } },
    { type: "gate.started", iteration: 3, gate: "reviewer", kind: "reviewer", command: "codex" },
    { type: "agent.session", iteration: 3, sessionId: "s-of-the-reviewer" },
    { type: "agent.tool", iteration: 3, name: "Bash", input: "git diff" },
    { type: "agent.ended", iteration: 3, outcome: { kind: "login", message: "Log in" } },
    finished,
  );
  expect(iterationsOf(timeline!)).toMatchObject([{ sessionId: undefined, tools: 1, ended: { kind: "done" } }]);
});

test("waits and checks stand between the iterations; what has not ended has no end", () => {
  const timeline = timelineOf(
    runStarted,
    iterationStarted,
    { type: "check.started", check: "baseline" },
    { type: "check.finished", check: "baseline", red: ["test"] },
    { type: "run.waiting", for: "limit", untilMs: 99 },
    { type: "run.resumed" },
    { type: "run.waiting", for: "outage" },
    { ...iterationStarted, iteration: 4 },
    { type: "check.started", check: "final" },
    { type: "run.waiting", for: "pause" },
  );
  expect(timeline).toEqual({
    run: RUN,
    startedAtMs: 0,
    lastAtMs: 9000,
    summary: timeline?.summary,
    entries: [
      { kind: "iteration", iteration: EMPTY },
      { kind: "check", check: "baseline", atMs: 2000, toMs: 3000, red: ["test"] },
      { kind: "wait", for: "limit", fromMs: 4000, toMs: 5000 },
      { kind: "wait", for: "outage", fromMs: 6000, toMs: 7000 },
      {
        kind: "iteration",
        iteration: { ...EMPTY, startedAtMs: 7000, heardAtMs: 7000, started: { ...iterationStarted, iteration: 4 } },
      },
      { kind: "check", check: "final", atMs: 8000, toMs: undefined, red: undefined },
      { kind: "wait", for: "pause", fromMs: 9000, toMs: undefined },
    ],
  });
  expect(timeline?.summary.waiting).toEqual({ for: "pause" });
});

test("its summary is that of the run, and each iteration that began is there once, whatever the events are", () => {
  fc.assert(
    fc.property(fc.array(arbitraryEvent(), { minLength: 1, maxLength: 40 }), (events) => {
      const timeline = timelineOf(...events)!;
      expect(timeline.summary).toEqual(events.reduce(addEvent, emptySummary));
      const begun = events.filter(({ type }) => type === "iteration.started").length;
      expect(iterationsOf(timeline)).toHaveLength(begun);
    }),
  );
});

test("a run that has ended waits no more", () => {
  const timeline = timelineOf(runStarted, { type: "run.waiting", for: "pause" }, runFinished);
  expect(timeline?.entries).toEqual([{ kind: "wait", for: "pause", fromMs: 1000, toMs: 2000 }]);
});
