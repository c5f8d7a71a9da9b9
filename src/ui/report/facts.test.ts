import { expect, test } from "vitest";
import { runStarted } from "../../../test/run-events.ts";
import { createTimeline } from "../../domain/run/timeline.ts";
import { runFacts } from "./facts.ts";

const factsOf = (isRunning: boolean): Readonly<Record<string, string>> => {
  const builder = createTimeline();
  const lane = { folder: "/home/someone/lanes/shop/1", number: 1 };
  builder.add({ atMs: 0, run: runStarted.run, event: { ...runStarted, lanes: 3, lane } });
  builder.add({ atMs: 8000, run: runStarted.run, event: { type: "run.notice", level: "info", text: "A word" } });
  const rest = { name: "shop", iterations: [], graph: { tasks: [], hasScopes: false }, flaky: [] };
  const folder = "/home/someone/shop/.ralph/runs/x";
  return Object.fromEntries(runFacts({ ...rest, timeline: builder.timeline()!, isRunning, madeAtMs: 90_000, folder }));
};

test("U-08 a run that goes on has lasted until now, whenever it said its last word", () => {
  expect(factsOf(true)).toMatchObject({ "So far": "1m30s" });
  expect(factsOf(false)).toMatchObject({ Took: "8s" });
});

test("U-06 a report, which people send to each other, does not say where lanes lie", () => {
  expect(factsOf(false)).toMatchObject({ Lanes: "3" });
});
