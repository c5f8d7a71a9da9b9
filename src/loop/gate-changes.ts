import { restoreChanged, type Restored } from "../system/git/restore.ts";
import type { Repository } from "../system/git/repository.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";

/** What gates did to the files, and what was undone of it. */
export interface GateChanges extends Restored {
  /** The files after the gates, with what they changed put back. */
  readonly after: Snapshot;
  /** New files of theirs (reports, caches): they stay, and are nobody's work. */
  readonly added: readonly string[];
}

/** What gates changed in files that were there is put back. `isTheirs`: what somebody else may write meanwhile is not. */
export async function revertGateChanges(
  repository: Repository,
  proven: Snapshot,
  isTheirs: (path: string) => boolean = () => true,
): Promise<GateChanges> {
  const after = await snapshot(repository, proven);
  const changes = (await changesBetween(repository, proven, after)).filter(({ path }) => isTheirs(path));
  if (changes.length === 0) return { after, added: [], restored: [], left: [] };
  const { restored, left } = await restoreChanged(repository, changes);
  return {
    after: restored.length > 0 ? await snapshot(repository, after) : after,
    added: changes.filter(({ kind }) => kind === "added").map(({ path }) => path),
    restored,
    left,
  };
}

/** Sentences about what was put back, and what could not be. */
export const gateNotices = ({ restored, left }: Restored, who = "gates"): string[] => [
  ...(restored.length > 0 ? [`The ${who} changed these files; they were put back: ${restored.join(", ")}`] : []),
  ...(left.length > 0 ? [`The ${who} changed these files, which could not be put back: ${left.join(", ")}`] : []),
];
