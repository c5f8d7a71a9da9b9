import { currentHead } from "../system/git/commit.ts";
import { syncIndex } from "../system/git/index-lag.ts";
import type { RunState } from "./run-state.ts";

/**
 * Before a session, and at the end of a run: the user's index knows of all our commits. Whoever commits next starts from
 * it, and would take out again what it does not know of. True when it had to be told.
 */
export async function syncUserIndex(state: RunState): Promise<boolean> {
  const { work } = state;
  const isTold = await state.indexing;
  if (work.indexSyncedTo === undefined) return false;
  const { repository, indexSyncedTo } = work;
  const isDone = isTold || (await syncIndex(repository, indexSyncedTo.head, await currentHead(repository)));
  if (isDone) work.indexSyncedTo = undefined;
  state.indexing = Promise.resolve(isDone);
  return true;
}
