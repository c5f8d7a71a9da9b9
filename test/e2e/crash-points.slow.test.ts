import { beforeAll, expect, test } from "vitest";
import { type Death, killTemplate, pointsOf, type Template, tryDeath } from "../killed-run.ts";

let template: Template;

beforeAll(async () => {
  template = await killTemplate("whole");
});

/** Deaths that the next run did not make good. */
async function wrongAfter(deaths: Iterable<Death>): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (const death of deaths) {
    const found = await tryDeath(template, death);
    if (found !== undefined) wrong.push(found);
  }
  return wrong;
}

// For a look at some of them: every n-th.
const STRIDE = Number(process.env["RALPH_STRIDE"] ?? 1);

function* everyPoint(count: number, whole: boolean): Generator<Death> {
  for (let at = whole ? 1 : Math.ceil(STRIDE / 2); at <= count; at += STRIDE) yield { at, whole };
}

test("P-41 killed at any write, alone or with its git, a run is taken up by the next", async () => {
  const { length } = await pointsOf(template);
  expect(length).toBeGreaterThan(300);
  const walks = [wrongAfter(everyPoint(length, false)), wrongAfter(everyPoint(length, true))];
  expect((await Promise.all(walks)).flat()).toEqual([]);
}, 7_200_000);

test("P-41 killed at 200 random moments, a run is taken up by the next", async () => {
  const deaths = Array.from({ length: 200 / STRIDE }, (_, index) => ({
    afterMs: Math.round(100 + Math.random() * 3500),
    whole: index % 2 === 0,
  }));
  const half = deaths.length / 2;
  const walks = [wrongAfter(deaths.slice(0, half)), wrongAfter(deaths.slice(half))];
  expect((await Promise.all(walks)).flat()).toEqual([]);
}, 7_200_000);
