import { expect, test } from "vitest";
import { usageOf } from "../domain/usage.ts";
import { read } from "./recordings.contract.ts";
import { scripted } from "./scripted.ts";

test("P-44 a program that speaks these lines cannot earn what others spend", () => {
  const lines = [
    { cost: 2 },
    { usage: { input: 5, output: "7", cacheRead: 1.4 } },
    { cost: -5 },
    { usage: { input: -100, output: null, cacheWrite: 1e300 } },
    '{"cost":1e999}',
  ];
  expect(usageOf(read(scripted, lines))).toEqual({
    input: 5,
    output: 7,
    cacheRead: 1,
    cacheWrite: 1e12,
    costUsd: 2,
    isEstimated: false,
  });
});
