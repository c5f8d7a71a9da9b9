import type { RunFinished } from "./event.ts";
import type { Limit, RunEnding } from "./policy.ts";

/** How the run of one change ended. */
export interface ChangeEnd {
  readonly change: string;
  readonly ending: RunEnding;
  readonly reason: string;
  readonly limit?: Limit | "wait" | undefined;
}

/** What the runs of a command have used so far. */
export type Spent = Readonly<Record<"costUsd" | "tokens" | "durationMs", number>>;

export const nothingSpent: Spent = { costUsd: 0, tokens: 0, durationMs: 0 };

export function addSpent(spent: Spent, run: Pick<RunFinished, keyof Spent>): Spent {
  return {
    costUsd: spent.costUsd + (run.costUsd ?? 0),
    tokens: spent.tokens + run.tokens,
    durationMs: spent.durationMs + run.durationMs,
  };
}

/** Worst first: one change that did not succeed is what the whole comes to. */
const ORDER: readonly RunEnding[] = [
  "interrupted",
  "login",
  "failure",
  "blocked",
  "limit",
  "unverified",
  "nothing",
  "complete",
];

/** The ending of several changes: complete only if each of them is. */
export const overallEnding = (ends: readonly ChangeEnd[]): RunEnding =>
  ORDER.find((ending) => ends.some((end) => end.ending === ending)) ?? "nothing";

/** Whether the next change would end the same way: the user stopped the command, or the reason holds for all. */
export const endsAll = ({ ending, limit }: ChangeEnd): boolean =>
  ending === "interrupted" ||
  ending === "login" ||
  (ending === "limit" && limit !== undefined && limit !== "iterations");
