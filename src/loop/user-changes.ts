import { type FileChange, changeOf } from "../domain/change.ts";
import type { Snapshot } from "../system/git/snapshot.ts";
import type { LaneState } from "./run-state.ts";
import { realWork } from "./work-tree.ts";

interface Looks {
  /** Before and after the session. */
  readonly before: Snapshot;
  readonly now: Snapshot;
  /** Since the last verified state. */
  readonly changes: readonly FileChange[];
}

/**
 * P-31: finds uncommitted changes of the user that a session committed (`git add -A`) or removed (`git stash`, `git
 * checkout`). Returns the ends of sentences. An untracked file that the session changed and committed is its own work.
 */
export function userChanges({ deps, work }: LaneState, { before, now, changes }: Looks): string[] {
  const there = new Set(before.changed.map(({ path }) => path));
  const open = new Set(now.changed.map(({ path }) => path));
  const changed = new Map(changes.map((change) => [change.path, change]));
  const userPaths = new Set(work.userPaths);
  const closed = work.base.changed.filter(({ path }) => there.has(path) && !open.has(path));
  const isUndone = ({ path, head }: (typeof closed)[number]): boolean =>
    changed.has(path) && changeOf(path, head, changed.get(path)!.after) === undefined;
  const undone = closed.filter(isUndone);
  const swept = closed.filter((one) => !isUndone(one) && (!changed.has(one.path) || userPaths.has(one.path)));
  return [
    ...sentence("committed", pathsOf(swept, deps.rules.notWork)),
    ...sentence("undid or removed", pathsOf(undone, deps.rules.notWork)),
  ];
}

const pathsOf = (states: readonly { readonly path: string }[], notWork: readonly string[]): string[] =>
  realWork(
    states.map(({ path }) => path),
    notWork,
  );

const MOST_PATHS = 20;

function sentence(verb: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MOST_PATHS ? ` and ${paths.length - MOST_PATHS} more` : "";
  return [`${verb} somebody else's uncommitted changes: ${paths.slice(0, MOST_PATHS).join(", ")}${more}`];
}
