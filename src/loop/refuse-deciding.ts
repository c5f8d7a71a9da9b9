import { relative } from "node:path";
import { decidingChanges, treeLook } from "../gate/gate.ts";
import { mergeBase } from "../system/git/ref.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import type { End } from "./decide.ts";
import type { LandingState } from "./land.ts";

/** T-10: commits that a session made on the branch must not decide how later work is proven. */
export async function refuseDeciding(
  { deps, run, isAsked }: LandingState,
  { branch }: { readonly branch: string },
): Promise<End | undefined> {
  // A person who runs `ralphctl land` has seen them.
  if (isAsked === true) return undefined;
  const base = await mergeBase(deps.home, run.landing, branch);
  const changes = [...(await committedBetween(deps.home, base, branch)).values()];
  const looks = [base, branch].map((commit) => treeLook(deps.home, commit));
  const [from, to] = [looks[0]!, looks[1]!];
  const folder = relative(deps.home.folder, deps.root);
  try {
    const { gates } = deps.gates;
    const { testFiles } = deps.rules;
    const all = await decidingChanges({ gates, base: from, candidate: to, changes, testFiles, folder });
    // A new file that a gate reads may be the work; gates say what it does to them.
    const isNew = (path: string): boolean => changes.some((change) => change.path === path && change.kind === "added");
    const found = all.filter(({ kind, path }) => kind !== "data" || !isNew(path));
    if (found.length === 0) return undefined;
    const paths = [...new Set(found.map(({ path }) => path))].slice(0, 10).join(", ");
    return {
      brokeOff: "person",
      reason: `A session committed to ${deps.target.branch ?? "HEAD"} in your repository and changed what decides the gates: ${paths}`,
      help: ["ralphctl land, if you want its commits", `git reset --keep ${base.slice(0, 10)}, to take them off`],
    };
  } finally {
    for (const look of looks) look.close();
  }
}
