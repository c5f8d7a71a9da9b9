import { AS_THEY_LAY, NO_CHECK, ONLY_AGENTS_CHECKS, ratedIn, type Strength } from "./strength.ts";
import type { Actor } from "./transition.ts";

/** How a task became done, as the store recorded it (T-15). */
export interface DoneRecord {
  /** The last entry of its log that made it done, reopened it, or spoke of its proof. */
  readonly last: { readonly by: Actor; readonly kind: string } | undefined;
  /** The evidence of the last verdict that settled it. */
  readonly evidence: unknown;
}

/** The kinds of log entries that decide. Only `ralphctl` itself writes them. */
export const DECIDING_KINDS = ["verified", "complete", "reset", "approve", "checked"] as const;

/** `word`: a person says so. `unrecorded`: nothing on record made it done. */
export type StandingKind = Strength | "word" | "unrecorded";

export interface Standing {
  readonly kind: StandingKind;
  /** Why it is only that, as far as that is special; empty for `proven` and `word`. */
  readonly reasons: readonly string[];
}

export const STANDINGS: readonly StandingKind[] = ["proven", "unbroken", "word", "look", "unrecorded"];

/** T-15: a row that says "done" is a claim, too. The verdict that ralphctl recorded counts, or the word of a person. */
export function standingOf({ last, evidence }: DoneRecord): Standing {
  if (last === undefined || last.kind === "reset") return unrecorded("nothing on record made it done");
  if (last.by === "person") return { kind: "word", reasons: [] };
  const rated = ratedIn(evidence);
  if (rated === undefined) return unrecorded("its verdict is not on record");
  // T-02: the one thing that a person should know of unbroken work.
  const where = rated.why.filter((text) => text.includes(AS_THEY_LAY));
  if (rated.strength !== "look") return { kind: rated.strength, reasons: rated.strength === "unbroken" ? where : [] };
  return last.kind === "checked" ? { kind: "unbroken", reasons: [] } : { kind: "look", reasons: rated.look };
}

const unrecorded = (reason: string): Standing => ({ kind: "unrecorded", reasons: [reason] });

/** P-19: done without a check of a person. Such a check may pass later. */
export const isUnchecked = ({ kind, reasons }: Standing): boolean =>
  kind === "look" && reasons.every((reason) => reason === NO_CHECK || reason === ONLY_AGENTS_CHECKS);

/** What a run asks of its tasks. */
export interface Demands {
  /** `--strict`: only proven work is complete. */
  readonly isStrict: boolean;
  /** `--accept-look`: the person has looked, or will. */
  readonly acceptsLook: boolean;
  /** `verify.allowUnverified`: work without any check is complete. */
  readonly allowsUnverified: boolean;
}

export function isEnough(standing: Standing, { isStrict, acceptsLook, allowsUnverified }: Demands): boolean {
  const { kind } = standing;
  if (kind === "look") return acceptsLook || (allowsUnverified && !isStrict && isUnchecked(standing));
  return kind === "proven" || kind === "word" || (kind === "unbroken" && !isStrict);
}
