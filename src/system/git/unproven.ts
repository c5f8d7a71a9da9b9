import { writeCommit } from "./commit.ts";
import { mustBytes } from "./git.ts";
import { mayHaveRefs } from "./ref-files.ts";
import { isAncestor, refPart } from "./ref.ts";
import { noObject, QUIET, type Repository } from "./repository.ts";
import { removeRef } from "./saved-ref.ts";
import { nameTree } from "./tree.ts";

/** Commits that a session left in the person's history. */
export interface Unproven {
  /** The last commit before them. */
  readonly base: string;
  readonly commits: readonly string[];
}

const BELOW = "refs/ralph/unproven/";

/** Remembers them until a landing has them, on whichever branch they are then. */
export async function markUnproven(home: Repository, name: string, { base, commits }: Unproven): Promise<void> {
  const { tree } = await nameTree(home, commits.at(-1), []);
  const parents = [...new Set([base, ...commits])];
  const mark = await writeCommit(home, {
    tree,
    parents,
    message: `Commits of a session\n\nRalph-Run: ${name}\n`,
  });
  const args = ["update-ref", "-m", "ralphctl: keep", `${BELOW}${refPart(name)}`, mark];
  await mustBytes(home, [...QUIET, ...args]);
}

/** The marked commits, if a branch has some that its landing has not: gates have to prove the branch before it lands. */
export async function unprovenOn(
  home: Repository,
  { branch, landing = noObject(home) }: { readonly branch: string; readonly landing?: string | undefined },
): Promise<Unproven | undefined> {
  for (const { base, commits } of await readMarks(home)) {
    for (const commit of commits) {
      if (!(await isAncestor(home, commit, branch)) || (await isAncestor(home, commit, landing))) continue;
      return { base, commits };
    }
  }
  return undefined;
}

/** Forgets the commits that a landing has. */
export async function forgetProven(home: Repository, landing: string): Promise<void> {
  for (const { ref, commits } of await readMarks(home)) {
    const isIn = await Promise.all(commits.map(async (commit) => await isAncestor(home, commit, landing)));
    if (isIn.every(Boolean)) await removeRef(home, ref);
  }
}

async function readMarks(home: Repository): Promise<(Unproven & { readonly ref: string })[]> {
  if (!(await mayHaveRefs(home, BELOW))) return [];
  const { stdout } = await mustBytes(home, ["for-each-ref", "--format=%(refname) %(parent)", BELOW]);
  const lines = stdout.toString().split("\n").slice(0, -1);
  return lines.map((line) => {
    const [ref = "", base = "", ...commits] = line.split(" ");
    return { ref, base, commits };
  });
}
