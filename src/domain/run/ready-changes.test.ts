import { expect, test } from "vitest";
import type { RunEnding } from "./policy.ts";
import { addSpent, type ChangeEnd, endsAll, nothingSpent, overallEnding } from "./ready-changes.ts";

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
