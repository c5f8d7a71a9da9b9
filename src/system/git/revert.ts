import { gitBytes } from "./git.ts";
import { mergeTrees, type TreeMerge } from "./merge-trees.ts";
import { QUIET, type Repository } from "./repository.ts";
import { committedBetween } from "./snapshot.ts";
import { withFiles } from "./tree-texts.ts";
import { nameTree } from "./tree.ts";

export interface Revert {
  readonly commit: string;
  /** A commit or tree that has it. */
  readonly onto: string;
  /** Paths that stay as they are. */
  readonly keep: readonly string[];
}

/** A tree without what a commit brought. No working tree and no index takes part. */
export async function revertTree(home: Repository, { commit, onto, keep }: Revert): Promise<TreeMerge> {
  const before = `${commit}^1`;
  const changes = [...(await committedBetween(home, before, commit)).values()];
  const kept = changes.filter(({ path }) => keep.includes(path)).map(({ path, after }) => [path, after] as const);
  const { tree } = await nameTree(home, before, []);
  return await mergeTrees(home, { base: commit, ours: onto, theirs: await withFiles(home, tree, new Map(kept)) });
}

export interface HistoryCommit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly subject: string;
  /** The task that its message names, for people. */
  readonly task: string;
}

const FIELDS = 5;

/** Everything in the history of a commit, newest first, without what is in that of `since`. */
export async function readHistory(
  home: Repository,
  head: string,
  { since, paths = [] }: { readonly since?: string | undefined; readonly paths?: readonly string[] } = {},
): Promise<HistoryCommit[]> {
  const told = "%(trailers:key=Ralph-Task,valueonly,separator=%x2C)";
  const how = ["log", "--topo-order", "--no-show-signature", "-z", `--format=%H%x00%T%x00%P%x00%s%x00${told}`];
  const range = [head, ...(since === undefined ? [] : [`^${since}`]), "--", ...paths];
  const { stdout } = await gitBytes(home, [...QUIET, ...how, ...range]);
  const words = stdout.toString().split("\0");
  const commits: HistoryCommit[] = [];
  for (let at = 0; at + FIELDS <= words.length; at += FIELDS) {
    const [id = "", tree = "", parents = "", subject = "", task = ""] = words.slice(at, at + FIELDS);
    commits.push({ id, tree, parents: parents.split(" ").filter(Boolean), subject, task });
  }
  return commits;
}
