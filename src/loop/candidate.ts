import type { FileChange } from "../domain/change.ts";
import { RalphError } from "../domain/error.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import type { Task } from "../domain/task.ts";
import type { LeftOut } from "../system/git/commit-filter.ts";
import { buildTree } from "../system/git/commit.ts";
import { mergeTrees } from "../system/git/merge-trees.ts";
import { withTexts } from "../system/git/tree-texts.ts";
import { keepProving } from "../system/git/work-ref.ts";
import { landedPlans } from "./plan-texts.ts";
import { commitRules, type LaneState } from "./run-state.ts";
import { unlessPruned } from "./unless-pruned.ts";
import type { SessionEffects } from "./session-effects.ts";

/** A tree that is ready to land on top of a landing commit. */
export interface Candidate {
  readonly tree: string;
  readonly head: string;
  /** What it has beyond `head`. Empty: there is nothing to land. */
  readonly paths: readonly string[];
  /** The same without the marks that ralphctl makes in plan files once it is proven. */
  readonly work: { readonly tree: string; readonly paths: readonly string[] };
  readonly leftOut: readonly LeftOut[];
  /** How many of our writes of plan files it has. */
  readonly planWrites: number;
  /** Writes the objects of the tree again. */
  readonly rewrite: () => Promise<unknown>;
}

/** L-20: the session's work merged onto the landing, with the plan marked. A ref keeps it while it is proven. */
export async function candidateOf(
  lane: LaneState,
  task: Task,
  { changes }: Pick<SessionEffects, "changes">,
): Promise<Candidate> {
  const plans = await landedPlans(lane, [task]);
  return await unlessPruned(async () => {
    const candidate = await onLanding(lane, changes, { plans, task });
    return (await keepProving(lane.deps.home, task.id, candidate)) ? candidate : undefined;
  });
}

/** L-25: work that landed during the session conflicts with it. */
export class LandingConflict extends RalphError {
  /** Git's messages and the conflicting lines. */
  readonly text: string;
  readonly paths: readonly string[];

  constructor({ paths, text }: { readonly paths: readonly string[]; readonly text: string }) {
    super("busy", `Work that landed during the session conflicts with it, in ${namesInLine(paths)}`, {
      hint: "Run ralphctl run again: the next session begins with both",
    });
    this.name = "LandingConflict";
    this.text = text;
    this.paths = paths;
  }
}

export async function onLanding(
  lane: LaneState,
  changes: readonly FileChange[],
  { plans, task }: { readonly plans: ReadonlyMap<string, string>; readonly task: Pick<Task, "mayChange"> },
): Promise<Candidate> {
  const { deps, run, base, place } = lane;
  const head = run.landing;
  const planWrites = run.planWrites.length;
  const built = await buildTree(place.repository, { base, changes }, commitRules(lane, task));
  const merged = await mergeTrees(deps.home, { base: base.head!, ours: head, theirs: built.tree });
  if (merged.kind === "conflict") throw new LandingConflict(merged);
  const tree = await withTexts(deps.home, merged.tree, plans);
  const paths = [...built.paths, ...[...plans.keys()].filter((path) => !built.paths.includes(path))];
  const rewrite = async (): Promise<Candidate> => await onLanding(lane, changes, { plans, task });
  const work = { tree: merged.tree, paths: built.paths };
  return { tree, head, paths, work, leftOut: built.leftOut, planWrites, rewrite };
}
