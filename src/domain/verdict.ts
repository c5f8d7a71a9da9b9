import type { FileChange } from "./change.ts";
import type { GateResult } from "./gate.ts";
import { matchesAny } from "./glob.ts";
import { rate, type Rated, type StrengthFacts } from "./strength.ts";
import type { Uncommittable } from "./uncommittable.ts";
import { noChange } from "./verdict-report.ts";

/** The facts that decide about a claim. */
export interface Findings extends Omit<StrengthFacts, "results"> {
  /** What the gates said, in their order. */
  readonly results: readonly GateResult[];
  /** The session's own changes since the task's work began. */
  readonly changes: readonly FileChange[];
  /** L-03: specs and prompts that it changed, which does not count. */
  readonly dropped?: readonly string[];
  /** T-10: a question about changes that decide how proof is done, or that act on the person's machine. */
  readonly ask?: Ask | undefined;
  /** T-11: existing tests that must not change, although the work needs that, and why. */
  readonly locked?: LockedTests | undefined;
  readonly uncommittable: readonly Uncommittable[];
  /** Patterns of files that must stay as they are. */
  readonly protect: readonly string[];
  /** Those of them that must not be added either. */
  readonly protectNew?: readonly string[];
  /** Patterns of files that the task may change nevertheless. */
  readonly granted: readonly string[];
  /** Patterns of files whose changes do not count as work: plan files, `.ralph/`, `AGENTS.md`, gate output. */
  readonly notWork: readonly string[];
  readonly allowNoChange: boolean;
  /** How often this task was rejected because nothing had changed. */
  readonly earlierNoChange: number;
}

/** May the work change how proof is done, or what runs on the person's machine? */
export interface Ask {
  readonly question: string;
  /** From the workspace, as grants of a task name them. */
  readonly paths: readonly string[];
  readonly diff: string;
}

export interface LockedTests {
  readonly paths: readonly string[];
  readonly why: string;
  readonly diff: string;
}

export type Reason =
  | { readonly kind: "gate"; readonly result: GateResult }
  | { readonly kind: "protected"; readonly paths: readonly string[] }
  | ({ readonly kind: "tests" } & LockedTests)
  | { readonly kind: "uncommittable"; readonly found: readonly Uncommittable[] }
  /** `dropped`: edits of files that sessions only read. `isUngated`: no gate ran either. */
  | { readonly kind: "no change"; readonly dropped?: readonly string[]; readonly isUngated?: true };

/** The result of checking a claim. */
export type Verdict =
  | (Rated & { readonly kind: "accepted"; readonly agentsGates: readonly string[] })
  | { readonly kind: "rejected"; readonly reasons: readonly Reason[] }
  /** A person must decide: whether there was anything to do (T-22), or whether it may change how proof is done (T-10). */
  | { readonly kind: "parked"; readonly question: string; readonly asksIfDone?: true; readonly ask?: Ask }
  /** The gates were stopped before they could say anything. */
  | { readonly kind: "undecided" };

/** P-15 to P-18, T-03: all must hold. */
export function judge(findings: Findings): Verdict {
  const { results, changes, ask, locked } = findings;
  if (results.some(({ runs }) => runs.at(-1)?.end.kind === "stopped")) return { kind: "undecided" };
  const touched = protectedChanges(changes, findings);
  const found = findings.uncommittable.filter(({ rejects }) => rejects);
  const reasons: Reason[] = [];
  if (touched.length > 0) reasons.push({ kind: "protected", paths: touched });
  if (found.length > 0) reasons.push({ kind: "uncommittable", found });
  for (const result of results) if (!result.passed) reasons.push({ kind: "gate", result });
  if (locked !== undefined) reasons.push({ kind: "tests", ...locked });
  if (reasons.length > 0) return { kind: "rejected", reasons };

  if (ask !== undefined) return { kind: "parked", question: ask.question, ask };
  const decision = judgeNoChange(findings);
  const { dropped = [] } = findings;
  const isUngated = results.length === 0;
  const none = { ...(dropped.length > 0 && { dropped }), ...(isUngated && { isUngated }) };
  if (decision === "reject") return { kind: "rejected", reasons: [{ kind: "no change", ...none }] };
  if (decision === "park") {
    return { kind: "parked", question: `Already done? ${capitalised(noChange(none))}.`, asksIfDone: true };
  }
  return { kind: "accepted", ...rate(findings), agentsGates: agentsGates(results) };
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** P-17: protected files that were changed or deleted. New ones are fine, unless they take effect by being there. */
export const protectedChanges = (
  changes: readonly FileChange[],
  { protect, protectNew = [], granted }: Pick<Findings, "protect" | "protectNew" | "granted">,
): string[] =>
  changes
    .filter(({ kind, path }) => matchesAny(kind === "added" ? protectNew : protect, path))
    .map(({ path }) => path)
    .filter((path) => !matchesAny(granted, path));

/** P-18: green gates prove nothing about work that was not done, unless one of them is about this very task. */
export function judgeNoChange(
  findings: Pick<Findings, "results" | "changes" | "notWork" | "allowNoChange" | "earlierNoChange">,
): "accept" | "reject" | "park" {
  const { results, changes, notWork, allowNoChange, earlierNoChange } = findings;
  if (changes.some(({ path }) => !matchesAny(notWork, path))) return "accept";
  const isAboutTask = results.some(
    ({ gate, passed, isEmpty }) => passed && isEmpty !== true && (gate.kind === "task" || gate.kind === "reviewer"),
  );
  if (allowNoChange || isAboutTask) return "accept";
  return earlierNoChange === 0 ? "reject" : "park";
}

const agentsGates = (results: readonly GateResult[]): string[] =>
  results.filter(({ gate }) => gate.isAgents === true).map(({ gate }) => gate.id);
