import type { FileChange } from "../../domain/change.ts";
import type { Uncommittable } from "../../domain/uncommittable.ts";
import { matchesAny } from "../../domain/glob.ts";
import { allowed, type CommitRules, inspectChange } from "./commit-filter.ts";
import type { SnapshotRange } from "./commit.ts";
import { absolute, refusedPaths } from "./hash.ts";
import { hiddenFiles } from "./hidden-files.ts";
import type { Repository } from "./repository.ts";
import { changesBetween } from "./snapshot.ts";
import { lstatOf } from "../lstat.ts";

/**
 * T-03: the changes of a session that would not be committed, although the gates see them, and those that should not
 * be. It also finds them in commits that the session made itself.
 */
export async function findUncommittable(
  repository: Repository,
  { base, now }: SnapshotRange,
  rules: CommitRules,
): Promise<readonly Uncommittable[]> {
  const all = await changesBetween(repository, base, now);
  const changes = new Map(all.map((change) => [change.path, change]));
  const found: Uncommittable[] = [];
  for (const change of all.filter(({ path }) => !matchesAny(rules.inputs, path))) {
    const one = await inspectChange(repository, { change, base }, rules);
    if (one !== undefined) found.push(one);
  }
  found.push(...(await refusedFiles(repository, all)));
  found.push(...ownRepositories(repository, { base, now }, all));
  for (const one of await hiddenFiles(repository, { base, now, changes })) {
    found.push(one.rejects && matchesAny(rules.allow, one.path) ? allowed(one) : one);
  }
  return found;
}

async function refusedFiles(repository: Repository, changes: readonly FileChange[]): Promise<Uncommittable[]> {
  const files = changes.filter(({ after }) => after?.mode.startsWith("100") === true);
  const why = "git cannot store it: see .gitattributes, and the filters of the repository";
  const paths = await refusedPaths(
    repository,
    files.map(({ path }) => path),
  );
  return paths.map((path) => ({ path, kind: "ignored", why, rejects: true }));
}

/**
 * Folders of tracked files in which a session made a repository. Git goes on to track the files, so that they are proven
 * and committed; the repository is neither.
 */
function ownRepositories(
  repository: Repository,
  { base }: SnapshotRange,
  changes: readonly FileChange[],
): Uncommittable[] {
  const folders = new Set(changes.flatMap(({ path }) => foldersAbove(path)));
  const isNew = (folder: string): boolean => {
    const found = lstatOf(absolute(repository, `${folder}/.git`));
    return found !== undefined && (found.birthtimeMs === 0 || found.birthtimeMs >= base.takenAtMs - CLOCK_MS);
  };
  const why = "it is a git repository of its own now; only its files are committed";
  return [...folders].filter(isNew).map((path) => ({ path, kind: "nested", why, rejects: false }));
}

/** The time of a file may lag behind the clock by so much. */
const CLOCK_MS = 20;

const foldersAbove = (path: string): string[] => {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, at) => steps.slice(0, at + 1).join("/"));
};
