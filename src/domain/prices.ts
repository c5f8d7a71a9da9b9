import type { Usage } from "./agent-event.ts";

/** US dollars for a million tokens: input, output, read from a cache, written to one. */
type Price = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

/** When the prices were last looked up. */
export const PRICES_AS_OF = "November 2026";

/**
 * List prices of the makers, as of that month, without surcharges for long contexts and without discounts. What is
 * computed from them is always called an estimate. A model that is not named here has no price: a guess by a similar
 * name could be wrong by a factor of ten.
 */
export const PRICES: Readonly<Record<string, Price>> = {
  "claude-fable-5": [10, 50, 1, 12.5],
  "claude-fable-5-1": [10, 50, 0.25, 12.5],
  "claude-haiku-4-5": [1, 5, 0.1, 1.25],
  "claude-haiku-5-5": [0.1, 0.5, 0.01, 0.125],
  "claude-opus-4": [15, 75, 1.5, 18.75],
  "claude-opus-4-1": [15, 75, 1.5, 18.75],
  "claude-opus-4-5": [5, 25, 0.5, 6.25],
  "claude-opus-4-6": [5, 25, 0.5, 6.25],
  "claude-opus-4-7": [5, 25, 0.5, 6.25],
  "claude-opus-4-8": [5, 25, 0.5, 6.25],
  "claude-opus-5": [5, 25, 0.5, 6.25],
  "claude-opus-5-5": [4, 20, 0.2, 5],
  "claude-sonnet-4": [3, 15, 0.3, 3.75],
  "claude-sonnet-4-5": [3, 15, 0.3, 3.75],
  "claude-sonnet-4-6": [3, 15, 0.3, 3.75],
  "claude-sonnet-5": [2, 10, 0.2, 2.5],
  "claude-sonnet-5-5": [2, 10, 0.1, 2.5],
  "gemini-2.5-flash": [0.3, 2.5, 0.03, 0.3],
  "gemini-2.5-flash-lite": [0.1, 0.4, 0.01, 0.1],
  "gemini-2.5-pro": [1.25, 10, 0.125, 1.25],
  "gemini-3-pro": [2, 12, 0.2, 2],
  "gemini-3.1-pro": [2, 12, 0.2, 2],
  "gemini-3.5-flash": [1.5, 9, 0.15, 1.5],
  "gpt-5": [1.25, 10, 0.125, 1.25],
  "gpt-5-codex": [1.25, 10, 0.125, 1.25],
  "gpt-5-mini": [0.25, 2, 0.025, 0.25],
  "gpt-5.1": [1.25, 10, 0.125, 1.25],
  "gpt-5.2": [1.75, 14, 0.175, 1.75],
  "gpt-5.2-codex": [1.75, 14, 0.175, 1.75],
  "gpt-5.3-codex": [1.75, 14, 0.175, 1.75],
  "gpt-5.4": [2.5, 15, 0.25, 2.5],
  "gpt-5.4-mini": [0.75, 4.5, 0.075, 0.75],
  "gpt-5.4-nano": [0.2, 1.25, 0.02, 0.2],
  "gpt-5.5": [5, 30, 0.5, 5],
  "gpt-5.6-luna": [0.2, 1.2, 0.02, 0.25],
  "gpt-5.6-sol": [5, 30, 0.5, 6.25],
  "gpt-5.6-terra": [2, 12, 0.2, 2.5],
  "gpt-6-luna": [0.1, 0.5, 0.01, 0.125],
  "gpt-6-sol": [2, 10, 0.2, 2.5],
  "gpt-6.1-sol": [2, 10, 0.1, 2.5],
  "gpt-6.1-terra": [1, 5, 0.05, 1.25],
};

/** A model's price, by its name with or without provider, date and the like; undefined when it is not known. */
function priceOf(model: string): Price | undefined {
  const name = model
    .toLowerCase()
    .slice(model.lastIndexOf("/") + 1)
    .replace(/\[1m\]$/, "")
    .replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
    .replace(/-(?:latest|preview)$/, "");
  // Own names only: a model may be called `constructor`. Anthropic's are written with dots elsewhere.
  return [name, name.replaceAll(".", "-")].flatMap((key) => (Object.hasOwn(PRICES, key) ? [PRICES[key]!] : []))[0];
}

export const hasPrice = (model: string): boolean => priceOf(model) !== undefined;

/** What tokens cost by the price list; undefined for a model without a known price. */
export function estimatedCost(model: string | undefined, usage: Usage): number | undefined {
  const price = model === undefined ? undefined : priceOf(model);
  if (price === undefined) return undefined;
  const [input, output, cacheRead, cacheWrite] = price;
  const { input: fresh, output: written, cacheRead: read, cacheWrite: kept } = usage;
  return (fresh * input + written * output + read * cacheRead + kept * cacheWrite) / 1_000_000;
}
