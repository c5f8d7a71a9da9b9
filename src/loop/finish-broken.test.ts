import { afterEach, expect, test, vi } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { startTestRun } from "../../test/running.ts";
import type { RunEvent } from "../domain/run/event.ts";
import { RalphError } from "../domain/error.ts";
import { runLoop } from "./loop.ts";
import type { RunDeps } from "./run-deps.ts";

afterEach(() => vi.useRealTimers());

const broken = async () => await Promise.reject(new RalphError("io", "The disk is full"));

/** A run whose store breaks as soon as the run has begun, so that not even its end can be looked up. */
async function brokenRun(own: Partial<Omit<RunDeps, "rules">>): Promise<void> {
  const { lane } = await startTestRun(await newRepository({ "a.txt": "a\n" }), own);
  const { deps, place } = lane;
  const store = { ...deps.store, counts: broken, ready: broken, list: broken };
  const assignment = { mode: "build", only: undefined, size: 1, buildsAfterPlan: false } as const;
  const opening = { head: lane.run.landing, notices: [], info: [], notIncluded: [] };
  const places = {
    first: { lane: place },
    count: 1,
    gates: 1,
    open: broken,
    openRoom: broken,
    hasSpace: async () => true,
    others: async () => [],
  };
  await expect(runLoop({ ...deps, store }, { ...assignment, ...opening }, places)).rejects.toThrow("The disk is full");
}

test("L-42 hooks that still run when an error ends the run say their end before the run does", async () => {
  const events: RunEvent[] = [];
  const hook = {
    id: "slow",
    on: ["run-start"],
    parallel: true,
    timeoutMs: 600_000,
    work: { kind: "command", run: "sleep 600" },
  } as const;
  await brokenRun({
    hooks: { hooks: [hook], redact: (text) => text, tell: async () => undefined },
    emit: (event) => events.push(event),
  });
  expect(events.map(({ type }) => type)).toEqual(["run.started", "hook.started", "hook.finished", "run.finished"]);
});

test("L-42 what a person asks for in another terminal is no news once an error has ended the run", async () => {
  const events: string[] = [];
  let isPaused = false;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await brokenRun({
    requests: { stopAfter: () => false, isPaused: () => isPaused, takeResume: () => false },
    emit: ({ type }) => {
      events.push(type);
      if (type !== "run.finished") return;
      isPaused = true;
      vi.advanceTimersByTime(10_000);
    },
  });
  expect(events).toEqual(["run.started", "run.finished"]);
});
