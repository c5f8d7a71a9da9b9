import type { TaskId } from "../domain/task.ts";
import type { KnownEntry, PlanEntry, PlanMark } from "./entry.ts";
import { matchEntries } from "./identity.ts";

/** A plan file in git: `base` is the last commit that the landing and what is checked out have in common. */
export interface PlanVersions<Version = readonly PlanEntry[]> {
  readonly landing: Version;
  readonly head: Version;
  readonly base: Version;
  /** The person has checked out another branch than that of the run. */
  readonly isElsewhere: boolean;
}

/**
 * Tasks whose entries the person's file has as the commit that is checked out, which says nothing about them. L-24: a
 * branch that has not followed yet never had marks and entries that landed, and another branch has its own.
 */
export function unfollowed(
  known: readonly KnownEntry[],
  entries: readonly PlanEntry[],
  { landing, head, base, isElsewhere }: PlanVersions,
): ReadonlySet<TaskId> {
  const marksIn = (all: readonly PlanEntry[]): ReadonlyMap<TaskId, PlanMark> =>
    new Map(matchEntries(known, all).kept.map(({ taskId, entry }) => [taskId, entry.status]));
  const [here, landed, ...older] = [entries, landing, head, ...(isElsewhere ? [] : [base])].map(marksIn);
  const isOlder = (id: TaskId): boolean => older.every((marks) => marks.get(id) === here!.get(id));
  return new Set(
    known.flatMap(({ taskId: id, status }) =>
      (isElsewhere || landed!.get(id) === status) && here!.get(id) !== status && isOlder(id) ? [id] : [],
    ),
  );
}
