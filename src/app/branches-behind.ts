import { whyNotFollowing } from "../system/git/follow-branch.ts";
import type { FollowRefusal } from "../system/git/follow-refusal.ts";
import { compareBranch, type LandingTarget, listTargets } from "../system/git/landing.ts";
import { countCommits } from "../system/git/commit.ts";
import { gitFolder } from "../system/git/folder.ts";
import type { GitPlace } from "../system/git/git.ts";
import { mayHaveRefs } from "../system/git/ref-files.ts";
import { refsWith } from "../system/git/ref.ts";
import { withRepository, type Repository } from "../system/git/repository.ts";

/** A branch that lacks work that landed. */
export interface BehindBranch {
  readonly branch: string;
  readonly ref: string;
  /** How many commits it lacks; undefined: it no longer exists. */
  readonly commits: number | undefined;
  /** Undefined: nothing is in the way. */
  readonly refusal: FollowRefusal | undefined;
}

/** Looks at a repository in which something has landed; undefined for all others, which takes no git to tell. */
export async function withLanding<Result>(
  place: GitPlace,
  look: (home: Repository) => Promise<Result>,
): Promise<Result | undefined> {
  const folders = gitFolder(place.folder);
  if (folders === undefined) return undefined;
  if (!(await mayHaveRefs({ gitFolder: folders.own, commonFolder: folders.common }, "refs/ralph/target/")))
    return undefined;
  return await withRepository(place, look);
}

/** The targets whose branches lack work that landed. Only looks. */
export async function branchesBehind(home: Repository): Promise<LandingTarget[]> {
  const found: LandingTarget[] = [];
  for (const target of await listTargets(home)) if (await isBehind(home, target)) found.push(target);
  return found;
}

async function isBehind(home: Repository, target: LandingTarget): Promise<boolean> {
  const state = await compareBranch(home, target);
  if (state.kind !== "gone") return ["behind", "diverged", "rewound"].includes(state.kind);
  const { landing, had } = state;
  // A person who deletes a branch that had everything, or whose work another branch has, misses nothing.
  if (landing === undefined || landing === had) return false;
  return (await refsWith(home, landing, ["refs/heads"])).length === 0;
}

/** L-24: why each of them does not follow, and what to type. */
export async function explainBehind(
  home: Repository,
  { planFiles }: { readonly planFiles: () => Promise<readonly string[]> },
): Promise<BehindBranch[]> {
  const found: BehindBranch[] = [];
  for (const target of await branchesBehind(home)) {
    const state = await compareBranch(home, target);
    const refusal = await whyNotFollowing(home, target, { planFiles: await planFiles() });
    const commits =
      state.kind === "gone" || state.kind === "unlanded"
        ? undefined
        : await countCommits(home, { from: state.branch, to: state.landing });
    found.push({ branch: target.branch ?? "HEAD", ref: target.ref, commits, refusal });
  }
  return found;
}
