import { openRoom } from "../lane/open-places.ts";
import type { End } from "../loop/decide.ts";
import { followPerson } from "../loop/follow-person.ts";
import { countCommits } from "../system/git/commit.ts";
import { followBranch } from "../system/git/follow-branch.ts";
import { AGAIN } from "../system/git/follow-tree.ts";
import { branchState, type LandingTarget, openTarget, readLanding } from "../system/git/landing.ts";
import { type Loan, readLoan } from "../system/git/loan.ts";
import type { Repository } from "../system/git/repository.ts";
import { nameTree } from "../system/git/tree.ts";
import { markStray } from "../system/git/stray.ts";
import { unprovenOn } from "../system/git/unproven.ts";
import { inTemporaryFolder } from "../system/temporary-folder.ts";
import { allPlanFiles } from "./run/all-plan-files.ts";
import type { CheckHost } from "./run/checks.ts";
import { binFolder, placesRequest } from "./run/open-places.ts";
import { beginBelow } from "./run/open-landing.ts";
import { programEnv } from "./run/program-env.ts";
import { findGates } from "./run/run-gates.ts";
import { type HeldHome, withHome } from "./run/with-home.ts";
import { reading } from "./task/caller.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** What became of the branch. */
export interface LandReport {
  readonly target: LandingTarget;
  /** `merged`: it had commits of its own, which are proven together with those that landed. */
  readonly result: "followed" | "merged" | "even" | "unlanded" | "refused" | "interrupted";
  /** Where the branch is now. */
  readonly commit: string | undefined;
  /** How many commits it got. */
  readonly commits: number;
  /** Why it did not follow, and what helps. */
  readonly why: string | undefined;
  readonly remedy: string | undefined;
}

/** L-24: tries again to let the person's branch follow what landed. */
export async function landWork(host: CheckHost): Promise<LandReport> {
  const workspace = await openWorkspace(host);
  return await withHome({ host, root: workspace.root, scope: "workspace" }, async (held) => {
    const { home } = held;
    const target = await openTarget(home, workspace.config.git.branch ?? undefined);
    const loan = await readLoan(home);
    if (loan !== undefined) return report(target, { result: "refused", ...lentTo(loan) });
    const { before, isProven } = await stateOf(held, target);
    if (before.kind === "unlanded") return report(target, { result: "unlanded", commit: before.branch });
    if (before.kind === "even" || (before.kind === "ahead" && isProven))
      return report(target, { result: "even", commit: before.branch });
    const files = await reading(
      host,
      async ({ store }) => await allPlanFiles(store, { workspace, surroundings: host, tree: home.folder }),
    );
    const about: About = { host, workspace, target, files, landing: before.landing ?? "" };
    if (before.kind === "diverged" || before.kind === "ahead")
      return await mergeAndFollow(held, { ...about, branch: before.branch });
    const from = before.kind === "gone" ? undefined : before.branch;
    return await followNow(home, about, { from, how: "followed" });
  });
}

/** A killed session may have committed, and nothing has told its commits from the person's yet. */
const lentTo = ({ run }: Loan): Pick<LandReport, "why" | "remedy"> => ({
  why: `Run ${run} was killed while it worked in your tree`,
  remedy: "ralphctl run gives the tree back first",
});

/** T-41: commits of a session are no reason to say that all is well. */
async function stateOf({ home, run }: HeldHome, target: LandingTarget) {
  await markStray(home, target, { name: run });
  const before = await branchState(home, target);
  const unproven = before.kind === "gone" ? undefined : await unprovenOn(home, before);
  if (unproven === undefined) return { before, isProven: true };
  await beginBelow(home, target, { state: before, unproven });
  return { before: await branchState(home, target), isProven: false };
}

interface About {
  readonly host: CheckHost;
  readonly workspace: Workspace;
  readonly target: LandingTarget;
  /** Plan files of all scopes: ralphctl writes them, so they are never in the way. */
  readonly files: readonly string[];
  readonly landing: string;
}

const report = (target: LandingTarget, said: Partial<LandReport> & Pick<LandReport, "result">): LandReport => ({
  commit: undefined,
  commits: 0,
  why: undefined,
  remedy: undefined,
  ...said,
  target,
});

/** `how`: what a branch that follows has done. */
async function followNow(
  home: Repository,
  { target, files }: About,
  { from, how }: { readonly from: string | undefined; readonly how: "followed" | "merged" },
): Promise<LandReport> {
  const followed = await followBranch(home, target, { planFiles: files });
  if (followed.kind === "refused") {
    return report(target, { result: "refused", commit: from, why: followed.why, remedy: followed.remedy });
  }
  const commit = await readLanding(home, target);
  const commits = from === undefined || commit === undefined ? 0 : await countCommits(home, { from, to: commit });
  return report(target, { result: how, commit, commits });
}

/** The person's commits and those that landed are proven together, before the branch gets both. */
async function mergeAndFollow(held: HeldHome, about: About & { readonly branch: string }): Promise<LandReport> {
  const { target, branch } = about;
  const end = await inTemporaryFolder("gates", async (folder) => await takeIn(held, about, folder));
  if (end?.interrupted === true) return report(target, { result: "interrupted", commit: branch });
  if (end === undefined) return await followNow(held.home, about, { from: branch, how: "merged" });
  const remedy = end.help === undefined ? "Correct it in a commit of yours" : `Run ${end.help.join(", ")}, and commit`;
  return report(target, { result: "refused", commit: branch, why: end.reason, remedy: `${remedy}, ${AGAIN}` });
}

async function takeIn({ home, run }: HeldHome, about: About, folder: string): Promise<End | undefined> {
  const { host, workspace, target, landing, files } = about;
  const { root } = workspace;
  const bin = binFolder(home, workspace, host.env);
  const env = await programEnv({ env: host.env, self: host.self, bin, run, scope: "workspace", root });
  const { emit, stop, kill } = host;
  const place = { home, workspace, run, env, folder, emit, landing: { target, head: landing } };
  const room = await openRoom(placesRequest({ ...place, host: { interrupts: host } }));
  try {
    const entered = await room.enter({ head: landing, tree: (await nameTree(home, landing, [])).tree });
    const { gates } = await findGates({ workspace, folder: entered.root });
    host.announce(gates, entered.root);
    const rest = { gates: { gates }, plans: { ofAllScopes: files }, rules: { commits: true } };
    return await followPerson({
      isAsked: true,
      deps: { runId: run, root, env, home, target, room, folder, emit, stop, kill, ...rest },
      run: { landing, redGates: undefined, notFollowing: undefined },
    });
  } finally {
    await room.close();
  }
}
