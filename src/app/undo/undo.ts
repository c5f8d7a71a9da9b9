import { RalphError } from "../../domain/error.ts";
import { isPromptTask, type Task } from "../../domain/task.ts";
import { groupBy } from "../../domain/group.ts";
import { commitMessage } from "../../domain/commit-message.ts";
import type { Store } from "../../store/store.ts";
import { messageOf, writeCommit } from "../../system/git/commit.ts";
import { followBranch, rebaseRefusal } from "../../system/git/follow-branch.ts";
import { type FollowRefusal, refused } from "../../system/git/follow-refusal.ts";
import { isKept } from "../../system/git/garbage-collection.ts";
import { branchState, type LandingTarget, moveLanding, openTarget, saveLostLanding } from "../../system/git/landing.ts";
import { readLoan } from "../../system/git/loan.ts";
import { readFileAt, withTexts } from "../../system/git/tree-texts.ts";
import { unlessPruned } from "../../loop/unless-pruned.ts";
import { allPlanFiles } from "../run/all-plan-files.ts";
import { holdTarget } from "../run/hold-tree.ts";
import { openLanding } from "../run/open-landing.ts";
import { markTask, textWithMark, treePath } from "../run/plans.ts";
import { type HeldHome, withHome } from "../run/with-home.ts";
import { type Caller, writing } from "../task/caller.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { ownersOf, rememberUndone } from "./landed-work.ts";
import { removeTasks, tasksGone } from "./planned-tasks.ts";
import { findSubject } from "./subject.ts";
import { moveTo, planMove, planReverts, type UndoPlace, type UndoPlan } from "./plan-undo.ts";

export interface UndoRequest {
  /** A run or a task; undefined: the newest run with work that is still there. */
  readonly subject: string | undefined;
  /** Moves the branch back in place of revert commits. */
  readonly movesBranch: boolean;
  /** The person said yes already. */
  readonly isSure: boolean;
}

export interface UndoHost extends Caller {
  /** Asks the person before anything is changed. */
  readonly agrees: (plan: UndoPlan, about: string) => Promise<boolean>;
}

export interface UndoReport {
  readonly target: LandingTarget;
  readonly result: "reverted" | "moved" | "followed" | "nothing" | "refused" | "cancelled";
  /** The run or the task. */
  readonly about: string;
  readonly tasks: readonly Pick<Task, "id" | "title">[];
  /** A plan was taken back, and these tasks removed with it. */
  readonly isPlan: boolean;
  /** The run also wrote a plan, which stays. */
  readonly leavesPlan: boolean;
  /** Those that were taken back, newest first. */
  readonly taken: readonly string[];
  /** The commits that do it. */
  readonly commits: readonly string[];
  /** Where the branch or the landing is now. */
  readonly head: string;
  /** Keeps everything as it was. */
  readonly kept: string | undefined;
  /** Why nothing was done. */
  readonly refusal: FollowRefusal | undefined;
  /** It is taken back on the landing ref, and the branch could not follow. */
  readonly notFollowing: FollowRefusal | undefined;
  /** Tasks that are done and need one of these. */
  readonly dependents: readonly Pick<Task, "id" | "title">[];
}

/** Takes back what a run or a task landed: on the landing ref, and on the branch that follows it. */
export async function undo(request: UndoRequest, host: UndoHost): Promise<UndoReport> {
  const workspace = await openWorkspace(host);
  const about = { host, root: workspace.root, scope: "workspace" };
  return await withHome(about, async (held) => {
    const { home, run } = held;
    const target = await openTarget(home, workspace.config.git.branch ?? undefined);
    return await holdTarget({ home, target, run, scope: "undo" }, async () => {
      return await writing(host, async ({ store }) => {
        const opened = await openPlace({ held, store, workspace, target }, { request, host });
        if ("kind" in opened) return report({ target, head: "" }, { result: "refused", refusal: opened });
        return await undoAt(opened, { request, host, run, follows: workspace.config.git.commit });
      });
    });
  });
}

interface Opened {
  readonly held: HeldHome;
  readonly store: Store;
  readonly workspace: Workspace;
  readonly target: LandingTarget;
}

type By = { readonly request: UndoRequest; readonly host: UndoHost };

