import type { Lane } from "../lane/lane.ts";
import type { Lease } from "../store/store.ts";
import { writeCommit } from "../system/git/commit.ts";
import { type BranchFollow, followBranch } from "../system/git/follow-branch.ts";
import type { FollowRefusal } from "../system/git/follow-refusal.ts";
import { isKept } from "../system/git/garbage-collection.ts";
import { moveLanding } from "../system/git/landing.ts";
import { isWhole } from "../system/git/work-ref.ts";
import type { CheckDeps } from "./check.ts";
import type { RunDeps } from "./run-deps.ts";
import { type LaneState, type RunState, warn } from "./run-state.ts";
import { unlessPruned } from "./unless-pruned.ts";

export interface Landing {
  /** The proven tree, and the landing commit under it. */
  readonly tree: string;
  readonly head: string;
  readonly message: string;
  /** How many of our writes of plan files are in it. */
  readonly planWrites: number;
  /** Writes the objects of the tree again. */
  readonly rewrite: () => Promise<unknown>;
  /** Refs that nobody needs once it has landed. */
  readonly removes?: readonly string[];
  /** The commit of the tree, if it is made already. */
  readonly commit?: string | undefined;
  /** The claim that lands. */
  readonly lease?: Lease | undefined;
}

/** L-23: moves the landing ref to a commit of the proven tree. Undefined if the ref is no longer at `head`. */
export async function land(lane: LaneState, landing: Landing): Promise<string | undefined> {
  const { deps, run } = lane;
  const commit = await landTree(deps, landing);
  if (commit === undefined) return undefined;
  run.landing = commit;
  run.planWrites.splice(0, landing.planWrites);
  return commit;
}

type LandedTree = Omit<Landing, "head" | "planWrites"> & { readonly head: string | undefined };

/** The commit, which is there to stay: a `git gc` that began before its ref named it may still have removed it. */
export async function landTree(
  { home, target, publish }: Pick<RunDeps, "home" | "target" | "publish">,
  { tree, head, message, rewrite, removes = [], commit: given, lease }: LandedTree,
): Promise<string | undefined> {
  const [subject = ""] = message.split("\n");
  let from = head;
  const { commit, hasMoved } = await unlessPruned(async ({ isAgain }) => {
    if (isAgain) await rewrite();
    if (!(await isWhole(home, { tree, head }))) return undefined;
    const made = given ?? (await writeCommit(home, { tree, parents: head === undefined ? [] : [head], message }));
    // F-03: what landed is what the remote has; this repository follows.
    if (from === head && (await publish?.({ from: head, to: made, tree, lease })) === false) {
      return { commit: made, hasMoved: false };
    }
    const isThere = await moveLanding(home, target, { from, to: made, subject, removes });
    if (!isThere || (await isKept(home, made))) return { commit: made, hasMoved: isThere };
    from = made;
    return undefined;
  });
  return hasMoved ? commit : undefined;
}

/** The parts of a run that take in and follow a branch: `ralphctl land` has no loop. */
export interface LandingState {
  readonly deps: CheckDeps &
    Pick<RunDeps, "home" | "target" | "room" | "folder" | "publish"> & {
      readonly plans: Pick<RunDeps["plans"], "ofAllScopes">;
      readonly gates: Pick<RunDeps["gates"], "gates">;
      readonly rules: Pick<RunDeps["rules"], "commits" | "testFiles">;
    };
  /** A person asked for it, and not a run. */
  readonly isAsked?: boolean;
  /** Undefined without a session. */
  readonly place?: Pick<Lane, "release"> | undefined;
  readonly run: Pick<RunState, "landing" | "notFollowing"> & {
    /** Gates that were red before any work; undefined: nobody has looked yet. */
    readonly redGates: RunState["redGates"] | undefined;
    redBefore?: RunState["redBefore"];
  };
}

interface Following {
  readonly deps: Pick<LandingState["deps"], "home" | "target" | "plans" | "rules" | "emit">;
  readonly run: Pick<RunState, "notFollowing">;
  readonly place?: Pick<Lane, "release"> | undefined;
}

/** L-24: the person's branch follows the landing. A refusal changes nothing; it is reported once. */
export async function follow({ deps, run, place }: Following): Promise<BranchFollow> {
  if (!deps.rules.commits) return { kind: "nothing" };
  await place?.release();
  const result = await followBranch(deps.home, deps.target, { planFiles: deps.plans.ofAllScopes });
  reportRefusal({ deps, run }, result.kind === "refused" ? result : undefined);
  return result;
}

/** A run takes commits of the person's in by itself, so it only speaks of them at its end. */
export function reportRefusal(
  { deps, run }: Pick<Following, "deps" | "run">,
  refusal: FollowRefusal | undefined,
): void {
  const isNews = refusal !== undefined && refusal.why !== run.notFollowing?.why;
  if (isNews && refusal.isTakenIn !== true) warn({ deps }, `${refusal.why}. ${refusal.remedy}`);
  run.notFollowing = refusal;
}
