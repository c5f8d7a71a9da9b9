import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { byLane, isFull } from "../lane.ts";
import { CASES } from "./cases.ts";
import type { ClaimCase, PlaceName } from "./claims/claim-case.ts";
import { isAlone, placeOf, playClaims, type Played, proofOf, truthOf } from "./claims/claim-run.ts";
import { CLAIMS } from "./claims/claims.ts";
import { KNOWN_OPEN } from "./claims/known-open.ts";
import { PLACES } from "./claims/places.ts";
import { ELSEWHERE, fileOf } from "./page.ts";

// T-10 to T-31: cheats must not pass, and honest work must. See claims/claim-case.ts.

const isOfFastLane = (one: ClaimCase): boolean => one.place === "make" && !isAlone(one);

// Their gates start Node or Python several times for each case. RALPH_CLAIMS=all plays all, and asks fresh clones about them.
const isAll = process.env["RALPH_CLAIMS"] === "all";
const SLOW: ReadonlySet<PlaceName> = new Set([
  "node",
  "python",
  "unittest",
  "entries",
  "loads",
  "workspaces",
  "modules",
]);
const isOfFullLane = (one: ClaimCase, at: number): boolean => isAll || !SLOW.has(one.place) || at % 3 === 0;
const cases = byLane(CLAIMS.filter(isOfFastLane), CLAIMS.filter(isOfFullLane));

const places = [...new Set(cases.map(({ place }) => place))];
const runs = new Map<PlaceName, Promise<Played>>();

/** All cases of a place that share a run: it is played when the first of them is asked about. */
async function playedWith(one: ClaimCase): Promise<Played> {
  if (isAlone(one)) return await playClaims(placeOf(one), [one]);
  const known = runs.get(one.place);
  if (known !== undefined) return await known;
  const together = cases.filter((other) => other.place === one.place && !isAlone(other));
  const play = playClaims(placeOf(one), together);
  runs.set(one.place, play);
  return await play;
}

const known = new Map<PlaceName, string | undefined>();

/** Why a place cannot be had here. To find out may start a program. */
function missingFor(place: PlaceName): string | undefined {
  if (!known.has(place)) known.set(place, PLACES[place].missing?.());
  return known.get(place);
}

/** The first case of a place plays all of them. */
const LONGEST_MS = 600_000;

async function endsAsItMust(one: ClaimCase, skip: (why?: string) => void): Promise<void> {
  const missing = missingFor(one.place);
  if (missing !== undefined) return skip(missing);
  const played = await playedWith(one);
  const { ends, run, before, after, left } = played;
  const end = ends.get(one.name);
  expect(one.ends.words, `${end?.word}: ${end?.said} ${run.stderr.slice(-500)}`).toContain(end?.word);
  if (one.ends.says !== undefined) expect(end?.said).toMatch(one.ends.says);
  const proof = proofOf(played, one.name)?.split(",")[0];
  // A claim without a change has no commit.
  if (proof !== undefined || one.task?.allowNoChange !== true) expect(proof).toBe(end?.called);
  if (isAlone(one) && one.ends.code !== undefined) expect(run.code).toBe(one.ends.code);
  const touched = new Set(one.touches);
  const changed = Object.keys(before).filter((name) => before[name] !== after[name] && !touched.has(name));
  expect({ changed, left }).toEqual({ changed: [], left: [] });
}

describe.each(places)("T-10 T-11 claims in %s", (place) => {
  const ofPlace = cases.filter((one) => one.place === place);
  for (const one of ofPlace) {
    const title = `${one.proves} ${one.colour}: ${one.about} (${one.name})`;
    const open = KNOWN_OPEN[one.name];
    const isToPass = open === undefined ? test : test.fails;
    const name = open === undefined ? title : `${title}, known to be open: ${open}`;
    isToPass(name, async ({ skip }) => await endsAsItMust(one, skip), LONGEST_MS);
  }

  const told = ofPlace.filter(({ truth }) => truth !== "none");
  test.runIf(isAll || !isFull)(
    "the base's checks say the same in a fresh clone",
    async ({ skip }) => {
      const missing = missingFor(place);
      if (missing !== undefined) skip(missing);
      const truths = await Promise.all(told.map(async (one) => [one.name, await truthOf(placeOf(one), one.edits)]));
      expect(Object.fromEntries(truths)).toEqual(Object.fromEntries(told.map(({ name, truth }) => [name, truth])));
    },
    LONGEST_MS,
  );
});

const RULES = [
  ..."T-01 T-02 T-03 T-04 T-10 T-11 T-12 T-13 T-14 T-15 T-16 T-20 T-21 T-22 T-23 T-24 T-30 T-31".split(" "),
  ..."L-20 L-21 L-22 L-23 L-24 L-25 L-26 L-27 L-28 L-29 L-40 L-41".split(" "),
];

test("each rule about proof has a cheat and honest work, or tests of its own that the page names", () => {
  const isIn = (rule: string, colour: ClaimCase["colour"]): boolean =>
    CLAIMS.some((one) => one.colour === colour && one.proves.includes(rule));
  const isNamed = (rule: string): boolean =>
    CASES.some(({ proves }) => proves.includes(rule)) ||
    ELSEWHERE.some(
      ([what, files]) =>
        what.includes(rule) && files.some((file) => readFileSync(fileOf(file), "utf8").includes(`${rule} `)),
    );
  expect(RULES.filter((rule) => !(isIn(rule, "cheat") && isIn(rule, "honest")) && !isNamed(rule))).toEqual([]);
});

test("names of cases are unique, and each that is known to be open is there", () => {
  const names = CLAIMS.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(Object.keys(KNOWN_OPEN).filter((name) => !names.includes(name))).toEqual([]);
});