/** Begins as a run does: commits of the person's on top of what landed are taken as they are. */
async function openPlace(
  { held: { home, run }, store, workspace, target }: Opened,
  { request, host }: By,
): Promise<UndoPlace | FollowRefusal> {
  const named = request.subject ?? (request.isSure ? "--yes" : undefined);
  const again = ["ralphctl undo", named, request.movesBranch ? "--move-branch" : undefined].filter(Boolean).join(" ");
  const loan = await readLoan(home);
  if (loan !== undefined) {
    const why = `Run ${loan.run} was killed while it worked in your tree`;
    return refused(why, `Run ralphctl run, which gives the tree back, then ${again}`, ["ralphctl run", again]);
  }
  const rebased = await rebaseRefusal(home, target);
  if (rebased !== undefined) return rebased;
  const { head } = await openLanding(home, { branch: workspace.config.git.branch, run });
  const { kind } = await branchState(home, target);
  if (kind !== "even" && kind !== "behind") {
    const why = `${target.branch ?? "HEAD"} and the work that landed have gone different ways`;
    return refused(why, `Run ralphctl land, which brings them together, then ${again}`, ["ralphctl land", again]);
  }
  const { root } = workspace;
  const planFiles = await allPlanFiles(store, { workspace, surroundings: host, tree: home.folder });
  return { home, store, root, target, head, isEven: kind === "even", planFiles, again };
}

type Doing = By & { readonly run: string; readonly follows: boolean };

async function undoAt(whole: UndoPlace, doing: Doing): Promise<UndoReport> {
  const { request, host } = doing;
  const { about, commits, isPlan, leavesPlan } = await findSubject(whole, request.subject);
  if (commits.length === 0) return await nothingLeft(whole, { about, follows: doing.follows });
  // A plan that is taken back is a file like any other: changes of the person's in it are in the way.
  const place = isPlan ? { ...whole, planFiles: [] } : whole;
  const made = await (request.movesBranch ? planMove : planReverts)(place, commits);
  const plan = "kind" in made || !isPlan ? made : await withPlanned(whole, made);
  if ("kind" in plan) return report(place, { result: "refused", about, refusal: plan });
  const busy = plan.tasks.find(({ status }) => status === "in_progress");
  if (busy !== undefined) {
    throw new RalphError("busy", `${busy.id} is being worked on again`, { hint: "Stop its run first: ralphctl stop" });
  }
  if (!(await host.agrees(plan, about))) return report(place, { result: "cancelled", about, tasks: plan.tasks });
  const kept = await saveLostLanding(place.home, place.target);
  const dependents = isPlan ? [] : await doneDependents(place.store, plan.tasks);
  const said = { about, kept, tasks: plan.tasks, taken: commits.map(({ id }) => id), isPlan, leavesPlan, dependents };
  // First: a task that is open while its work is there does no harm, and one that is done without it does. Typed again
  // after a kill, the command finds the same commits, and does the rest.
  if (isPlan) await removeTasks(place.store, plan.tasks);
  else await reopen(place, plan.tasks, host);
  if (plan.how === "move") return await move(place, plan.base!, said);
  return await revert(place, plan, { ...doing, told: said });
}

/** With the tasks that only the plan has. */
async function withPlanned(place: UndoPlace, plan: UndoPlan): Promise<UndoPlan | FollowRefusal> {
  const tasks = await tasksGone(
    place,
    plan.base ?? plan.steps.findLast(({ tree }) => tree !== undefined)?.tree ?? place.head,
  );
  return "kind" in tasks ? tasks : { ...plan, tasks };
}

/** A killed undo may have moved the landing only. */
async function nothingLeft(
  { home, target, planFiles, ...place }: UndoPlace,
  { about, follows }: { readonly about: string; readonly follows: boolean },
): Promise<UndoReport> {
  const followed = follows ? await followBranch(home, target, { planFiles }) : undefined;
  const result = followed?.kind === "followed" ? "followed" : "nothing";
  return report(
    { ...place, target },
    { result, about, notFollowing: followed?.kind === "refused" ? followed : undefined },
  );
}

/** Opens the tasks again, and their marks in the plan files of the person's tree. */
async function reopen({ store, root }: UndoPlace, tasks: readonly Task[], { notice }: Caller): Promise<void> {
  for (const { id, isParent } of tasks) {
    const now = await store.get(id);
    if (now === undefined || isParent) continue;
    const reason = "A person took its work back with ralphctl undo.";
    const task = now.status === "done" ? await store.change(id, { kind: "reset", reason }, "person") : now;
    for (const problem of (await markTask({ store, root }, task, "is")).problems) notice(problem);
  }
}

type Told = Pick<UndoReport, "about" | "kept" | "tasks" | "taken" | "isPlan" | "leavesPlan" | "dependents">;

