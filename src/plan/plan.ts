import type { MarkChange, PlanReading } from "./entry.ts";

export { appendSteps, type NewStep } from "./append-steps.ts";
export { PlanError } from "./entry.ts";
export type { KnownEntry, MarkChange, PlanEntry, PlanNotice, PlanReading } from "./entry.ts";
export { cycleIn } from "./cycle.ts";
export { planFollowing } from "./follow.ts";
export type { Following } from "./follow.ts";
export { achievedMark, type GoalMark, isAchieved, readGoalMark, writeGoalMark } from "./goal-mark.ts";
export { matchEntries } from "./identity.ts";
export { planMarks, withMarks } from "./mark.ts";
export { memoryKey } from "./memory.ts";

/**
 * One kind of plan file: text → entries, marks → text. Pure; on any text at all the only thing thrown is `PlanError`.
 * A format is one file and one line in `index.ts`.
 */
export interface PlanFormat {
  /** Display name. */
  readonly name: string;
  /** Whether a file of this name (a path is fine) is read by this format. At most one format matches a name. */
  matches(fileName: string): boolean;
  /** The entries in document order. Throws `PlanError` when the text does not parse (P-53). */
  read(text: string): PlanReading;
  /**
   * The text with these entries marked and every other character as it was (P-50); the very same text when all of it
   * is there already. Keys are those of `read(text)`. Throws `PlanError`, having changed nothing, for a key that is
   * not there, for a group, and when reading the result back does not show exactly the marks that were asked for.
   */
  write(text: string, marks: ReadonlyMap<string, MarkChange>): string;
}
