import { currentHead } from "../system/git-commit.ts";
import { bringIndexAlong } from "../system/git-index-lag.ts";
import type { Running } from "./running.ts";

/**
 * Before a session, and at the end of a run: the user's index knows of all our commits. Whoever commits next starts from
 * it, and would take out again what it does not know of. True when it had to be told.
 */
export async function tellUsersIndex(running: Running): Promise<boolean> {
  const { work } = running;
  const isTold = await running.indexing;
  if (work.behind === undefined) return false;
  const { repository, behind } = work;
  const isDone = isTold || (await bringIndexAlong(repository, behind.head, await currentHead(repository)));
  if (isDone) work.behind = undefined;
  running.indexing = Promise.resolve(isDone);
  return true;
}