/** The branch first: a landing that is behind it would only take the commits in again. */
async function move(place: UndoPlace, base: string, told: Told): Promise<UndoReport> {
  const { home, target, head } = place;
  const refusal = await moveTo(place, base);
  if (refusal !== undefined) return report(place, { ...told, result: "refused", refusal });
  await moveLanding(home, target, { from: head, to: base, subject: "undo", isFollowed: true });
  return report({ ...place, head: base }, { ...told, result: "moved" });
}

async function revert(
  place: UndoPlace,
  plan: UndoPlan,
  { run, follows, told }: Doing & { readonly told: Told },
): Promise<UndoReport> {
  const { home, target, head, planFiles, again } = place;
  const commits = await unlessPruned(async () => {
    const made = await writeReverts(place, plan, run);
    const to = made.at(-1) ?? head;
    if (!(await moveLanding(home, target, { from: head, to, subject: "undo" }))) return [];
    return (await isKept(home, to)) ? made : undefined;
  });
  if (commits.length === 0 && plan.steps.some(({ tree }) => tree !== undefined)) {
    throw new RalphError("busy", `${target.ref} moved meanwhile, so nothing was taken back`, {
      hint: `Run ${again} again`,
    });
  }
  const followed = follows ? await followBranch(home, target, { planFiles }) : undefined;
  const notFollowing = followed?.kind === "refused" ? followed : undefined;
  return report({ ...place, head: commits.at(-1) ?? head }, { ...told, result: "reverted", commits, notFollowing });
}

/** One commit for each that is taken back, on no branch yet. The last one has the marks of the plan files. */
async function writeReverts(place: UndoPlace, { steps, tasks }: UndoPlan, run: string): Promise<string[]> {
  const { home, store, head } = place;
  const made: string[] = [];
  const wanted = steps.filter((step) => step.tree !== undefined);
  for (const { landed, tree } of wanted) {
    const isLast = landed === wanted.at(-1)?.landed;
    const whole = isLast ? await withTexts(home, tree!, await planTexts(place, tree!, tasks)) : tree!;
    const [subject = ""] = (await messageOf(home, landed.id)).split("\n");
    const message = commitMessage({
      subject: `Revert "${subject}"`,
      body: `This reverts commit ${landed.id}.`,
      trailers: { "Ralph-Undo": run },
    });
    made.push(await writeCommit(home, { tree: whole, parents: [made.at(-1) ?? head], message }));
  }
  const pairs = wanted.flatMap(({ landed }, index) =>
    ownersOf(landed).map((owner) => ({ owner, commit: landed.id, by: made[index]! })),
  );
  for (const [owner, undone] of groupBy(pairs, (pair) => pair.owner)) {
    await rememberUndone(
      store,
      owner,
      undone.map(({ commit, by }) => ({ commit, by })),
    );
  }
  return made;
}

/** The plan files of a tree, with the marks of these tasks as they are now. */
async function planTexts(place: UndoPlace, tree: string, tasks: readonly Task[]): Promise<Map<string, string>> {
  const { home, store, root } = place;
  const inTree = treePath(home.folder, root);
  const texts = new Map<string, string>();
  for (const { id } of tasks) {
    const task = await store.get(id);
    const { source } = task ?? {};
    if (task === undefined || source === undefined || isPromptTask(task)) continue;
    const path = inTree(source.file);
    const text = texts.get(path) ?? (await readFileAt(home, tree, path));
    if (text !== undefined) texts.set(path, await textWithMark({ store, root }, task, { file: source.file, text }));
  }
  return texts;
}

/** Done tasks that were built on these. */
async function doneDependents(store: Store, tasks: readonly Task[]): Promise<Task[]> {
  const own = new Set(tasks.map(({ id }) => id));
  const found = new Map<string, Task>();
  for (const { id } of tasks) {
    for (const dependent of await store.dependents(id)) {
      const task = own.has(dependent) ? undefined : await store.get(dependent);
      if (task?.status === "done") found.set(task.id, task);
    }
  }
  return [...found.values()];
}

const report = (
  { target, head }: Pick<UndoPlace, "target" | "head">,
  said: Partial<UndoReport> & Pick<UndoReport, "result">,
): UndoReport => ({
  about: "",
  tasks: [],
  isPlan: false,
  leavesPlan: false,
  taken: [],
  commits: [],
  kept: undefined,
  refusal: undefined,
  notFollowing: undefined,
  dependents: [],
  ...said,
  target,
  head,
});
