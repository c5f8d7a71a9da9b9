import { expect, test } from "vitest";
import { iterationFinished, iterationStarted, login, mail, runFinished, runStarted } from "../../../test/run-events.ts";
import { createEventFilter, eventTypes, type EventQuery } from "./event-filter.ts";
import type { RunEvent } from "./event.ts";

const EVENTS: readonly RunEvent[] = [
  runStarted,
  { type: "check.started", check: "baseline" },
  { type: "gate.started", gate: "test", kind: "workspace", command: "npm test" },
  { ...iterationStarted, iteration: 1, task: login },
  { type: "agent.text", iteration: 1, text: "Hello" },
  { type: "tasks.changed", change: "added", tasks: [mail] },
  { type: "gate.started", iteration: 1, gate: "test", kind: "workspace", command: "npm test" },
  { ...iterationFinished, iteration: 1, task: login },
  { type: "run.waiting", for: "limit" },
  { ...iterationStarted, iteration: 2, task: mail },
  { type: "agent.text", iteration: 2, text: "Hello again" },
  { ...iterationFinished, iteration: 2, task: mail },
  { type: "work.kept", task: login.id, ref: "refs/ralph/x", commit: "abc", why: "It failed" },
  runFinished,
];

const wanted = (wishes: EventQuery, events = EVENTS): string[] => {
  const isWanted = createEventFilter(wishes);
  return events.flatMap((event) => {
    const place = "iteration" in event && event.iteration !== undefined ? ` ${event.iteration}` : "";
    return isWanted(event) ? [`${event.type}${place}`] : [];
  });
};

test("without a wish, every event is wanted", () => {
  expect(wanted({})).toHaveLength(EVENTS.length);
});

test("an iteration has its own events, and those that happen in it", () => {
  expect(wanted({ iteration: 1 })).toEqual([
    "iteration.started 1",
    "agent.text 1",
    "tasks.changed",
    "gate.started 1",
    "iteration.finished 1",
  ]);
});

test("a task has the events of its iterations, and those that name it; the beginning of its id is enough", () => {
  const expected = ["tasks.changed", "iteration.started 2", "agent.text 2", "iteration.finished 2"];
  const ofLogin = wanted({ task: login.id });
  expect(wanted({ task: mail.id }).filter((event) => event !== "work.kept")).toEqual([...expected]);
  expect(wanted({ task: "5e6f" })).toEqual(wanted({ task: mail.id }));
  expect(ofLogin.at(-1)).toBe("work.kept");
  expect(wanted({ task: "t-none" })).toEqual([]);
});

test("L-43 with several lanes an event belongs to the lane that caused it, and to the iteration of that lane", () => {
  const events: readonly RunEvent[] = [
    { ...runStarted, lanes: 2 },
    { type: "check.started", check: "baseline" },
    { ...iterationStarted, iteration: 1, task: login, lane: 1 },
    { type: "check.started", check: "own", lane: 2 },
    { ...iterationStarted, iteration: 2, task: mail, lane: 2 },
    { type: "check.started", check: "extra", lane: 1 },
    { type: "run.notice", level: "info", text: "Of the run" },
    { type: "agent.text", iteration: 1, text: "Hello" },
    { type: "work.kept", task: mail.id, ref: "refs/ralph/x", commit: "abc", why: "It failed", lane: 2 },
    { ...iterationFinished, iteration: 2, task: mail },
    {
      type: "hook.finished",
      lane: 2,
      hook: "push",
      point: "needs-human",
      passed: true,
      durationMs: 1,
      output: "",
      folder: "",
    },
    { ...iterationFinished, iteration: 1, task: login },
    runFinished,
  ];
  const ofOne = ["iteration.started 1", "check.started", "agent.text 1", "iteration.finished 1"];
  const ofTwo = ["iteration.started 2", "work.kept", "iteration.finished 2"];
  expect(wanted({ lane: 1 }, events)).toEqual(ofOne);
  expect(wanted({ lane: 2 }, events)).toEqual(["check.started", ...ofTwo, "hook.finished"]);
  expect([wanted({ iteration: 1 }, events), wanted({ iteration: 2 }, events)]).toEqual([ofOne, ofTwo]);
  expect(wanted({ task: mail.id }, events)).toEqual(ofTwo);
  expect(wanted({ lane: 1 })).toEqual(wanted({}).filter((_, at) => at > 2 && ![8, 12, 13].includes(at)));
});

test("types are whole ones, or families", () => {
  expect(wanted({ types: ["gate"] })).toEqual(["gate.started", "gate.started 1"]);
  expect(wanted({ types: ["gate"], iteration: 1 })).toEqual(["gate.started 1"]);
  expect(wanted({ types: ["run.finished", "run.waiting"] })).toEqual(["run.waiting", "run.finished"]);
  expect(wanted({ types: ["ru"] })).toEqual([]);
});

test("families come before the types that they hold", () => {
  expect(eventTypes(["gate.started", "gate.finished", "run.notice"])).toEqual([
    "gate",
    "run",
    "gate.started",
    "gate.finished",
    "run.notice",
  ]);
});
