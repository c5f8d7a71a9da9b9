import { expect, test } from "vitest";
import { iterationFinished, iterationStarted, login, mail, runStarted } from "../../../test/run-events.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { createTimeline, type Timeline } from "../../domain/run/timeline.ts";
import { costPerVerified, taskCosts } from "./costs.ts";

const timelineOf = (...events: readonly RunEvent[]): Timeline => {
  const builder = createTimeline();
  events.forEach((event, at) => builder.add({ atMs: at * 1000, run: runStarted.run, event }));
  return builder.timeline()!;
};

test("P-21 what the last check reopened is not called verified, nor divided by", () => {
  const worked = (iteration: number, task: typeof login): RunEvent[] => [
    { ...iterationStarted, iteration, task },
    { ...iterationFinished, iteration, task },
  ];
  const timeline = timelineOf(runStarted, ...worked(1, login), ...worked(2, mail), {
    type: "tasks.changed",
    change: "reopened",
    tasks: [mail],
  });
  expect(taskCosts(timeline).map(({ task, state, costUsd }) => [task.id, state, costUsd])).toEqual([
    [login.id, "proven", 0.42],
    [mail.id, undefined, 0.42],
  ]);
  expect(costPerVerified(timeline)).toBe(0.84);
});
