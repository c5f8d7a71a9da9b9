import { beforeAll, expect, test } from "vitest";
import { copyOf, killTemplate, type Template } from "../kill-template.ts";
import { runAndDie, wrongAfter } from "../killed-run.ts";

let template: Template;
/** How long a run takes here that nobody cuts off. */
let wholeMs: number;

beforeAll(async () => {
  template = await killTemplate("alpha", "beta", "gamma");
  const start = performance.now();
  expect(await runAndDie(copyOf(template), {})).toBe(0);
  wholeMs = performance.now() - start;
});

const SIGNALS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
const COUNT = 200;

// Where a run is at that moment is another place each time: that is what they are for. A report says where it was.
test("P-40 P-41 a signal at 200 random moments, alone and to the whole group, loses nothing and does nothing twice", async () => {
  const deaths = Array.from({ length: COUNT }, (_, index) => ({
    signal: SIGNALS[index % 3]!,
    whole: index % 2 === 0,
    afterMs: Math.round(Math.random() * wholeMs),
  }));
  const half = COUNT / 2;
  const walks = [wrongAfter(template, deaths.slice(0, half)), wrongAfter(template, deaths.slice(half))];
  expect((await Promise.all(walks)).flat()).toEqual([]);
}, 7_200_000);
