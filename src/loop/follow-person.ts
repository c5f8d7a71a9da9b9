import { commitMessage } from "../domain/commit-message.ts";
import type { Gate } from "../domain/gate.ts";
import { commitsBetween, messageOf, writeCommit } from "../system/git/commit.ts";
import { conflictRefusal, rebaseRefusal } from "../system/git/follow-branch.ts";
import { AGAIN, type FollowRefusal, LAND, refused } from "../system/git/follow-refusal.ts";
import {
  branchState,
  type LandingTarget,
  moveLanding,
  saveLostLanding,
  setFollowed,
  type BranchState,
} from "../system/git/landing.ts";
import { isKept } from "../system/git/garbage-collection.ts";
import { mergeTrees } from "../system/git/merge-trees.ts";
import { mergeBase } from "../system/git/ref.ts";
import { isMovedBySession } from "../system/git/stray.ts";
import { nameTree } from "../system/git/tree.ts";
import { dropProving, keepProving } from "../system/git/work-ref.ts";
import { forgetProven, unprovenOn } from "../system/git/unproven.ts";
import { checkLanding } from "./check-landing.ts";
import { type End, STOPPED } from "./decide.ts";
import { asLanderOf, inRoomOf } from "./desk.ts";
import { follow, type LandingState, reportRefusal } from "./land.ts";
import { refuseDeciding } from "./refuse-deciding.ts";
import { tell } from "./run-state.ts";
import { unlessPruned } from "./unless-pruned.ts";

/**
 * L-24: before the next candidate, the landing takes in what the person did to the branch meanwhile. Returns an end if
 * only the person can go on.
 */
export async function followPerson(state: LandingState): Promise<End | undefined> {
  const { deps } = state;
  // In the person's own tree, commits of a session are on the branch until then.
  await state.place?.release();
  // Commits that a rebase is about to replace are not taken in.
  const rebased = await rebaseRefusal(deps.home, deps.target);
  if (rebased !== undefined) {
    reportRefusal(state, rebased);
    return undefined;
  }
  const now = await branchState(deps.home, deps.target);
  if (now.kind === "behind" || now.kind === "gone") await follow(state);
  if (!PROVEN.has(now.kind)) return undefined;
  // Nothing else may land while it is proven, and a proof of another lane may have moved the landing meanwhile. The room
  // comes first: lanes with a room wait for those that land, never the other way round.
  const take = async () => await takeBranch(state, await branchState(deps.home, deps.target));
  return await inRoomOf(deps, async () => await asLanderOf(deps, take));
}

/** What the person did that has to be proven. */
const PROVEN: ReadonlySet<BranchState["kind"]> = new Set(["ahead", "diverged", "rewound"]);

async function takeBranch(state: LandingState, now: BranchState): Promise<End | undefined> {
  const { deps } = state;
  // Nothing that landed is given up because a session moved the branch.
  // F-03: of a fleet, the remote has the history that counts.
  const isOwn = deps.publish === undefined && !isMovedBySession(deps.home, deps.target);
  const isGivenUp = now.kind === "rewound" && isOwn;
  if (isGivenUp) return await takeRewound(state, now);
  if (now.kind === "rewound") await follow(state);
  if (now.kind !== "ahead" && now.kind !== "diverged") return undefined;
  const isSessions = (await unprovenOn(deps.home, now)) !== undefined;
  const end = isSessions ? await refuseDeciding(state, now) : undefined;
  if (end !== undefined || now.kind === "diverged") return end ?? (await mergePerson(state, { ...now, isSessions }));
  const what = isSessions ? "the branch, which has commits of a session" : "your commits";
  return await takeIn(state, { ...now, isSessions }, { commits: [now.branch], what });
}

async function mergePerson(state: LandingState, seen: Seen): Promise<End | undefined> {
  const { deps, run } = state;
  const { branch } = seen;
  const base = await mergeBase(deps.home, run.landing, branch);
  const subject = `Merge branch '${deps.target.branch ?? "HEAD"}'`;
  const message = commitMessage({ subject, trailers: { "Ralph-Run": deps.runId } });
  const made = await keptWhileProven(state, async () => {
    const merged = await mergeTrees(deps.home, { base, ours: run.landing, theirs: branch });
    if (merged.kind === "conflict") return conflictEnd(conflictRefusal(deps.target, merged.paths));
    return [await writeCommit(deps.home, { tree: merged.tree, parents: [run.landing, branch], message })];
  });
  if (!Array.isArray(made)) return made;
  return await takeIn(state, seen, { commits: made, what: "your commits together with work that landed" });
}

/**
 * The person changed the history of the branch. That is theirs to do; but work that landed since and that the branch
 * never had is put on top of it again.
 */
async function takeRewound(state: LandingState, seen: Rewound): Promise<End | undefined> {
  const { deps } = state;
  const { branch, landing, had } = seen;
  const landed = await commitsBetween(deps.home, had, landing);
  const putOnTop = async (): Promise<string[] | End> => {
    const made = [branch];
    for (const commit of landed) {
      const onto = made.at(-1)!;
      const merged = await mergeTrees(deps.home, { base: `${commit}^1`, ours: onto, theirs: commit });
      if (merged.kind === "conflict") {
        const reason = `You changed the history of ${nameOf(deps.target)}, and work that landed conflicts with it`;
        return conflictEnd(conflictRefusal(deps.target, merged.paths, reason));
      }
      const message = await messageOf(deps.home, commit);
      made.push(await writeCommit(deps.home, { tree: merged.tree, parents: [onto], message }));
    }
    return made;
  };
  const commits = landed.length === 0 ? [branch] : await keptWhileProven(state, putOnTop);
  if (!Array.isArray(commits)) return commits;
  const ref = await saveLostLanding(deps.home, deps.target);
  const text = `You changed the history of ${deps.target.branch}, and the run goes on from there; the old one is ${ref}`;
  tell(state, text);
  // Alone, the branch may lack what the gates ask for: the work on top of it has that.
  const toProve = commits.length > 1 ? commits.slice(1) : commits;
  return await takeIn(state, seen, { commits: toProve, what: "the branch as you left it" });
}

