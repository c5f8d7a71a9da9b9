import { describe, expect, test } from "vitest";
import type { Gate, GateResult } from "./gate.ts";
import { standingOf } from "./standing.ts";
import { describeStrength, NO_CHECK, ONLY_AGENTS_CHECKS, rate, ratedIn, type StrengthFacts } from "./strength.ts";

const passed = (id: string, more: Partial<Gate> = {}): GateResult => ({
  gate: { id, kind: "workspace", run: id, timeoutMs: 1, retries: 0, ...more },
  passed: true,
  runs: [],
});
const rated = (more: Partial<StrengthFacts> = {}) =>
  rate({ results: [passed("test")], look: [], redFirst: [], shownLittle: [], isOnLane: false, ...more });

describe("T-20 a claim is", () => {
  const shown = ["test failed without the work"];
  const reviewer = passed("reviewer", { kind: "reviewer" });

  test("proven if a check failed without the work, or a reviewer passed it", () => {
    expect(rated({ redFirst: shown })).toEqual({ strength: "proven", look: [], why: shown });
    expect(rated({ results: [passed("test"), reviewer] })).toMatchObject({ strength: "proven" });
    expect(rated({ results: [reviewer] })).toMatchObject({ strength: "proven" });
  });

  test("unbroken if the person's checks pass and none spoke of the task", () => {
    expect(rated()).toEqual({ strength: "unbroken", look: [], why: [] });
    expect(rated({ results: [passed("own", { kind: "task" })] })).toMatchObject({ strength: "unbroken" });
    expect(rated({ results: [passed("mine", { isAgents: true }), passed("test")] }).strength).toBe("unbroken");
  });

  test("T-02 at most unbroken if the gates ran on the files as they lay", () => {
    const lay = rated({ results: [passed("test"), reviewer], redFirst: shown, isOnLane: true });
    expect(describeStrength(lay)).toBe("unbroken: the gates passed on the files as they lay");
    expect(standingOf({ last: { by: "loop", kind: "verified" }, evidence: lay })).toEqual({
      kind: "unbroken",
      reasons: ["the gates passed on the files as they lay"],
    });
  });

  test("a look if tests or configuration changed, or no check of a person ran", () => {
    expect(rated({ look: ["tests changed: a.test.ts"], redFirst: shown, results: [reviewer] })).toEqual({
      strength: "look",
      look: ["tests changed: a.test.ts"],
      why: [],
    });
    expect(rated({ results: [] })).toEqual({ strength: "look", look: [NO_CHECK], why: [] });
    expect(rated({ results: [passed("mine", { isAgents: true })] }).look).toEqual([ONLY_AGENTS_CHECKS]);
  });

  test("T-21 still unbroken if new tests only missed a name without the work, and that is said", () => {
    const shownLittle = ["test passes; a name was missing"];
    expect(rated({ shownLittle })).toEqual({ strength: "unbroken", look: [], why: shownLittle });
    expect(describeStrength(rated({ shownLittle }))).toBe("unbroken: test passes; a name was missing");
    expect(rated({ shownLittle, redFirst: shown }).why).toEqual(shown);
  });

  test("said in one clause", () => {
    expect(describeStrength(rated({ redFirst: shown }))).toBe("proven: test failed without the work");
    expect(describeStrength(rated({ results: [] }))).toBe("look: no check has run");
  });
});

test("T-20 records of older versions have a strength, too, and never a better one than they show", () => {
  expect(ratedIn({ v: 2, proof: "gates" })).toEqual({ strength: "unbroken", look: [], why: [] });
  expect(ratedIn({ v: 2, proof: "the agent's own gates" })).toEqual({
    strength: "look",
    look: [ONLY_AGENTS_CHECKS],
    why: [],
  });
  expect(ratedIn({ v: 2, proof: "none" })).toMatchObject({ strength: "look", look: [NO_CHECK] });
  expect(ratedIn({ strength: "proven", look: [], why: ["x"] })).toEqual({ strength: "proven", look: [], why: ["x"] });
  for (const other of [undefined, {}, { strength: "best" }, "proven"]) expect(ratedIn(other)).toBe(undefined);
});
