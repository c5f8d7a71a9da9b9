import { estimatedCost } from "../../src/domain/prices.ts";
import type { RealCase } from "./cases.ts";
import type { Cli } from "./cli.ts";
import type { Step } from "./wire.ts";

/** What each answer of a model that never ends says it took. */
const LARGE = { input: 100_000, output: 2000 };
const BUDGET = { tokens: 250_000, cost: 0.5 };

const endless = (cli: Cli): Step => ({ text: "One more.", tools: [cli.runs("sleep 1; echo more")], tokens: LARGE });

/** How many of its requests the budget pays for, the last one in part. */
function affordable({ priced, model }: Cli, limit: keyof typeof BUDGET): number {
  const usd = estimatedCost(priced ?? model, { ...LARGE, cacheRead: 0, cacheWrite: 0 })!;
  return Math.ceil(BUDGET[limit] / (limit === "cost" ? usd : LARGE.input + LARGE.output));
}

const overspent = (limit: keyof typeof BUDGET): RealCase => ({
  name: `budget-${limit}`,
  proves: "P-42 P-44 X-4",
  about: `a session that never ends is stopped within one request when the budget of ${limit} is spent`,
  play: (cli) => ({
    script: () => [endless(cli)],
    limits: `${limit}: ${BUDGET[limit]}`,
    settings: `model: ${(limit === "cost" ? cli.priced : undefined) ?? cli.model}`,
  }),
  more: ({ model, run }, cli) => {
    const { costUsd = 0, tokens = 0 } = run.finished ?? {};
    const [requests, paid] = [model.asked.length, affordable(cli, limit)];
    // For the table in docs/guides/cost.md.
    process.stderr.write(
      `${cli.name}: ${requests} requests, of which ${paid} were paid for; ${tokens} tokens, $${costUsd}\n`,
    );
    const isKnown = (limit === "cost" ? costUsd : tokens) >= BUDGET[limit];
    return { limit: run.finished?.limit, isKnown, isWithin: requests <= paid + 1 };
  },
  expected: () => ({
    code: 4,
    outcomes: ["stopped"],
    states: { "Do it": "pending" },
    commits: [],
    more: { limit, isKnown: true, isWithin: true },
  }),
});

export const BUDGET_CASES: readonly RealCase[] = [overspent("tokens"), overspent("cost")];
