import { openRoom } from "../lane/open-places.ts";
import type { End } from "../loop/decide.ts";
import { followPerson } from "../loop/follow-person.ts";
import { countCommits } from "../system/git/commit.ts";
import { followBranch, rebaseRefusal } from "../system/git/follow-branch.ts";
import { type FollowRefusal, LAND, refused } from "../system/git/follow-refusal.ts";
import { type BranchState, branchState, type LandingTarget, openTarget, readLanding } from "../system/git/landing.ts";
import { type Loan, readLoan } from "../system/git/loan.ts";
import type { Repository } from "../system/git/repository.ts";
import { nameTree } from "../system/git/tree.ts";
import { isMovedBySession, markStray } from "../system/git/stray.ts";
import { unprovenOn } from "../system/git/unproven.ts";
import { inTemporaryFolder } from "../system/temporary-folder.ts";
import { branchesBehind } from "./branches-behind.ts";
import { allPlanFiles } from "./run/all-plan-files.ts";
import type { CheckHost } from "./run/checks.ts";
import { binFolder, placesRequest } from "./run/open-places.ts";
import { beginBelow } from "./run/open-landing.ts";
import { programEnv } from "./run/program-env.ts";
import { findGates } from "./run/run-gates.ts";
import { type HeldHome, withHome } from "./run/with-home.ts";
import { treePath } from "./run/plans.ts";
import { readAgentGates } from "../loop/agent-gates.ts";
import { reading } from "./task/caller.ts";
import { boxesFor } from "./sandbox/boxes.ts";
import { requireTrust } from "./trust/trust.ts";
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
  readonly refusal: FollowRefusal | undefined;
}

/** L-24: tries again to let the person's branch follow what landed. */
export async function landWork(host: CheckHost): Promise<LandReport> {
  const workspace = await openWorkspace(host);
  return await withHome({ host, root: workspace.root, scope: "workspace" }, async (held) => {
    const { home } = held;
    const target = await targetToFollow(home, workspace);
    const loan = await readLoan(home);
    if (loan !== undefined) return report(target, { result: "refused", refusal: lentTo(loan) });
    const rebased = await rebaseRefusal(home, target);
    if (rebased !== undefined) return report(target, { result: "refused", refusal: rebased });
    const { before, isProven } = await stateOf(held, target);
    if (before.kind === "unlanded") return report(target, { result: "unlanded", commit: before.branch });
    if (before.kind === "even" || (before.kind === "ahead" && isProven))
      return report(target, { result: "even", commit: before.branch });
    const files = await reading(
      host,
      async ({ store }) => await allPlanFiles(store, { workspace, surroundings: host, tree: home.folder }),
    );
    const about: About = { host, workspace, target, files, landing: before.landing ?? "" };
    if (before.kind === "diverged" || before.kind === "ahead" || isOnlyRewritten(home, target, before))
      return await mergeAndFollow(held, { ...about, branch: before.branch });
    const from = before.kind === "gone" ? undefined : before.branch;
    return await followNow(home, about, { from, how: "followed" });
  });
}

/** The branch of this tree, unless it has everything and another one lacks something: the person may have switched. */
async function targetToFollow(home: Repository, { config }: Workspace): Promise<LandingTarget> {
  const target = await openTarget(home, config.git.branch ?? undefined);
  const open = await branchesBehind(home);
  return open.find(({ ref }) => ref === target.ref) ?? open[0] ?? target;
}

/** A killed session may have committed, and nothing has told its commits from the person's yet. */
const lentTo = ({ run }: Loan): FollowRefusal =>
  refused(`Run ${run} was killed while it worked in your tree`, "ralphctl run gives the tree back first", [
    "ralphctl run",
  ]);

/** The person changed the history of the branch, and other work landed meanwhile. */
const isOnlyRewritten = (
  home: Repository,
  target: LandingTarget,
  state: BranchState,
): state is Extract<BranchState, { kind: "rewound" }> =>
  state.kind === "rewound" && state.had !== state.landing && !isMovedBySession(home, target);

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
  refusal: undefined,
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
    return report(target, { result: "refused", commit: from, refusal: followed });
  }
  const commit = await readLanding(home, target);
  const commits = from === undefined || commit === undefined ? 0 : await countCommits(home, { from, to: commit });
  return report(target, { result: how, commit, commits });
}

/** The person's commits and those that landed are proven together, before the branch gets both. */
async function mergeAndFollow(held: HeldHome, about: About & { readonly branch: string }): Promise<LandReport> {
  const { host, workspace, target, branch } = about;
  await requireTrust(workspace, host);
  const end = await inTemporaryFolder("gates", async (folder) => await takeIn(held, about, folder));
  if (end?.interrupted === true) return report(target, { result: "interrupted", commit: branch });
  if (end === undefined) return await followNow(held.home, about, { from: branch, how: "merged" });
  const help = end.help ?? [LAND];
  const refusal = end.refusal ?? refused(end.reason, `Run ${help.join(", ")}`, help);
  return report(target, { result: "refused", commit: branch, refusal });
}

async function takeIn({ home, run }: HeldHome, about: About, folder: string): Promise<End | undefined> {
  const { host, workspace, target, landing, files } = about;
  const { root } = workspace;
  const bin = binFolder(home, workspace, host.env);
  const env = await programEnv({ env: host.env, self: host.self, bin, run, scope: "workspace", root });
  const { emit, stop, kill } = host;
  const boxes = await boxesFor(workspace, home, host);
  const place = { home, workspace, run, env, folder, emit, boxes, landing: { target, head: landing } };
  const room = await openRoom(placesRequest({ ...place, host: { interrupts: host } }));
  try {
    const entered = await room.enter({ head: landing, tree: (await nameTree(home, landing, [])).tree });
    const agents = await reading(host, async ({ store }) => await readAgentGates(store));
    const { gates } = await findGates({ workspace, folder: entered.root, agents });
    host.announce(gates, entered.root);
    const testFiles = workspace.config.verify.testFiles.map(treePath(home.folder, root));
    const rest = { gates: { gates }, plans: { ofAllScopes: files }, rules: { commits: true, testFiles } };
    return await followPerson({
      isAsked: true,
      deps: { runId: run, root, env, home, target, room, folder, emit, stop, kill, boxes, ...rest },
      run: { landing, redGates: undefined, notFollowing: undefined },
    });
  } finally {
    await room.close();
  }
}
