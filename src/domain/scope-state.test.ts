import { expect, test } from "vitest";
import { type ScopeFacts, scopeState, type ScopeState } from "./scope-state.ts";

const NONE: ScopeFacts = { next: "nothing", running: 0, parked: 0, blocked: 0, failed: 0, settled: 0 };

test.each<[Partial<ScopeFacts>, ScopeState]>([
  [{ next: "build", failed: 1, parked: 1 }, "ready"],
  [{ next: "plan" }, "plan"],
  [{ running: 1, parked: 1 }, "running"],
  [{ parked: 1, blocked: 1 }, "waiting"],
  [{ blocked: 1, failed: 1 }, "blocked"],
  [{ failed: 1, settled: 3 }, "failed"],
  [{ settled: 3 }, "done"],
  [{}, "empty"],
])("a scope with %j is %s", (facts, state) => {
  expect(scopeState({ ...NONE, ...facts })).toBe(state);
});
