import type { TaskId } from "../domain/task.ts";
import type { KnownEntry, PlanEntry, PlanMark } from "./entry.ts";
import { matchEntries } from "./identity.ts";

/** A plan file in git: `base` is the last commit that the landing and what is checked out have in common. */
export interface PlanVersions<Version = readonly PlanEntry[]> {
  readonly landing: Version;
  readonly head: Version;
  readonly base: Version;
}

/**
 * L-24: a branch may not have followed yet, and git then restores plan files without marks and entries that landed. So an
 * entry that the file has as the commit that is checked out, which never had what landed, is no edit of a person.
 */
export function unfollowed(
  known: readonly KnownEntry[],
  entries: readonly PlanEntry[],
  { landing, head, base }: PlanVersions,
): ReadonlySet<TaskId> {
  const marksIn = (all: readonly PlanEntry[]): ReadonlyMap<TaskId, PlanMark> =>
    new Map(matchEntries(known, all).kept.map(({ taskId, entry }) => [taskId, entry.status]));
  const [here, landed, ...older] = [entries, landing, head, base].map(marksIn);
  const isOlder = (id: TaskId): boolean => older.every((marks) => marks.get(id) === here!.get(id));
  return new Set(
    known.flatMap(({ taskId: id, status }) =>
      landed!.get(id) === status && here!.get(id) !== status && isOlder(id) ? [id] : [],
    ),
  );
}
