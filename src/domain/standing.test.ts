import { describe, expect, test } from "vitest";
import { type DoneRecord, isEnough, isUnchecked, standingOf } from "./standing.ts";
import { NO_CHECK } from "./strength.ts";

const settled = (strength: string, look: readonly string[] = []): DoneRecord => ({
  last: { by: "loop", kind: "verified" },
  evidence: { v: 2, strength, look },
});
const PLAIN = { isStrict: false, acceptsLook: false, allowsUnverified: false };

describe("T-15 a done task stands", () => {
  test("as its verdict on record says", () => {
    expect(standingOf(settled("proven"))).toEqual({ kind: "proven", reasons: [] });
    expect(standingOf(settled("unbroken"))).toEqual({ kind: "unbroken", reasons: [] });
    expect(standingOf(settled("look", ["tests changed"]))).toEqual({ kind: "look", reasons: ["tests changed"] });
    expect(standingOf({ ...settled(""), evidence: { proof: "gates" } }).kind).toBe("unbroken");
  });

  test("by the word of a person: done, marked, imported or approved", () => {
    for (const kind of ["verified", "complete", "approve"]) {
      expect(standingOf({ last: { by: "person", kind }, evidence: undefined }).kind).toBe("word");
      expect(standingOf({ ...settled("look", ["x"]), last: { by: "person", kind } }).kind).toBe("word");
    }
  });

  test("for nothing if no record made it done: a row that was written by others, or an emptied table", () => {
    const nothing: DoneRecord[] = [
      { last: undefined, evidence: undefined },
      { last: undefined, evidence: { strength: "proven" } },
      { last: { by: "loop", kind: "verified" }, evidence: undefined },
      { last: { by: "person", kind: "reset" }, evidence: { strength: "proven" } },
      { last: { by: "loop", kind: "checked" }, evidence: {} },
    ];
    for (const record of nothing) expect(standingOf(record).kind).toBe("unrecorded");
  });

  test("P-19 unbroken once gates passed on work that had none; a changed test needs a person", () => {
    const last = { by: "loop", kind: "checked" } as const;
    expect(standingOf({ ...settled("look", [NO_CHECK]), last }).kind).toBe("unbroken");
    expect(isUnchecked(standingOf(settled("look", [NO_CHECK])))).toBe(true);
    expect(isUnchecked(standingOf(settled("look", [NO_CHECK, "tests changed"])))).toBe(false);
  });
});

test("T-20 a run is complete with proven and unbroken work, and with the word of a person", () => {
  const enough = (demands: Partial<typeof PLAIN>): string[] =>
    (["proven", "unbroken", "word", "look", "unrecorded"] as const).filter((kind) =>
      isEnough({ kind, reasons: kind === "look" ? [NO_CHECK] : [] }, { ...PLAIN, ...demands }),
    );
  expect(enough({})).toEqual(["proven", "unbroken", "word"]);
  expect(enough({ isStrict: true, allowsUnverified: true })).toEqual(["proven", "word"]);
  expect(enough({ acceptsLook: true })).toEqual(["proven", "unbroken", "word", "look"]);
  expect(enough({ allowsUnverified: true })).toEqual(["proven", "unbroken", "word", "look"]);
  const changed = { kind: "look", reasons: ["tests changed"] } as const;
  expect(isEnough(changed, { ...PLAIN, allowsUnverified: true })).toBe(false);
});
