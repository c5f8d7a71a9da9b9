import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IterationOutcome, OUTCOME_RULES } from "./outcome.ts";
import {
  advance,
  defaultIterations,
  endingOf,
  emptyTally,
  reachedLimit,
  remedy,
  type RunLimits,
  type RunTally,
} from "./policy.ts";

const outcomes = Object.keys(OUTCOME_RULES) as IterationOutcome[];

const facts = fc.record({
  outcome: fc.constantFrom(...outcomes),
  costUsd: fc.integer({ min: 0, max: 3 }),
  tokens: fc.integer({ min: 0, max: 100 }),
  about: fc.constantFrom("t-1", "t-2"),
  fingerprint: fc.constantFrom("a", "b"),
});

/** Runs the policy as the loop does: look at the limits, then do one more. */
function play(steps: readonly Parameters<typeof advance>[1][], limits: RunLimits): { tally: RunTally; used: number } {
  let tally = emptyTally;
  let used = 0;
  for (const step of steps) {
    if (reachedLimit(tally, limits, used) !== undefined) break;
    tally = advance(tally, step);
    used += 1;
  }
  return { tally, used };
}

describe("outcomes", () => {
  test("P-20 which of them are attempts", () => {
    expect(outcomes.filter((outcome) => OUTCOME_RULES[outcome].isAttempt)).toEqual([
      "rejected",
      "gave-up",
      "crashed",
      "timed-out",
      "idle",
    ]);
  });

  test("P-42 which of them do not use up an iteration", () => {
    expect(outcomes.filter((outcome) => !OUTCOME_RULES[outcome].isIteration)).toEqual([
      "limited",
      "outage",
      "overflow",
      "login",
      "model",
    ]);
  });

  test("only a verified one makes a task done; only the agent's own word makes it failed", () => {
    expect(outcomes.filter((outcome) => OUTCOME_RULES[outcome].to === "done")).toEqual(["verified"]);
    expect(outcomes.filter((outcome) => OUTCOME_RULES[outcome].to === "failed")).toEqual(["gave-up"]);
  });
});

describe("limits, whatever happens", () => {
  const roomy: RunLimits = { iterations: 1e9, errors: 1e9 };

  test("D-08 P-42 a limit of N runs exactly N iterations, limited ones and outages aside", () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (steps, iterations) => {
        const { tally } = play(steps, { ...roomy, iterations });
        const wanted = steps.filter(({ outcome }) => OUTCOME_RULES[outcome].isIteration).length;
        expect(tally.iterations).toBe(Math.min(iterations, wanted));
      }),
    );
  });

  test("errors in a row end it at the threshold, and any other outcome starts the count anew", () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, errors) => {
        const { tally, used } = play(steps, { ...roomy, errors });
        expect(tally.errorsInARow).toBeLessThanOrEqual(errors);
        if (used < steps.length) {
          expect(steps.slice(used - errors, used).every(({ outcome }) => OUTCOME_RULES[outcome].isError)).toBe(true);
        }
      }),
    );
  });

  test("P-44 cost and tokens are overrun by the running session at most", () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (steps, costUsd) => {
        const { tally } = play(steps, { ...roomy, costUsd });
        expect(tally.costUsd).toBeLessThan(costUsd + 3);
        const { tally: other } = play(steps, { ...roomy, tokens: 50 });
        expect(other.tokens).toBeLessThan(50 + 100);
      }),
    );
  });

  test("every limit can be reached, in this order", () => {
    const full: RunTally = { ...emptyTally, iterations: 1, errorsInARow: 1, costUsd: 1, tokens: 1 };
    const limits = { iterations: 1, errors: 1, timeMs: 1, costUsd: 1, tokens: 1 };
    expect(reachedLimit(full, limits, 1)).toBe("errors");
    expect(reachedLimit({ ...full, errorsInARow: 0 }, limits, 1)).toBe("iterations");
    expect(reachedLimit({ ...full, errorsInARow: 0, iterations: 0 }, limits, 1)).toBe("time");
    expect(reachedLimit({ ...full, errorsInARow: 0, iterations: 0 }, limits, 0)).toBe("cost");
    expect(reachedLimit({ ...emptyTally, tokens: 1 }, limits, 0)).toBe("tokens");
    expect(reachedLimit(emptyTally, limits, 0)).toBe(undefined);
  });
});

describe("P-42", () => {
  const after = (...marks: readonly string[]): RunTally =>
    marks.reduce(
      (tally, fingerprint) => advance(tally, { about: "t-1", outcome: "rejected", costUsd: 0, tokens: 0, fingerprint }),
      emptyTally,
    );

  test("no progress: after 2 another model, after 3 the task is parked; any change starts anew", () => {
    expect(
      [after("a"), after("a", "a"), after("a", "a", "a"), after("a", "a", "b")].map((tally) => remedy(tally, "t-1", 3)),
    ).toEqual(["none", "another-model", "park", "none"]);
  });

  test("an outage between two equal iterations changes nothing", () => {
    const tally = advance(after("a"), { about: "t-1", outcome: "outage", costUsd: 0, tokens: 0, fingerprint: "b" });
    expect(
      advance(tally, { about: "t-1", outcome: "idle", costUsd: 0, tokens: 0, fingerprint: "a" }).repeats["t-1"],
    ).toEqual({
      fingerprint: "a",
      times: 2,
    });
  });

  test("default iterations", () => {
    expect(defaultIterations({ mode: "plan", tasks: 50 })).toBe(3);
    expect(defaultIterations({ mode: "build", tasks: 4 })).toBe(32);
    expect(defaultIterations({ mode: "build", tasks: "one" })).toBe(10);
  });
});

describe("how a run ends", () => {
  const done = { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 3 };
  const end = { interrupted: false, brokeOff: undefined, left: done, isUnverified: false } as const;

  test.each([
    ["X-0 all settled and proven", end, "complete"],
    ["X-5 all settled, nothing proven", { ...end, isUnverified: true }, "unverified"],
    ["D-07 X-1 all settled, some failed", { ...end, left: { ...done, failed: 1 } }, "failure"],
    ["X-2 a person is asked", { ...end, left: { ...done, waiting: 1, failed: 1 } }, "blocked"],
    ["X-2 blocked", { ...end, left: { ...done, blocked: 1 } }, "blocked"],
    ["X-3 no task at all", { ...end, left: { ...done, settled: 0 } }, "nothing"],
    ["X-4 work is left", { ...end, left: { ...done, ready: 1, failed: 1, waiting: 1 } }, "limit"],
    ["X-1 FAILURE, whatever is left", { ...end, brokeOff: "failure", left: { ...done, ready: 1 } }, "failure"],
    ["X-1 errors", { ...end, brokeOff: "errors" }, "failure"],
    ["X-1 stuck", { ...end, brokeOff: "stuck" }, "failure"],
    ["X-130 interrupted, before all else", { ...end, interrupted: true, brokeOff: "failure" }, "interrupted"],
  ] as const)("%s", (_name, given, expected) => {
    expect(endingOf(given)).toBe(expected);
  });
});

test("L-08 P-42 no progress is counted for each task: others in between change nothing", () => {
  const idle = (about: string) => ({ about, outcome: "idle", costUsd: 0, tokens: 0, fingerprint: about }) as const;
  const tally = ["t-1", "t-2", "t-1", "t-2", "t-1"].reduce((sum, id) => advance(sum, idle(id)), emptyTally);
  expect([remedy(tally, "t-1", 3), remedy(tally, "t-2", 3), remedy(tally, "t-3", 3)]).toEqual([
    "park",
    "another-model",
    "none",
  ]);
});
