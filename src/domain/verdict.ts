import type { FileChange } from "./change.ts";
import type { DefinitionChanges, GateResult } from "./gate.ts";
import { matchesAny } from "./glob.ts";
import type { Uncommittable } from "./uncommittable.ts";

/** The facts that decide about a claim. */
export interface Findings {
  /** What the gates said, in their order. */
  readonly results: readonly GateResult[];
  /** The session's own changes since the task's work began. */
  readonly changes: readonly FileChange[];
  readonly definitions: DefinitionChanges;
  readonly uncommittable: readonly Uncommittable[];
  /** Patterns of files that must stay as they are. */
  readonly protect: readonly string[];
  /** Patterns of files whose changes do not count as work: plan files, `.ralph/`, `AGENTS.md`, gate output. */
  readonly notWork: readonly string[];
  readonly allowNoChange: boolean;
  /** How often this task was rejected because nothing had changed. */
  readonly earlierNoChange: number;
}

export type Reason =
  | { readonly kind: "gate"; readonly result: GateResult }
  | { readonly kind: "protected"; readonly paths: readonly string[] }
  | { readonly kind: "definition"; readonly changed: readonly string[]; readonly removed: readonly string[] }
  | { readonly kind: "uncommittable"; readonly found: readonly Uncommittable[] }
  | { readonly kind: "no change" };

/** The result of checking a claim. */
export type Verdict =
  /** `proof` says by what: gates that were there before, only gates that the agent wrote, or nothing at all. */
  | { readonly kind: "accepted"; readonly proof: Proof; readonly agentsGates: readonly string[] }
  | { readonly kind: "rejected"; readonly reasons: readonly Reason[] }
  /** A person must say whether there was anything to do. */
  | { readonly kind: "parked"; readonly question: string }
  /** The gates were stopped before they could say anything. */
  | { readonly kind: "undecided" };

export type Proof = "gates" | "the agent's own gates" | "none";

/** P-15 to P-18, T-03: all must hold. */
export function judge(findings: Findings): Verdict {
  const { results, changes, definitions, protect } = findings;
  if (results.some(({ runs }) => runs.at(-1)?.end.kind === "stopped")) return { kind: "undecided" };
  const touched = protectedChanges(changes, protect);
  const { changed, removed } = definitions;
  const found = findings.uncommittable.filter(({ rejects }) => rejects);
  const reasons: Reason[] = [];
  if (changed.length + removed.length > 0) reasons.push({ kind: "definition", changed, removed });
  if (touched.length > 0) reasons.push({ kind: "protected", paths: touched });
  if (found.length > 0) reasons.push({ kind: "uncommittable", found });
  for (const result of results) if (!result.passed) reasons.push({ kind: "gate", result });
  if (reasons.length > 0) return { kind: "rejected", reasons };

  const decision = judgeNoChange(findings);
  if (decision === "reject") return { kind: "rejected", reasons: [{ kind: "no change" }] };
  if (decision === "park")
    return { kind: "parked", question: "Already done? The gates pass, but the agent changed nothing." };
  return { kind: "accepted", proof: proofOf(results), agentsGates: agentsGates(results) };
}

/** P-17: protected files that were changed or deleted. New ones are fine. */
export const protectedChanges = (changes: readonly FileChange[], protect: readonly string[]): string[] =>
  changes.filter(({ kind, path }) => kind !== "added" && matchesAny(protect, path)).map(({ path }) => path);

/** P-18: green gates prove nothing about work that was not done, unless one of them is about this very task. */
export function judgeNoChange(
  findings: Pick<Findings, "results" | "changes" | "notWork" | "allowNoChange" | "earlierNoChange">,
): "accept" | "reject" | "park" {
  const { results, changes, notWork, allowNoChange, earlierNoChange } = findings;
  if (changes.some(({ path }) => !matchesAny(notWork, path))) return "accept";
  const isAboutTask = results.some(({ gate, passed }) => passed && (gate.kind === "task" || gate.kind === "reviewer"));
  if (allowNoChange || isAboutTask) return "accept";
  return earlierNoChange === 0 ? "reject" : "park";
}

/** P-16: a claim that only gates of the agent's own confirm is not verified, nor is one without gates (P-19). */
export function proofOf(results: readonly GateResult[]): Proof {
  const passed = results.filter(({ passed }) => passed);
  if (passed.some(({ gate }) => gate.isAgents !== true)) return "gates";
  return passed.length > 0 ? "the agent's own gates" : "none";
}

const agentsGates = (results: readonly GateResult[]): string[] =>
  results.filter(({ gate }) => gate.isAgents === true).map(({ gate }) => gate.id);
