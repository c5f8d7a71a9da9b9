import { expect, test } from "vitest";
import { estimatedCost, hasPrice } from "./prices.ts";

const million = { input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 };

test.each([
  ["gpt-5.4", 2.5 + 15 + 0.25 + 2.5],
  ["openai/gpt-5.4", 2.5 + 15 + 0.25 + 2.5],
  ["GPT-5.4-2026-03-05", 2.5 + 15 + 0.25 + 2.5],
  ["claude-sonnet-4-5-20250929", 3 + 15 + 0.3 + 3.75],
  ["claude-sonnet-4.5", 3 + 15 + 0.3 + 3.75],
  ["anthropic/claude-opus-4-6[1m]", 5 + 25 + 0.5 + 6.25],
  ["gemini-3-pro-preview", 2 + 12 + 0.2 + 2],
])("P-44 %s has a price, however its name is written", (model, expected) => {
  expect(estimatedCost(model, million)).toBeCloseTo(expected, 10);
});

test.each(["", "constructor", "gpt-5.4-pro", "my-gpt-5.4", "opus", "claude-opus-9", undefined])(
  "P-44 %j has none: a similar name is no price",
  (model) => {
    expect(estimatedCost(model, million)).toBe(undefined);
    expect(hasPrice(model ?? "")).toBe(false);
  },
);
