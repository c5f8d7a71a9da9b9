import { expect, test } from "vitest";
import type { RunEnding } from "./policy.ts";
import {
  addSpent,
  type ChangeEnd,
  endsAll,
  nothingSpent,
  overallEnding,
  joinOutcomes,
  type ScopeOutcome,
} from "./ready-changes.ts";

const end = (ending: RunEnding, limit?: ChangeEnd["limit"]): ChangeEnd => ({ change: "x", ending, reason: "", limit });

test.each<[readonly RunEnding[], RunEnding]>([
  [["complete", "complete"], "complete"],
  [["complete", "limit"], "limit"],
  [["limit", "failure", "complete"], "failure"],
  [["complete", "unverified"], "unverified"],
  [["blocked", "limit"], "blocked"],
  [["failure", "interrupted"], "interrupted"],
  [[], "nothing"],
])("S002-09 %j come to %s: complete only when each change is", (endings, expected) => {
  expect(overallEnding(endings.map((ending) => end(ending)))).toBe(expected);
});

test.each<[ChangeEnd, boolean]>([
  [end("complete"), false],
  [end("failure"), false],
  [end("blocked"), false],
  [end("limit", "iterations"), false],
  [end("limit", "cost"), true],
  [end("limit", "tokens"), true],
  [end("limit", "time"), true],
  [end("limit", "wait"), true],
  [end("login"), true],
  [end("interrupted"), true],
])("after %j the next change has its turn, unless it would fare no better", (ended, isOver) => {
  expect(endsAll(ended)).toBe(isOver);
});

test("P-44 what runs have used up adds up; a cost that nobody reported is none", () => {
  const once = addSpent(nothingSpent, { costUsd: 0.5, tokens: 10, durationMs: 7 });
  expect(addSpent(once, { costUsd: undefined, tokens: 1, durationMs: 1 })).toEqual({
    costUsd: 0.5,
    tokens: 11,
    durationMs: 8,
  });
});

test("X-1 several changes are one outcome: the worst ending, all numbers, and a line for each", () => {
  const nothing = { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 0 };
  const counts = { proven: 1, unbroken: 0, word: 0, look: 0, unrecorded: 0 };
  const lists = { waiting: [], blocked: [], dropped: 0, droppedTasks: [], unverified: 0 };
  const done = { ...lists, failed: [], verified: 1, proven: 1, done: counts, left: { ...nothing, settled: 1 } };
  const complete: ScopeOutcome = { ...done, ending: "complete", reason: "All tasks are done" };
  const failed: ScopeOutcome = {
    ...lists,
    ending: "failure",
    reason: "Some failed",
    help: ["Look"],
    left: { ...nothing, failed: 1 },
    failed: [{ id: "t-1", title: "One", reason: "no" }],
    verified: 0,
  };
  const whole = joinOutcomes(
    [
      ["change/a", complete],
      ["change/b", complete],
    ],
    [],
  );
  expect(whole).toMatchObject({ ending: "complete", verified: 2, done: { proven: 2 }, left: { settled: 2 } });
  const refused = { change: "c", ending: "failure", reason: "not text" } as const;
  expect(
    joinOutcomes(
      [
        ["change/a", complete],
        ["change/b", failed],
      ],
      [refused],
    ),
  ).toEqual({
    ...lists,
    ending: "failure",
    reason: "1 of 3 changes are complete",
    help: ["Look"],
    left: { ...nothing, failed: 1, settled: 1 },
    failed: failed.failed,
    verified: 1,
    proven: 1,
    changes: [
      { change: "a", ending: "complete", reason: "All tasks are done" },
      { change: "b", ending: "failure", reason: "Some failed" },
      refused,
    ],
  });
});
