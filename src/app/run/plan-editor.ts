import { follow } from "../../loop/land.ts";
import type { RunDeps } from "../../loop/run-deps.ts";
import type { PlanVersions } from "../../plan/plan.ts";
import { branchRef, branchState, type LandingTarget, readLanding } from "../../system/git/landing.ts";
import { readHead } from "../../system/git/ref-files.ts";
import { mergeBase } from "../../system/git/ref.ts";
import type { Repository } from "../../system/git/repository.ts";
import { readFileAt } from "../../system/git/tree-texts.ts";

/**
 * Who changed the plan files since the last run. On a branch that is behind, they lack marks of work that landed, and
 * nobody has removed these. So the branch follows first.
 */
export async function planEditor(deps: RunDeps, { isCrashed }: { readonly isCrashed: boolean }) {
  const state = await branchState(deps.home, deps.target);
  if (state.kind === "behind") await follow({ deps, run: { notFollowing: undefined } });
  return isCrashed ? "agent" : "person";
}

/** Whether the person has checked out another branch than that of the run: the plan files there are not the run's. */
export async function isElsewhere(home: Repository, target: LandingTarget): Promise<boolean> {
  const ref = branchRef(target);
  return ref !== undefined && (await readHead(home)).ref !== ref;
}

/** A plan file in git; undefined if what is checked out is the branch of the run, with all that landed. */
export async function versionsOf(
  home: Repository,
  target: LandingTarget,
  path: string,
): Promise<PlanVersions<string | undefined> | undefined> {
  const landing = await readLanding(home, target);
  const { commit: head } = await readHead(home);
  if (landing === undefined || head === undefined) return undefined;
  const base = await mergeBase(home, landing, head);
  const isOther = await isElsewhere(home, target);
  if (base === landing && !isOther) return undefined;
  const textAt = async (commit: string): Promise<string | undefined> => await readFileAt(home, commit, path);
  const texts = { landing: await textAt(landing), head: await textAt(head), base: await textAt(base) };
  return { ...texts, isElsewhere: isOther };
}
