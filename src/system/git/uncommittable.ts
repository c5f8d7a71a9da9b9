import type { Uncommittable } from "../../domain/uncommittable.ts";
import { matchesAny } from "../../domain/glob.ts";
import { allowed, type CommitRules, inspectChange } from "./commit-filter.ts";
import type { SnapshotRange } from "./commit.ts";
import { hiddenFiles } from "./hidden-files.ts";
import type { Repository } from "./repository.ts";
import { changesBetween } from "./snapshot.ts";

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
  for (const one of await hiddenFiles(repository, { base, now, changes })) {
    found.push(one.rejects && matchesAny(rules.allow, one.path) ? allowed(one) : one);
  }
  return found;
}
