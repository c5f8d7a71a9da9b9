import { abortOperation, findUnfinishedOperations, beganOperationIn } from "../system/git/unfinished-operation.ts";
import type { Repository } from "../system/git/repository.ts";
import { snapshot } from "../system/git/snapshot.ts";
import { saveTree } from "./take-back.ts";
import { readWorkRecord, workRecordAtMs } from "./work-record.ts";

export interface InterruptedSession {
  readonly repository: Repository;
  /** The run that was killed. */
  readonly run: string;
  /** A time at which it had ended. */
  readonly untilMs: number;
}

/**
 * P-41: saves and aborts a merge, rebase or similar operation that a session had not finished when its run was killed.
 * Other work of the session stays for the next attempt, and so does an operation that a person began or continued.
 * Returns notices.
 */
export async function abortInterruptedMerge({ repository, run, untilMs }: InterruptedSession): Promise<string[]> {
  // A rebase comes last: it may contain a merge or a cherry-pick.
  const found = findUnfinishedOperations(repository).at(-1);
  const record = readWorkRecord(repository);
  const fromMs = workRecordAtMs(repository);
  // If `left` is set, the session had ended, and left no unfinished operation.
  if (found === undefined || record === undefined || record.left !== undefined || fromMs === undefined) return [];
  if (!(await beganOperationIn(repository, { fromMs, toMs: untilMs }))) return [];
  const saved = await saveTree(
    repository,
    { base: record.base, now: await snapshot(repository) },
    {
      run,
      name: record.task ?? "plan",
      subject: `Unfinished ${found.what} of a run that was killed`,
      task: record.task,
    },
  );
  if (!(await abortOperation(repository, found))) return [];
  const where = saved === undefined ? "" : `; its state is saved as ${saved.ref}`;
  return [`Aborted the unfinished ${found.what} of its session${where}`];
}
