import { expect, test } from "vitest";
import { iterationFinished, iterationStarted, runFinished, runStarted } from "../../../test/run-events.ts";
import { createLaneFinder, withLane } from "./event-lane.ts";
import type { RunEvent } from "./event.ts";

const notice: RunEvent = { type: "run.notice", level: "info", text: "It is late" };
const gate: RunEvent = { type: "gate.started", gate: "test", kind: "workspace", command: "npm test" };
const waiting: RunEvent = { type: "run.waiting", for: "pause" };

test("L-43 what a lane causes has its number, unless it has an iteration or is about the whole run", () => {
  const ofIteration: RunEvent = { ...gate, iteration: 3 };
  expect([notice, gate, ofIteration, waiting, runFinished, runStarted].map((event) => withLane(event, 2))).toEqual([
    { ...notice, lane: 2 },
    { ...gate, lane: 2 },
    ofIteration,
    waiting,
    runFinished,
    runStarted,
  ]);
});

test("L-43 the lane of an event is that of its iteration, or its own", () => {
  const laneOf = createLaneFinder();
  const events: RunEvent[] = [
    runStarted,
    { ...iterationStarted, iteration: 1, lane: 4 },
    { ...gate, iteration: 1 },
    { ...gate, iteration: 9 },
    withLane(notice, 2),
    notice,
    { ...iterationFinished, iteration: 1 },
    {
      type: "hook.finished",
      iteration: 1,
      hook: "push",
      point: "task-done",
      passed: true,
      durationMs: 1,
      output: "",
      folder: "",
    },
  ];
  expect(events.map(laneOf)).toEqual([undefined, 4, 4, undefined, 2, undefined, 4, 4]);
});
