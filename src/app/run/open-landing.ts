import { checkNoUnfinishedOperation } from "../../system/git/unfinished-operation.ts";
import type { Repository } from "../../system/git/repository.ts";
import {
  type BranchState,
  branchState,
  hasLanding,
  moveLanding,
  openTarget,
  saveLostLanding,
  type LandingTarget,
} from "../../system/git/landing.ts";
import { isMovedBySession, markStray } from "../../system/git/stray.ts";
import { type Unproven, unprovenOn } from "../../system/git/unproven.ts";

/** Where a run lands, and what the person should know about it. */
export interface OpenLanding {
  readonly target: LandingTarget;
  /** The head of the landing ref. */
  readonly head: string;
  readonly notices: readonly string[];
  /** Nothing ever landed in this repository. */
  readonly isFirst: boolean;
}

/**
 * The landing ref at the start of a run. The person's branch counts: commits on top of what landed are taken as they are,
 * and so is a branch whose history the person changed, unless a session left commits there or moved it. The loop brings other commits of the branch together with work
 * that the branch does not have (L-24).
 */
export async function openLanding(
  home: Repository,
  { branch, run }: { readonly branch: string | null; readonly run: string },
): Promise<OpenLanding> {
  const target = await openTarget(home, branch ?? undefined);
  // During a rebase HEAD is detached for a while: nobody would find what lands there.
  if (target.branch === undefined) checkNoUnfinishedOperation(home.folder);
  // A killed run had no time for it.
  await markStray(home, target, { name: run });
  const state = await branchState(home, target);
  // Work that the branch never had is put on top of it again by the loop.
  const isLoops = state.kind === "rewound" && (state.had !== state.landing || isMovedBySession(home, target));
  if (state.kind === "even" || state.kind === "behind" || state.kind === "diverged" || isLoops) {
    return { target, head: state.landing, notices: [], isFirst: false };
  }
  if (state.kind === "gone") throw new Error(`${target.ref} has no branch`);
  const unproven = await unprovenOn(home, state);
  if (unproven !== undefined) {
    const head = await beginBelow(home, target, { state, unproven });
    return { target, head, notices: [], isFirst: false };
  }
  const lost = state.kind === "rewound" ? await saveLostLanding(home, target) : undefined;
  const from = state.kind === "unlanded" ? undefined : state.landing;
  const isFirst = from === undefined && !(await hasLanding(home));
  await moveLanding(home, target, { from, to: state.branch, subject: "begin at the branch", isFollowed: true });
  const notices =
    lost === undefined
      ? []
      : [`The history of ${target.branch} changed, so the run begins there; work that landed before is ${lost}`];
  return { target, head: state.branch, notices, isFirst };
}

/** T-41: leaves the landing below the commits of a killed session, so that the loop proves the branch. Returns its head. */
export async function beginBelow(
  home: Repository,
  target: LandingTarget,
  { state, unproven }: { readonly state: BranchState; readonly unproven: Unproven },
): Promise<string> {
  if (state.kind !== "unlanded" && state.landing !== undefined) return state.landing;
  await moveLanding(home, target, { from: undefined, to: unproven.base, subject: "begin below unproven commits" });
  return unproven.base;
}
