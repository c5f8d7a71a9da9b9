import { buildTree, writeCommit } from "../src/system/git/commit.ts";
import type { CommitRules, LeftOut } from "../src/system/git/commit-filter.ts";
import type { Repository } from "../src/system/git/repository.ts";
import { changesBetween, type Snapshot } from "../src/system/git/snapshot.ts";
import { git } from "./temporary-folder.ts";

export interface DeltaResult {
  readonly kind: "committed" | "nothing";
  readonly tree: string;
  readonly leftOut: readonly LeftOut[];
}

/** Builds the tree of a session and commits it; no commit when nothing is left to commit. */
export async function commitDelta(
  repository: Repository,
  { base, now }: { readonly base: Snapshot; readonly now: Snapshot },
  { rules, message }: { readonly rules: CommitRules; readonly message: string },
): Promise<DeltaResult> {
  const changes = await changesBetween(repository, base, now);
  const { tree, paths, leftOut } = await buildTree(repository, { base: { ...base, changed: [] }, changes }, rules);
  if (paths.length === 0) return { kind: "nothing", tree, leftOut };
  const commit = await writeCommit(repository, { tree, parents: [base.head!], message });
  git(repository.folder, "-c", "core.hooksPath=/dev/null", "update-ref", "HEAD", commit);
  git(repository.folder, "-c", "core.hooksPath=/dev/null", "reset", "--quiet");
  return { kind: "committed", tree, leftOut };
}
