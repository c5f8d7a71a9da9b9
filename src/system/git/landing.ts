import { createHash } from "node:crypto";
import { RalphError } from "../../domain/error.ts";
import { ensureBranch } from "./branch.ts";
import { type GitBytes, gitBytes, gitRefused, mustBytes } from "./git.ts";
import { mayHaveRefs, readHead } from "./ref-files.ts";
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
  const target = await findTarget(home, wanted);
  if (wanted !== undefined) await ensureBranch(home, wanted);
  return target;
}

/** The same without a look at the branch that is asked for, which may not exist yet. */
export async function findTarget(home: Repository, wanted?: string): Promise<LandingTarget> {
  const { ref, commit } = await readHead(home);
  if (commit === undefined) {
    throw new RalphError("config", "The repository has no commit yet: work has nothing to land on", {
      hint: 'Make the first commit: git add --all && git commit --message "Begin"',
    });
  }
  return targetOf(home, wanted ?? ref?.slice("refs/heads/".length));
}

/** `name`: the branch; undefined for a detached HEAD. */
export function targetOf(home: Repository, name: string | undefined): LandingTarget {
  if (name !== undefined) return { ref: `refs/ralph/target/${name}`, branch: name };
  const tree = createHash("sha256").update(home.gitFolder).digest("hex").slice(0, 12);
  return { ref: `refs/ralph/target-detached/${tree}`, branch: undefined };
}

/** The landing ref's commit; undefined before the first landing. */
export const readLanding = async (home: Repository, { ref }: LandingTarget): Promise<string | undefined> =>
  (await readRefs(home, [ref])).get(ref);

/** The targets of all branches that have a landing ref. */
export async function listTargets(home: Repository): Promise<LandingTarget[]> {
  const below = "refs/ralph/target/";
  if (!(await mayHaveRefs(home, below))) return [];
  const { stdout } = await mustBytes(home, ["for-each-ref", "--format=%(refname)", below]);
  const refs = stdout.toString().split("\n").filter(Boolean);
  return refs.map((ref) => ({ ref, branch: ref.slice(below.length) }));
}

/** Whether the repository has a landing ref of any branch. */
export const hasLanding = async (home: Repository): Promise<boolean> =>
  (await mayHaveRefs(home, "refs/ralph/target/")) || (await mayHaveRefs(home, "refs/ralph/target-detached/"));

export interface LandingMove {
  /** Where it has to be now; undefined: it must not exist. */
  readonly from: string | undefined;
  readonly to: string;
  /** For the reflog. */
  readonly subject: string;
  /** Refs that nobody needs once it has moved. They go at the same moment. */
  readonly removes?: readonly string[];
  /** The branch is there already. */
  readonly isFollowed?: boolean;
}

/** L-23: moves the landing ref, unless another process has moved it. True: it is at `to` now. */
export async function moveLanding(home: Repository, target: LandingTarget, move: LandingMove): Promise<boolean> {
  const { from, to, subject, removes = [], isFollowed = false } = move;
  const removed = [...(await readRefs(home, removes)).keys()];
  const update = [
    `update ${target.ref} ${to} ${from ?? noObject(home)}`,
    ...(isFollowed ? [`update ${followedRef(target)} ${to}`] : []),
    ...removed.map((ref) => `delete ${ref}`),
  ];
  const args = [...QUIET, "update-ref", "--create-reflog", "-m", `ralphctl: ${subject}`, "--stdin"];
  const answer = await gitBytes(home, args, { stdin: `${update.join("\n")}\n` });
  const now = await readLanding(home, target);
  // That the branch followed is said again later, by way of what is in the way of it.
  if (answer.code !== 0 && isFollowed) return await moveLanding(home, target, { ...move, isFollowed: false });
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
  | { readonly kind: "gone"; readonly landing: string | undefined; readonly had: string | undefined };

/** L-24: compares the branch with the landing ref, and remembers where it was seen to be part of it. */
export async function branchState(home: Repository, target: LandingTarget): Promise<BranchState> {
  const { state, had } = await lookAtBranch(home, target);
  if ((state.kind === "even" || state.kind === "behind") && had !== state.branch) {
    await setFollowed(home, target, state.branch);
  }
  return state;
}

/** The same, and remembers nothing. */
export const compareBranch = async (home: Repository, target: LandingTarget): Promise<BranchState> =>
  (await lookAtBranch(home, target)).state;

/** `had`: where the branch was when it was last seen to be part of what landed. */
async function lookAtBranch(
  home: Repository,
  target: LandingTarget,
): Promise<{ readonly state: BranchState; readonly had: string | undefined }> {
  const head = branchRef(target);
  const refs = await readRefs(home, [target.ref, followedRef(target), ...(head === undefined ? [] : [head])]);
  const landing = refs.get(target.ref);
  const had = refs.get(followedRef(target));
  const branch = head === undefined ? await detachedHead(home) : refs.get(head);
  const answer = (state: BranchState) => ({ state, had });
  if (branch === undefined) return answer({ kind: "gone", landing, had });
  if (landing === undefined) return answer({ kind: "unlanded", branch });
  const isRewound =
    had !== undefined &&
    had !== branch &&
    (await isAncestor(home, had, landing)) &&
    !(await isAncestor(home, had, branch));
  if (isRewound) return answer({ kind: "rewound", branch, landing, had });
  if (branch !== landing && !(await isAncestor(home, branch, landing))) {
    return answer({ kind: (await isAncestor(home, landing, branch)) ? "ahead" : "diverged", branch, landing });
  }
  return answer({ kind: branch === landing ? "even" : "behind", branch, landing });
}

/** Undefined for a detached HEAD. */
export const branchRef = ({ branch }: Pick<LandingTarget, "branch">): string | undefined =>
  branch === undefined ? undefined : `refs/heads/${branch}`;

/**
 * For a person who takes over what landed. Plan files in the tree have marks of ours, which git alone would refuse to
 * merge with the same marks on the landing ref: it has to set them aside meanwhile.
 */
export const mergeCommand = ({ ref }: LandingTarget): string => `git merge --autostash ${ref}`;

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
  const { ref, commit } = await readHead(home);
  return ref === undefined ? commit : undefined;
}
