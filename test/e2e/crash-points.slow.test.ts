import { expect, test } from "vitest";
import { failingTemplate, killTemplate, planningTemplate, type Template } from "../kill-template.ts";
import { type Death, pointsOf, wrongAfter } from "../killed-run.ts";

// For a look at some of them: every n-th.
const STRIDE = Number(process.env["RALPH_STRIDE"] ?? 1);

function* everyPoint(count: number, whole: boolean): Generator<Death> {
  for (let at = whole ? 1 : Math.ceil(STRIDE / 2); at <= count; at += STRIDE) yield { at, whole };
}

async function walk(template: Template): Promise<unknown[]> {
  const { length } = await pointsOf(template);
  expect(length).toBeGreaterThan(200);
  const ways = [false, true].map((whole) => wrongAfter(template, everyPoint(length, whole)));
  return (await Promise.all(ways)).flat();
}

// What it does for a task is the same however many there are: one after the other they are walked in half the time.
test("P-41 killed at any write, alone or with its git, a run is taken up by the next", async () => {
  expect(await walk(await killTemplate("alpha", "beta"))).toEqual([]);
}, 7_200_000);

test("P-41 killed at any write when a claim is rejected first, a run is taken up by the next", async () => {
  expect(await walk(await killTemplate("gamma"))).toEqual([]);
}, 7_200_000);

test("P-33 P-41 killed at any write when a task fails for good, a run is taken up by the next", async () => {
  expect(await walk(await failingTemplate())).toEqual([]);
}, 7_200_000);

test("P-04 P-41 killed at any write while it plans, a run is taken up by the next", async () => {
  expect(await walk(await planningTemplate())).toEqual([]);
}, 7_200_000);

test("P-41 killed at 200 random moments, a run is taken up by the next", async () => {
  const template = await killTemplate("alpha", "beta", "gamma");
  const deaths = Array.from({ length: 200 / STRIDE }, (_, index) => ({
    afterMs: Math.round(100 + Math.random() * 3500),
    whole: index % 2 === 0,
  }));
  const half = deaths.length / 2;
  const walks = [wrongAfter(template, deaths.slice(0, half)), wrongAfter(template, deaths.slice(half))];
  expect((await Promise.all(walks)).flat()).toEqual([]);
}, 7_200_000);
