import { RalphError } from "../../domain/error.ts";
import { git, gitBytes, mustBytes } from "./git.ts";
import { isAncestor } from "./ref.ts";
import { QUIET, type Repository } from "./repository.ts";

/** A commit on a line of first parents. */
export interface LineCommit {
  readonly id: string;
  readonly tree: string;
  /** Undefined: it has none, or git does not have it. */
  readonly parent: string | undefined;
  readonly author: string;
  readonly subject: string;
}

export interface CommitLine {
  /** Oldest first. */
  readonly commits: readonly LineCommit[];
  /** Why there are no older ones. */
  readonly end: "first commit" | "shallow" | "since" | "long";
}

/** The most commits that are read. */
const LONGEST = 10_000;

/** The first parents of a commit; with `since`, those after it and the one on which they begin. */
export async function firstParentLine(home: Repository, head: string, since?: string): Promise<CommitLine> {
  const listed = await readCommits(home, [
    `--max-count=${LONGEST}`,
    head,
    ...(since === undefined ? [] : [`^${since}`]),
  ]);
  const oldest = listed[0];
  if (since !== undefined && (oldest === undefined || (oldest.parent !== undefined && listed.length < LONGEST))) {
    const below = await readCommit(home, oldest?.parent ?? head);
    return { commits: [below, ...listed], end: "since" };
  }
  if (oldest?.parent !== undefined) return { commits: listed, end: "long" };
  const isCut = oldest !== undefined && (await hasHiddenParent(home, oldest.id));
  return { commits: listed, end: isCut ? "shallow" : "first commit" };
}

export const readCommit = async (home: Repository, commit: string): Promise<LineCommit> =>
  (await readCommits(home, ["--max-count=1", commit]))[0]!;

async function readCommits(home: Repository, range: readonly string[]): Promise<LineCommit[]> {
  const how = ["log", "--first-parent", "--no-show-signature", "-z", "--format=%H%x00%T%x00%P%x00%an%x00%s"];
  const { stdout } = await mustBytes(home, [...QUIET, ...how, ...range, "--"]);
  const words = stdout.toString().split("\0");
  const commits: LineCommit[] = [];
  for (let at = 0; at + FIELDS <= words.length; at += FIELDS) {
    const [id = "", tree = "", parents = "", author = "", subject = ""] = words.slice(at, at + FIELDS);
    commits.push({ id, tree, parent: parents.split(" ")[0] || undefined, author, subject });
  }
  return commits.reverse();
}

const FIELDS = 5;

/** In a shallow clone, git shows the last commits that it has as if they had no parents. */
const hasHiddenParent = async (home: Repository, commit: string): Promise<boolean> =>
  /^parent /m.test((await mustBytes(home, ["cat-file", "commit", commit])).stdout.toString().split("\n\n")[0] ?? "");

/** The commit that a person named, which has to be part of the history of `head`. */
export async function resolveSince(home: Repository, head: string, named: string): Promise<string> {
  const answer = await git(home, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${named}^{commit}`]);
  const commit = answer.stdout.trim();
  if (answer.code !== 0 || commit === "") {
    throw new RalphError("usage", `Git knows no commit ${JSON.stringify(named)}`, {
      hint: "Name a commit, a tag or a branch: ralphctl verify --all --since v1.0",
    });
  }
  if (commit === head || (await isAncestor(home, commit, head))) return commit;
  throw new RalphError("usage", `${JSON.stringify(named)} is not part of the history of HEAD`, {
    hint: `Use the last commit that both have: --since "$(git merge-base HEAD ${named})"`,
  });
}

/** Whether two commits change the same files in the same way. Each is a pair of what was and what is. */
export async function isSameChange(
  home: Repository,
  one: readonly [from: string, to: string],
  other: readonly [from: string, to: string],
): Promise<boolean> {
  const raw = async (pair: readonly [string, string]) =>
    await gitBytes(home, [...QUIET, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", ...pair]);
  const [a, b] = await Promise.all([raw(one), raw(other)]);
  return a.code === 0 && b.code === 0 && a.stdout.length > 0 && a.stdout.equals(b.stdout);
}
