import { follow } from "../../loop/land.ts";
import type { RunDeps } from "../../loop/run-deps.ts";
import { branchState } from "../../system/git/landing.ts";
import { readFileAt } from "../../system/git/tree-texts.ts";

/**
 * Who changed the plan files since the last run. On a branch that is behind, they lack marks of work that landed, and
 * nobody has removed these. So the branch follows first; if it cannot, plan files that are as committed are no person's.
 */
export async function planEditor(deps: RunDeps, { isCrashed }: { readonly isCrashed: boolean }) {
  const state = await branchState(deps.home, deps.target);
  if (state.kind === "behind") await follow({ deps, run: { notFollowing: undefined } });
  if (isCrashed) return "agent";
  const now = await branchState(deps.home, deps.target);
  return now.kind === "behind" && (await isCommitted(deps, now.branch)) ? "agent" : "person";
}

async function isCommitted({ home, plans }: RunDeps, commit: string): Promise<boolean> {
  for (const [path, text] of await plans.texts()) {
    if (text !== (await readFileAt(home, commit, path))) return false;
  }
  return true;
}
