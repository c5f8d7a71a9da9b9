import { createHash } from "node:crypto";
import { RalphError } from "../../domain/error.ts";
import { ensureBranch } from "./branch.ts";
import { git, type GitBytes, gitBytes, gitRefused, mustBytes } from "./git.ts";
import { isAncestor, readRefs } from "./ref.ts";
import { noObject, QUIET, type Repository } from "./repository.ts";

/** The history that proven work lands in, and the branch that follows it. */
export interface LandingTarget {
  /** The landing ref. */
  readonly ref: string;
  /** The short name of the branch; undefined: HEAD is detached, and follows itself. */
  readonly branch: string | undefined;
}

/** The target of the branch that is asked for, or of the working tree's HEAD. Refused before the first commit: there is nothing to land on. */
export async function openTarget(home: Repository, wanted?: string): Promise<LandingTarget> {
  const [branch, head] = await Promise.all([
    git(home, ["symbolic-ref", "--quiet", "HEAD"]),
    git(home, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
  ]);
  if (head.code !== 0) {
    throw new RalphError("config", "The repository has no commit yet: work has nothing to land on", {
      hint: 'Make the first commit: git add --all && git commit --message "Begin"',
    });
  }
  if (wanted !== undefined) await ensureBranch(home, wanted);
  const name = wanted ?? /^refs\/heads\/(.+)\n$/.exec(branch.stdout)?.[1];
  if (name !== undefined) return { ref: `refs/ralph/target/${name}`, branch: name };
  const tree = createHash("sha256").update(home.gitFolder).digest("hex").slice(0, 12);
  return { ref: `refs/ralph/target-detached/${tree}`, branch: undefined };
}

/** The landing ref's commit; undefined before the first landing. */
export const readLanding = async (home: Repository, { ref }: LandingTarget): Promise<string | undefined> =>
  (await readRefs(home, [ref])).get(ref);

/** Whether the repository has a landing ref of any branch. */
export const hasLanding = async (home: Repository): Promise<boolean> =>
  (await mustBytes(home, ["for-each-ref", "--count=1", "refs/ralph/target", "refs/ralph/target-detached"])).stdout
    .length > 0;

export interface LandingMove {
  /** Where it has to be now; undefined: it must not exist. */
  readonly from: string | undefined;
  readonly to: string;
  /** For the reflog. */
  readonly subject: string;
}

/** L-23: moves the landing ref, unless another process has moved it. True: it is at `to` now. */
export async function moveLanding(home: Repository, target: LandingTarget, move: LandingMove): Promise<boolean> {
  const { from, to, subject } = move;
  const message = ["--create-reflog", "-m", `ralphctl: ${subject}`];
  const args = [...QUIET, "update-ref", ...message, target.ref, to, from ?? noObject(home)];
  const answer = await gitBytes(home, args);
  const now = await readLanding(home, target);
  if (answer.code === 0 || now !== from) return now === to;
  const inTheWay = refInTheWay(answer);
  if (inTheWay === undefined) throw gitRefused(args, answer);
  throw new RalphError("config", `${target.ref} cannot be made: ${inTheWay}, of an earlier branch, is in the way`, {
    hint: `Remove it, once nothing in it is needed: git update-ref -d ${inTheWay}`,
  });
}

/** Keeps the landing ref's commit before the person's history takes its place. Returns the ref. */
export async function saveLostLanding(home: Repository, target: LandingTarget): Promise<string> {
  const commit = await readLanding(home, target);
  const ref = `refs/ralph/lost/${(commit ?? noObject(home)).slice(0, 16)}`;
  if (commit !== undefined) await mustBytes(home, [...QUIET, "update-ref", "-m", "ralphctl: keep", ref, commit]);
  return ref;
}

/** How the branch relates to the landing ref. */
export type BranchState =
  /** Nothing has landed yet. */
  | { readonly kind: "unlanded"; readonly branch: string }
  | { readonly kind: "even"; readonly branch: string; readonly landing: string }
  /** It can follow: the landing ref only has more. */
  | { readonly kind: "behind"; readonly branch: string; readonly landing: string }
  /** The person committed on top of everything that landed. */
  | { readonly kind: "ahead"; readonly branch: string; readonly landing: string }
  /** Both have commits of their own. */
  | { readonly kind: "diverged"; readonly branch: string; readonly landing: string }
  /** The person took off commits that it had: reset, rebase, amend. `had`: where it was. */
  | { readonly kind: "rewound"; readonly branch: string; readonly landing: string; readonly had: string }
  /** Deleted or renamed; a detached HEAD: it is on a branch now. */
  | { readonly kind: "gone"; readonly landing: string | undefined };

/** L-24: compares the branch with the landing ref, and remembers where it was seen to be part of it. */
export async function branchState(home: Repository, target: LandingTarget): Promise<BranchState> {
  const head = branchRef(target);
  const refs = await readRefs(home, [target.ref, followedRef(target), ...(head === undefined ? [] : [head])]);
  const landing = refs.get(target.ref);
  const had = refs.get(followedRef(target));
  const branch = head === undefined ? await detachedHead(home) : refs.get(head);
  if (branch === undefined) return { kind: "gone", landing };
  if (landing === undefined) return { kind: "unlanded", branch };
  const isRewound =
    had !== undefined &&
    had !== branch &&
    (await isAncestor(home, had, landing)) &&
    !(await isAncestor(home, had, branch));
  if (isRewound) return { kind: "rewound", branch, landing, had };
  if (branch !== landing && !(await isAncestor(home, branch, landing))) {
    return { kind: (await isAncestor(home, landing, branch)) ? "ahead" : "diverged", branch, landing };
  }
  if (had !== branch) await setFollowed(home, target, branch);
  return { kind: branch === landing ? "even" : "behind", branch, landing };
}

/** Undefined for a detached HEAD. */
export const branchRef = ({ branch }: LandingTarget): string | undefined =>
  branch === undefined ? undefined : `refs/heads/${branch}`;

/** Keeps where the branch last was: by that we know later whether the person took commits off it. */
const followedRef = ({ ref }: LandingTarget): string => ref.replace("refs/ralph/target", "refs/ralph/followed");

export async function setFollowed(home: Repository, target: LandingTarget, commit: string): Promise<void> {
  const args = [...QUIET, "update-ref", "-m", "ralphctl: follow", followedRef(target), commit];
  const answer = await gitBytes(home, args);
  if (answer.code === 0) return;
  const inTheWay = refInTheWay(answer);
  if (inTheWay === undefined) throw gitRefused(args, answer);
  // The branch that it speaks of cannot exist beside this one.
  await mustBytes(home, [...QUIET, "update-ref", "-d", inTheWay]);
  await setFollowed(home, target, commit);
}

/** A branch `a` was there before a branch `a/b`, or after it, so our ref of the one is in the way of the other. */
const refInTheWay = ({ stderr }: GitBytes): string | undefined =>
  /'(refs\/ralph\/[^']+)' exists; cannot create/.exec(stderr)?.[1];

async function detachedHead(home: Repository): Promise<string | undefined> {
  if ((await git(home, ["symbolic-ref", "--quiet", "HEAD"])).code === 0) return undefined;
  const head = await git(home, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return head.code === 0 ? head.stdout.trim() : undefined;
}
