/** How an iteration came out. All are normal; none is an exception. */
export type IterationOutcome =
  /** Claimed, and the gates agree. */
  | "verified"
  /** Claimed, and a gate does not agree. */
  | "rejected"
  /** Claimed, and it clashes with work that landed during the session (L-25). */
  | "conflict"
  /** The agent said that it cannot be done. */
  | "gave-up"
  | "crashed"
  | "timed-out"
  /** No claim, and nothing changed. */
  | "idle"
  /** No claim, but the work has moved on: the next iteration goes on with it. */
  | "unfinished"
  /** A sprint's goal was planned or looked at again: whatever it added, there is nothing to prove. */
  | "planned"
  /** The model's usage limit was reached. */
  | "limited"
  | "outage"
  /** The session was too long for the model; once, the next is made shorter. */
  | "overflow"
  | "login"
  /** The model does not exist, or not for this account. */
  | "model"
  /** By us, on a person's word. */
  | "stopped"
  /** Claimed too early to end the run (P-22). */
  | "deferred"
  /** A person must answer a question first. */
  | "parked"
  /** The agent promised FAILURE (D-09). */
  | "failure"
  /** The lease was taken over meanwhile; nothing of it counts. */
  | "lost";

interface Meaning {
  /** It is an attempt at its task (P-20). */
  readonly isAttempt: boolean;
  /** It uses up one of the run's iterations (P-42). */
  readonly isIteration: boolean;
  /** The harness failed, not the work. */
  readonly isError: boolean;
  /** Where its task goes. */
  readonly to: "done" | "pending" | "failed" | "parked";
}

const released = { isAttempt: false, isIteration: true, isError: false, to: "pending" } as const;
const attempt = { ...released, isAttempt: true } as const;

/** What follows from an outcome. This table is P-20, and half of P-42. */
export const OUTCOME_RULES: Readonly<Record<IterationOutcome, Meaning>> = {
  verified: { ...released, to: "done" },
  rejected: attempt,
  conflict: released,
  "gave-up": { ...attempt, to: "failed" },
  crashed: { ...attempt, isError: true },
  "timed-out": { ...attempt, isError: true },
  idle: attempt,
  unfinished: released,
  planned: released,
  limited: { ...released, isIteration: false },
  outage: { ...released, isIteration: false, isError: true },
  overflow: { ...released, isIteration: false },
  login: { ...released, isIteration: false },
  model: { ...released, isIteration: false },
  stopped: released,
  deferred: released,
  parked: { ...released, to: "parked" },
  failure: released,
  lost: released,
};
