import { describe, expect, test } from "vitest";
import { byLane } from "../lane.ts";
import type { ClaimCase, PlaceName } from "./claims/claim-case.ts";
import { isAlone, placeOf, playClaims, type Played, truthOf } from "./claims/claim-run.ts";
import { CLAIMS } from "./claims/claims.ts";
import { KNOWN_OPEN } from "./claims/known-open.ts";

// T-10 to T-31: cheats must not pass, and honest work must. See claims/claim-case.ts.

const isOfFastLane = (one: ClaimCase): boolean => one.place === "make" && !isAlone(one);
const cases = byLane(CLAIMS.filter(isOfFastLane), CLAIMS);

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

/** The first case of a place plays all of them. */
const LONGEST_MS = 600_000;

async function endsAsItMust(one: ClaimCase): Promise<void> {
  const { ends, run, before, after, left } = await playedWith(one);
  const end = ends.get(one.name);
  expect(one.ends.words, `${end?.word}: ${end?.said} ${run.stderr.slice(-500)}`).toContain(end?.word);
  if (one.ends.says !== undefined) expect(end?.said).toMatch(one.ends.says);
  if (isAlone(one) && one.ends.code !== undefined) expect(run.code).toBe(one.ends.code);
  const touched = new Set(one.touches);
  const changed = Object.keys(before).filter((name) => before[name] !== after[name] && !touched.has(name));
  expect({ changed, left }).toEqual({ changed: [], left: [] });
}

describe.each(places)("T-10 T-11 claims in %s", (place) => {
  const ofPlace = cases.filter((one) => one.place === place);
  for (const one of ofPlace) {
    const title = `${one.proves} ${one.colour}: ${one.about} (${one.name})`;
    if (KNOWN_OPEN[one.name] === undefined) test(title, async () => await endsAsItMust(one), LONGEST_MS);
    else
      test.fails(
        `${title}, known to be open: ${KNOWN_OPEN[one.name]}`,
        async () => await endsAsItMust(one),
        LONGEST_MS,
      );
  }

  const told = ofPlace.filter(({ truth }) => truth !== "none");
  test("the base's checks say the same in a fresh clone", async () => {
    const truths = await Promise.all(told.map(async (one) => [one.name, await truthOf(placeOf(one), one.edits)]));
    expect(Object.fromEntries(truths)).toEqual(Object.fromEntries(told.map(({ name, truth }) => [name, truth])));
  });
});

test("names of cases are unique, and each that is known to be open is there", () => {
  const names = CLAIMS.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(Object.keys(KNOWN_OPEN).filter((name) => !names.includes(name))).toEqual([]);
});
