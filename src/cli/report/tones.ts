import type { IterationOutcome } from "../../domain/run/outcome.ts";
import type { TaskState } from "../../domain/task-state.ts";

/** The colour of a state or outcome. */
export type Tone = "good" | "bad" | "warn" | "idle";

const OUTCOME_TONES: Readonly<Partial<Record<IterationOutcome, Tone>>> = {
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

/** `isUnproven`: accepted, but not by a gate of the workspace. */
export const outcomeTone = (outcome: IterationOutcome | undefined, isUnproven = false): Tone =>
  isUnproven ? "warn" : ((outcome && OUTCOME_TONES[outcome]) ?? "idle");

const STATE_TONES: Readonly<Partial<Record<TaskState, Tone>>> = { done: "good", failed: "bad", parked: "warn" };

export const stateTone = (state: TaskState): Tone => STATE_TONES[state] ?? "idle";
