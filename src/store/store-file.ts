import type { TaskId } from "../domain/task.ts";

/** The care that one SQLite file of tasks needs: agents work beside it and may delete, damage or edit it. */
export interface StoreFile {
  /**
   * Remembers the tasks, so that `revertTampering` can compare them later (W-02). Takes some milliseconds for 10,000.
   * Above 20,000 tasks, or 64 MB, it has only those that somebody works on and the next in line.
   */
  snapshot(): Promise<TaskSnapshot>;
  /**
   * Undoes what was done to the tasks since the snapshot other than through a `Store`. A task that was also changed
   * through a store stays as it is. Costs nothing if no other connection has written.
   */
  revertTampering(before: TaskSnapshot): Promise<RevertedTask[]>;
  /** Finds everything that is wrong with the tasks. Reads the whole store. */
  check(): Promise<Problem[]>;
  /** Restores the file if it was deleted, replaced or damaged (W-03). */
  guard(): Promise<GuardReport>;
  /** Writes a consistent copy, complete before it gets its name. */
  backupTo(path: string): Promise<void>;
}

/** The tasks at one moment. Only the store that made it can read it. */
export interface TaskSnapshot {
  readonly at: number;
}

/** A task that was changed without ralphctl and is now what it was before. */
export interface RevertedTask {
  readonly id: TaskId;
  /** `inserted`: it is gone again. */
  readonly kind: "changed" | "deleted" | "inserted";
  /** What was changed, in words. */
  readonly fields: readonly string[];
}

export interface Problem {
  /** `stuck` needs a person; `lease` resolves itself; all others are damage. */
  readonly kind: "integrity" | "counter" | "status" | "ready" | "cycle" | "lease" | "stuck";
  readonly task: TaskId | undefined;
  /** Of a stuck task: the task that needs a person, and its state. */
  readonly cause?: { readonly id: TaskId; readonly status: "parked" | "failed" };
  readonly message: string;
  /** Of a lease: what a person can do now; begins with a verb. */
  readonly advice?: string;
}

export type GuardReport =
  | { readonly kind: "intact" }
  /** `from`: the open connection, or the copy if the connection saw the damage too. */
  | { readonly kind: "restored"; readonly why: "deleted" | "replaced" | "damaged"; readonly from: "handle" | "copy" };