const nameOf = ({ branch }: LandingTarget): string => branch ?? "HEAD";

const conflictEnd = (refusal: FollowRefusal): End => ({ brokeOff: "person", reason: refusal.why, refusal });

/** Nothing else names the commits while they are proven. */
const keptWhileProven = async (
  { deps, run }: LandingState,
  build: () => Promise<string[] | End>,
): Promise<string[] | End> =>
  await unlessPruned(async () => {
    const made = await build();
    if (!Array.isArray(made)) return made;
    const isNamed = await keepProving(deps.home, BRANCH, { tree: made.at(-1)!, head: run.landing });
    return isNamed && (await Promise.all(made.map((one) => isKept(deps.home, one)))).every(Boolean) ? made : undefined;
  });

/** Where the branch was seen to be. */
type Seen = Extract<BranchState, { readonly kind: "ahead" | "diverged" | "rewound" }> & {
  /** It has commits that a session made there. */
  readonly isSessions?: boolean;
  /** F-03: it is the branch of the remote, which the branch here follows. */
  readonly isRemote?: boolean;
};
type Rewound = Extract<BranchState, { readonly kind: "rewound" }>;

/** In the place of a task. */
const BRANCH = "branch";

interface Taken {
  /** Each on top of the one before. */
  readonly commits: readonly string[];
  readonly what: string;
}

/** Proves each commit in the room, and moves the landing to the last. Gates that were red before stop nothing (P-24). */
export async function takeIn(state: LandingState, seen: Seen, taken: Taken): Promise<End | undefined> {
  const { deps, run, place } = state;
  const { branch, isSessions, isRemote = false } = seen;
  const from = run.landing;
  const to = taken.commits.at(-1)!;
  const own = await commitsBetween(deps.home, from, branch);
  if (own.length > 0) {
    const shown = own.slice(-3).map((commit) => commit.slice(0, 10));
    const whose = isRemote ? "that were pushed" : isSessions ? "that a session made in your repository" : "of yours";
    tell({ deps }, `Taking in ${own.length} ${own.length === 1 ? "commit" : "commits"} ${whose}: ${shown.join(", ")}`);
  }
  try {
    for (const [index, commit] of taken.commits.entries()) {
      const end = await prove(state, { before: taken.commits[index - 1] ?? from, commit, what: taken.what });
      if (end !== undefined) return end;
    }
    const { tree } = await nameTree(deps.home, to, []);
    // The next look finds out what landed instead.
    if ((await deps.publish?.({ from, to, tree })) === false) return undefined;
    if (!(await moveLanding(deps.home, deps.target, { from, to, subject: "take in the person's branch" }))) {
      return {
        brokeOff: "person",
        reason: `Another program moved ${deps.target.ref}`,
        help: ["ralphctl run, once nothing else moves it"],
      };
    }
  } finally {
    if (to !== branch) await dropProving(deps.home, BRANCH);
  }
  run.landing = to;
  if (!isRemote) await setFollowed(deps.home, deps.target, branch);
  await forgetProven(deps.home, to);
  await follow({ deps, run, place });
  return undefined;
}

interface Step extends Pick<Taken, "what"> {
  readonly before: string;
  readonly commit: string;
}

async function prove({ deps, run }: LandingState, { before, commit, what }: Step): Promise<End | undefined> {
  const isSame = (await nameTree(deps.home, before, [])).tree === (await nameTree(deps.home, commit, [])).tree;
  if (isSame) return undefined;
  const all = await checkLanding(deps, { commit, gates: deps.gates.gates, name: "person", base: before });
  const failed = all.filter(({ passed }) => !passed).map(({ gate }) => gate);
  // A gate that the person turned green says nothing about later work (T-21).
  if (run.redBefore !== undefined) run.redBefore = run.redBefore.filter((id) => failed.some((gate) => gate.id === id));
  const fresh = failed.filter(({ id }) => run.redGates?.includes(id) !== true);
  // After a kill, no task may have been ready when the baseline was due.
  const known = fresh.length === 0 ? [] : await redBefore({ deps, run }, fresh);
  const red = fresh.filter(({ id }) => !known.includes(id));
  if (deps.stop.aborted) return STOPPED;
  if (red.length === 0) return undefined;
  const gates = red.map(({ id }) => id).join(", ");
  const reason = `The gates fail with ${what}: ${gates}`;
  const refusal = refused(reason, `Correct it in a commit of yours, ${AGAIN}`, [
    "Correct it in a commit of yours",
    LAND,
  ]);
  return { brokeOff: "person", reason, refusal };
}

async function redBefore({ deps, run }: LandingState, gates: readonly Gate[]): Promise<string[]> {
  const results = await checkLanding(deps, { commit: run.landing, gates, name: "baseline" });
  return results.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
}
