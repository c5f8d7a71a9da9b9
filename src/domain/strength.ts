import type { GateResult } from "./gate.ts";

/**
 * T-20: how strong the proof of a done task is. `proven`: a check failed without the work and passes with it, or a
 * reviewer passed it. `unbroken`: the person's checks still pass, and none spoke of this task. `look`: a person should
 * look at it first.
 */
export type Strength = "proven" | "unbroken" | "look";

/** The facts that decide how strong an accepted claim is. */
export interface StrengthFacts {
  /** All gates of the claim; they passed. */
  readonly results: readonly GateResult[];
  /** T-10, T-11: changes of tests or configuration that a person should look at, one line each. */
  readonly look: readonly string[];
  /** T-21: checks that failed without the work, one line each. */
  readonly redFirst: readonly string[];
  /** T-21: new tests that failed without the work, but in a way that shows little; one line each. */
  readonly shownLittle: readonly string[];
  /** T-02: the gates ran on the files as they lay, and not in the room. */
  readonly isOnLane: boolean;
}

export interface Rated {
  readonly strength: Strength;
  /** Why a person should look; empty unless the strength is `look`. */
  readonly look: readonly string[];
  /** Why it counts as proven, or what speaks for unbroken work beside gates that pass. */
  readonly why: readonly string[];
}

/** T-02: said wherever a proof speaks that did not happen in the room. */
export const AS_THEY_LAY = "on the files as they lay";
export const NO_CHECK = "no check has run";
export const ONLY_AGENTS_CHECKS = "only checks that an agent wrote have passed";

/** The one place that decides. */
export function rate({ results, look, redFirst, shownLittle, isOnLane }: StrengthFacts): Rated {
  const ofPerson = results.filter(({ gate, passed }) => passed && gate.isAgents !== true);
  const unchecked = ofPerson.length > 0 ? [] : [results.length > 0 ? ONLY_AGENTS_CHECKS : NO_CHECK];
  const reasons = [...look, ...unchecked];
  if (reasons.length > 0) return { strength: "look", look: reasons, why: [] };
  const reviewed = ofPerson.some(({ gate }) => gate.kind === "reviewer") ? ["a reviewer passed it"] : [];
  const why = isOnLane ? [] : [...redFirst, ...reviewed];
  if (why.length > 0) return { strength: "proven", look: [], why };
  const where = isOnLane ? [`the gates passed ${AS_THEY_LAY}`] : [];
  const empty = ofPerson.filter(({ isEmpty }) => isEmpty).map(({ gate }) => `${gate.id} found no tests`);
  return { strength: "unbroken", look: [], why: [...where, ...shownLittle, ...empty] };
}

export const UNBROKEN = "the gates pass, and none of them spoke of this task";

/** A clause for events and pages: "proven: test failed without the work". */
export function describeStrength({ strength, look, why }: Rated): string {
  if (strength === "unbroken" && why.length === 0) return `unbroken: ${UNBROKEN}`;
  return `${strength}: ${(strength === "look" ? look : why).join("; ")}`;
}

/** The strength in the evidence of a verdict; undefined if it has none. Older versions recorded `proof`. */
export function ratedIn(evidence: unknown): Rated | undefined {
  const { strength, proof, look, why } = (evidence ?? {}) as Readonly<Record<string, unknown>>;
  if (strength === "proven" || strength === "unbroken" || strength === "look") {
    return { strength, look: textsIn(look), why: textsIn(why) };
  }
  if (proof === "gates") return { strength: "unbroken", look: [], why: [] };
  if (proof === "none") return { strength: "look", look: [NO_CHECK], why: [] };
  return proof === undefined ? undefined : { strength: "look", look: [ONLY_AGENTS_CHECKS], why: [] };
}

const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((text): text is string => typeof text === "string") : [];
