import type { TaskId, TaskStatus } from "../../domain/task.ts";

/**
 * New tasks as numbers only, so that a million of them are a few megabytes.
 * The new ones are numbered from `first` on; whatever has a smaller number was there before.
 */
export interface Shape {
  readonly first: number;
  readonly count: number;
  /** The number of each one's parent; 0 for none. */
  readonly parents: Int32Array;
  /** What each needs: `needs` from `needFrom[index]` up to `needFrom[index + 1]`. */
  readonly needFrom: Int32Array;
  readonly needs: Int32Array;
  /** Each one's own status, as its place in `taskStatuses`. */
  readonly own: Uint8Array;
  /** Whether each settles by itself: 1 once its children have, 2 whatever its children do (T-13). */
  readonly works: Uint8Array;
}

export const worksOf = (task: { readonly hasGates: boolean; readonly keepsWork: boolean }): number =>
  task.keepsWork ? 2 : task.hasGates ? 1 : 0;

/** What a batch must know of existing tasks. */
export interface ExistingTasks {
  find(seq: number): { readonly status: TaskStatus; readonly isHeldBack: boolean };
  /** The wait graph of them and the batch; undefined if no existing task can wait for the batch. */
  readonly next: ((node: number) => readonly number[]) | undefined;
  /** Of an old or a new task, for a message. */
  idOf(seq: number): TaskId;
}

/** For each of `count` groups a stretch of `list`. */
export interface Groups {
  readonly from: Int32Array;
  readonly list: Int32Array;
}

/** Sorts members into groups, in two passes and no small arrays. A member of no group has a negative one. */
export function grouped(count: number, members: number, groupOf: (member: number) => number): Groups {
  const from = new Int32Array(count + 1);
  for (let member = 0; member < members; member++) if (groupOf(member) >= 0) from[groupOf(member) + 1]! += 1;
  for (let group = 0; group < count; group++) from[group + 1]! += from[group]!;
  const list = new Int32Array(from[count]!);
  const at = from.slice();
  for (let member = 0; member < members; member++) {
    if (groupOf(member) >= 0) list[at[groupOf(member)]!++] = member;
  }
  return { from, list };
}
