import fc from "fast-check";
import { expect, test } from "vitest";
import { byLane } from "../../test/lane.ts";
import { type Conclusion, type CommitLook, nextStep } from "./culprit.ts";

/** g: green, r: red, u: cannot be checked, f: red and green in turns, o: green by record and red now. */
type Truth = "g" | "r" | "u" | "f" | "o";

interface Found {
  readonly end: Conclusion;
  readonly looks: readonly CommitLook[];
}

/** Looks where it is told to, until there is a conclusion. */
function searchIn(truth: readonly Truth[], remembered: readonly number[] = []): Found {
  const looks: CommitLook[] = remembered.map((at) => ({ at, passed: true, isRemembered: true }));
  for (;;) {
    const step = nextStep(truth.length, looks);
    if (step.kind !== "look") return { end: step, looks };
    const before = looks.filter(({ at, isRemembered }) => at === step.at && isRemembered !== true).length;
    const colour = truth[step.at]!;
    const passed = colour === "u" ? undefined : colour === "f" ? before % 2 === 1 : colour === "g";
    looks.push({ at: step.at, passed });
    expect(looks.length).toBeLessThan(500);
  }
}

const line = (text: string): Truth[] => text.split("") as Truth[];
const end = (text: string, ...remembered: number[]): Conclusion => searchIn(line(text), remembered).end;

test("T-30 a search names the commit that turned a gate red, and blames nobody else", () => {
  expect(end("ggggg")).toEqual({ kind: "holds" });
  expect(end("ggggr")).toEqual({ kind: "culprit", at: 4 });
  expect(end("ggrrrrrrrr")).toEqual({ kind: "culprit", at: 2 });
  expect(end("grrrrrrrrr", 0)).toEqual({ kind: "culprit", at: 1 });
  expect(end("rrrr")).toEqual({ kind: "inherited", at: 0 });
  expect(end("r")).toEqual({ kind: "inherited", at: 0 });
  expect(end("urrr")).toEqual({ kind: "inherited", at: 1 });
  expect(end("gggf")).toEqual({ kind: "flaky", at: 3 });
  expect(end("gfrr")).toEqual({ kind: "flaky", at: 1 });
  expect(end("gggu")).toEqual({ kind: "unchecked" });
  expect(end("ggurr")).toEqual({ kind: "one of", from: 2, to: 3 });
  expect(end("ogrr", 0)).toEqual({ kind: "culprit", at: 2 });
  expect(end("orrr", 0)).toEqual({ kind: "surroundings", at: 0 });
  // It was proven on the very files that are red now.
  expect(end("gggo", 3)).toEqual({ kind: "surroundings", at: 3 });
  // A record counts for nothing once its commit cannot be checked.
  expect(end("gurr", 1)).toEqual({ kind: "one of", from: 1, to: 2 });
});

test("T-30 the parent of the newest commit is looked at second, and red counts only if it is seen twice", () => {
  expect(searchIn(line("gggr")).looks).toEqual([
    { at: 3, passed: false },
    { at: 3, passed: false },
    { at: 2, passed: true },
    { at: 3, passed: false },
    { at: 2, passed: true },
  ]);
});

test("T-30 in many commits that cannot be checked a search gives up and names all that may be it", () => {
  const { end: found, looks } = searchIn(line(`g${"u".repeat(200)}rr`), [0]);
  expect([found, looks.length < 30]).toEqual([{ kind: "one of", from: 1, to: 201 }, true]);
});

const RUNS = byLane(100, 5000);

test("T-30 property: with one break the search is exact, in a logarithmic number of looks", () => {
  const drawn = fc.record({
    green: fc.integer({ min: 0, max: 300 }),
    red: fc.integer({ min: 1, max: 300 }),
    unchecked: fc.array(fc.nat(), { maxLength: 6 }),
    remembered: fc.option(fc.nat(), { nil: undefined }),
  });
  fc.assert(
    fc.property(drawn, ({ green, red, unchecked, remembered }) => {
      const truth = line("g".repeat(green) + "r".repeat(red));
      for (const at of unchecked) truth[at % truth.length] = "u";
      truth[truth.length - 1] = "r";
      const known = remembered === undefined || green === 0 ? [] : [remembered % green];
      const { end: found, looks } = searchIn(truth, known);
      const lastGreen = truth.lastIndexOf("g");
      const firstRed = truth.indexOf("r", lastGreen);
      const expected: Conclusion =
        lastGreen === -1
          ? { kind: "inherited", at: truth.indexOf("r") }
          : firstRed - lastGreen === 1
            ? { kind: "culprit", at: firstRed }
            : { kind: "one of", from: lastGreen + 1, to: firstRed };
      expect(found).toEqual(expected);
      expect(looks.length).toBeLessThan(10 + 4 * Math.log2(truth.length + 1) + 2 * unchecked.length);
    }),
    { numRuns: RUNS },
  );
});

test("T-30 property: whatever the colours are, a search ends, and only a red commit on a green one is blamed", () => {
  const colours = fc.array(fc.constantFrom<Truth>("g", "r", "u", "f", "o"), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(colours, (truth) => {
      const remembered = truth.flatMap((colour, at) => (colour === "o" ? [at] : []));
      const { end: found } = searchIn(truth, remembered);
      if (found.kind === "holds") expect(truth.at(-1)).toBe("g");
      if (found.kind === "flaky") expect(truth[found.at]).toBe("f");
      if (found.kind === "surroundings") expect(truth[found.at]).toBe("o");
      if (found.kind === "inherited") expect(["r", "o"]).toContain(truth[found.at]);
      if (found.kind === "culprit") expect([truth[found.at - 1], truth[found.at]]).toEqual(["g", "r"]);
      if (found.kind === "one of") {
        expect([truth[found.from - 1], truth[found.to]]).toEqual(["g", "r"]);
        expect(truth.slice(found.from, found.to).every((colour) => colour === "u")).toBe(true);
      }
      if (truth.at(-1) === "f") expect(found.kind).toBe("flaky");
    }),
    { numRuns: RUNS },
  );
});
