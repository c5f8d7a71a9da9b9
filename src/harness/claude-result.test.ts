import { expect, test } from "vitest";
import { trackUnbilledUsage } from "./claude-result.ts";

const took = (input: number, output: number) => ({ input, output, cacheRead: 0, cacheWrite: 0 });

test("P-44 the last numbers of each message add up, however many messages there are", () => {
  const unbilled = trackUnbilledUsage();
  for (let message = 0; message < 10_000; message += 1) {
    unbilled.note(`m-${message}`, took(1, 1));
    unbilled.note(`m-${message}`, took(1, 5));
  }
  expect(unbilled.total()).toEqual(took(10_000, 50_000));
  // Asking changes nothing.
  expect(unbilled.total()).toEqual(took(10_000, 50_000));
});

test("P-44 what was billed is not counted again", () => {
  const unbilled = trackUnbilledUsage();
  for (let message = 0; message < 1000; message += 1) unbilled.note(`m-${message}`, took(1, 1));
  unbilled.clear();
  unbilled.note("m-1000", took(2, 3));
  expect(unbilled.total()).toEqual(took(2, 3));
});
