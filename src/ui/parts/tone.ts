import type { IterationOutcome } from "../../domain/run/outcome.ts";
import type { TaskResult } from "../../domain/run/summary.ts";
import type { Strength } from "../../domain/strength.ts";
import { lookup } from "../../format/run-text.ts";

/** The colour of a result or outcome. */
export type Tone = "good" | "bad" | "warn" | "idle";

const OUTCOMES: Readonly<Partial<Record<IterationOutcome, Tone>>> = {
  verified: "good",
  rejected: "bad",
  "gave-up": "bad",
  crashed: "bad",
  "timed-out": "bad",
  failure: "bad",
  parked: "warn",
  limited: "warn",
  outage: "warn",
  login: "warn",
};

interface Ended {
  readonly outcome: IterationOutcome;
  readonly strength?: Strength;
}

/** Work that was accepted, but not by a gate of the workspace, is no more than a warning. Undefined: it has not ended. */
export function outcomeTone(finished: Ended | undefined): Tone {
  if (finished === undefined) return "idle";
  return finished.strength === "look" ? "warn" : (lookup(OUTCOMES, finished.outcome) ?? "idle");
}

export const RESULT_TONES: Readonly<Record<TaskResult | "open", Tone>> = {
  proven: "good",
  unbroken: "good",
  look: "warn",
  failed: "bad",
  waiting: "warn",
  dropped: "idle",
  open: "idle",
};
