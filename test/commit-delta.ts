import { buildTree, type CommitResult, commitTree, type SnapshotRange } from "../src/system/git/commit.ts";
import type { CommitRules, LeftOut } from "../src/system/git/commit-filter.ts";
import type { Repository } from "../src/system/git/repository.ts";

export type DeltaResult =
  | (CommitResult & { readonly leftOut: readonly LeftOut[] })
  | { readonly kind: "nothing"; readonly tree: string; readonly leftOut: readonly LeftOut[] };

/** Build and commit in one go; no commit when nothing of the session's own is left to commit. */
export async function commitDelta(
  repository: Repository,
  span: SnapshotRange,
  { rules, message }: { readonly rules: CommitRules; readonly message: string },
): Promise<DeltaResult> {
  const { tree, paths, entries, leftOut } = await buildTree(repository, span, rules);
  if (paths.length === 0) return { kind: "nothing", tree, leftOut };
  return { ...(await commitTree(repository, { tree, head: span.now.head, message, entries })), leftOut };
}
