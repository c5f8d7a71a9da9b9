import { expect, test } from "vitest";
import { playDraws } from "./claims/drawn-run.ts";

test("T-10 T-11 T-20 drawn cheats and honest edits end as they must", async () => {
  const first = Date.now() % 1_000_000_000;
  expect(await playDraws(Array.from({ length: 10 }, (_, at) => first + at))).toEqual([]);
});
