import type { Task } from "../../domain/task.ts";
import { namesInLine } from "../../domain/verdict-report.ts";
import type { Store } from "../../store/store.ts";
import { writeCommit } from "../../system/git/commit.ts";
import { moveBack, whyNotTo } from "../../system/git/follow-branch.ts";
import { type FollowRefusal, refused } from "../../system/git/follow-refusal.ts";
import type { LandingTarget } from "../../system/git/landing.ts";
import { branchRef } from "../../system/git/landing.ts";
import { refsWith } from "../../system/git/ref.ts";
import type { Repository } from "../../system/git/repository.ts";
import { readHistory, revertTree } from "../../system/git/revert.ts";
import { nameTree } from "../../system/git/tree.ts";
import type { LandedCommit } from "./landed-work.ts";

/** Where something is taken back. */
export interface UndoPlace {
  readonly home: Repository;
  readonly store: Store;
  /** The workspace. */
  readonly root: string;
  readonly target: LandingTarget;
  /** The head of the landing ref. */
  readonly head: string;
  /** The branch has everything that landed, and can go where the landing goes. */
  readonly isEven: boolean;
  /** Plan files of all scopes. */
  readonly planFiles: readonly string[];
  /** What the person types to try it again. */
  readonly again: string;
}

/** A commit that takes one back. */
export interface RevertStep {
  readonly landed: LandedCommit;
  /** Undefined: nothing of it was left. */
  readonly tree: string | undefined;
}

/** What would be done. */
export interface UndoPlan {
  readonly how: "revert" | "move";
  readonly commits: readonly LandedCommit[];
  /** To open again; of a plan: to remove. */
  readonly tasks: readonly Task[];
  readonly isPlan: boolean;
  readonly steps: readonly RevertStep[];
  /** Where the branch moves back to. */
  readonly base: string | undefined;
}

/** Takes the newest commit back first. Nothing is written but objects that no ref names. */
export async function planReverts(
  place: UndoPlace,
  commits: readonly LandedCommit[],
): Promise<UndoPlan | FollowRefusal> {
  const { home, head, planFiles } = place;
  const steps: RevertStep[] = [];
  let { tree } = await nameTree(home, head, []);
  for (const landed of commits) {
    const keep = landed.planOf === undefined ? planFiles : [];
    const merged = await revertTree(home, { commit: landed.id, onto: tree, keep });
    if (merged.kind === "conflict") return await conflictRefusal(place, landed, merged.paths);
    steps.push({ landed, tree: merged.tree === tree ? undefined : merged.tree });
    ({ tree } = merged);
  }
  const message = "Take back\n";
  const to = await writeCommit(home, { tree, parents: [head], message });
  const inTheWay = place.isEven ? await whyNotTo(home, place.target, { ...place, to }) : undefined;
  return inTheWay ?? { how: "revert", ...ofCommits(commits), steps, base: undefined };
}

/** Later work that changed the same lines has to go first. */
async function conflictRefusal(
  { home, head }: UndoPlace,
  { id, tasks }: LandedCommit,
  paths: readonly string[],
): Promise<FollowRefusal> {
  const later = await readHistory(home, head, { since: id, paths });
  const own = new Set(tasks.map((task) => task.id));
  const newest = later.map(({ task }) => task).find((task) => task !== "" && !own.has(task));
  const byHand = `git revert ${id.slice(0, 10)}`;
  const steps = [...(newest === undefined ? [] : [`ralphctl undo ${newest}`]), byHand];
  const first = newest === undefined ? "" : `Take that back first: ralphctl undo ${newest}. Or `;
  const [task] = tasks;
  const what = task === undefined ? "the plan" : tasks.map((each) => each.id).join(", ");
  const reopens = task === undefined ? "" : `, and reopen the task: ralphctl task reset ${task.id}`;
  return refused(
    `Later commits changed the same lines as ${what}, in ${namesInLine(paths, 5)}`,
    `${first}${first === "" ? "R" : "r"}un ${byHand}, resolve the conflict${reopens}`,
    steps,
  );
}

/** The commits have to be the last ones, and nobody else may have them. */
export async function planMove(place: UndoPlace, commits: readonly LandedCommit[]): Promise<UndoPlan | FollowRefusal> {
  const { home, head, target, again } = place;
  const without = again.replace(" --move-branch", "");
  const name = target.branch ?? "HEAD";
  const no = (why: string): FollowRefusal => refused(why, `Take it back by revert commits: ${without}`, [without]);
  if (!place.isEven) return no(`${name} does not have everything that landed, so it cannot move back`);
  const left = new Map(commits.map((commit) => [commit.id, commit]));
  let base = head;
  for (let top = left.get(base); top !== undefined; top = left.get(base)) {
    left.delete(base);
    base = top.parent;
  }
  if (left.size > 0) return no(`${name} has other commits on top of ${namesInLine([...left.keys()].map(short), 3)}`);
  const oldest = commits.at(-1)!.id;
  const refs = await refsWith(home, oldest, ["refs/heads", "refs/remotes", "refs/tags"]);
  const others = refs
    .filter((ref) => ref !== branchRef(target))
    .map((ref) => ref.replace(/^refs\/(?:heads|remotes|tags)\//, ""));
  if (others.length > 0)
    return no(`${namesInLine(others, 3)} ${others.length === 1 ? "has" : "have"} these commits, too`);
  const inTheWay = await whyNotTo(home, target, { ...place, to: base });
  return inTheWay ?? { how: "move", ...ofCommits(commits), steps: [], base };
}

export const moveTo = async ({ home, target, ...way }: UndoPlace, to: string): Promise<FollowRefusal | undefined> =>
  await moveBack(home, target, { ...way, to });

const short = (commit: string): string => commit.slice(0, 10);

const ofCommits = (commits: readonly LandedCommit[]) => ({
  commits,
  tasks: tasksOf(commits),
  isPlan: commits.some(({ planOf }) => planOf !== undefined),
});

const tasksOf = (commits: readonly LandedCommit[]): Task[] => [
  ...new Map(commits.flatMap(({ tasks }) => tasks).map((task) => [task.id, task])).values(),
];
