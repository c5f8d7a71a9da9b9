import { abortOperation, findUnfinishedOperations, beganOperationIn } from "../system/git/unfinished-operation.ts";
import type { Repository } from "../system/git/repository.ts";
import { snapshot } from "../system/git/snapshot.ts";
import { saveTree } from "./take-back.ts";
import { readWorkRecord, workRecordAtMs } from "./work-record.ts";

export interface InterruptedSession {
  readonly repository: Repository;
  /** The run that was cut off. */
  readonly run: string;
  /** When it was cut off, at the latest. */
  readonly untilMs: number;
}

/**
 * P-41: a merge, rebase or the like that a session was in the middle of when its run was killed. All of it is kept, and
 * git gives it up; what else the session left stays for the next attempt. What a person began before or afterwards, or
 * has gone on with, stays as it is. Sentences about it.
 */
export async function abortInterruptedMerge({ repository, run, untilMs }: InterruptedSession): Promise<string[]> {
  // A rebase may have a merge or a cherry-pick of its own, and comes last.
  const found = findUnfinishedOperations(repository).at(-1);
  const record = readWorkRecord(repository);
  const fromMs = workRecordAtMs(repository);
  // With `left` the session was over, and then nothing of it was half done.
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
  return [`Aborted the ${found.what} that its session was in the middle of${where}`];
}
