import type { FileChange } from "../domain/change.ts";
import type { Task } from "../domain/task.ts";
import { onLanding } from "./candidate.ts";
import { asLanderOf } from "./desk.ts";
import { shelveSession } from "./keep-work.ts";
import { follow, land } from "./land.ts";
import { rememberPlan } from "./landed-plans.ts";
import { landedPlans } from "./plan-texts.ts";
import { type LaneState, warn } from "./run-state.ts";
import type { SessionEffects } from "./session-effects.ts";

export interface PlanLanding {
  readonly effects: Pick<SessionEffects, "changes" | "now">;
  /** The commit message; undefined if the plan is not ready to land. */
  readonly message: string | undefined;
  readonly iteration: number;
  /** Tasks that are to be marked as done. */
  readonly done?: readonly Task[] | undefined;
}

/**
 * P-04 L-03: a planning session lands its plan files and new specs, which no gate has to prove because nothing runs them.
 * Its other changes stay under a ref, and are named.
 */
export async function landPlan(
  lane: LaneState,
  { effects, message, iteration, done }: PlanLanding,
): Promise<{ readonly commit: string | undefined; readonly shelved: readonly string[] }> {
  const { deps } = lane;
  const isPlan = ({ path }: FileChange): boolean => deps.plans.files.includes(path);
  const landed = effects.changes.filter((change) => isNewSpec(lane, change));
  const others = effects.changes.filter((change) => !isPlan(change) && !landed.includes(change));
  const shelved = others.length === 0 ? [] : await shelveOthers(lane, effects, others);
  const commit =
    message && (await asLanderOf(deps, async () => await landNow(lane, { landed, message, iteration, done })));
  return { commit, shelved };
}

async function landNow(
  lane: LaneState,
  {
    landed,
    message,
    iteration,
    done,
  }: Omit<PlanLanding, "effects"> & {
    readonly message: string;
    readonly landed: readonly FileChange[];
  },
): Promise<string | undefined> {
  const { deps } = lane;
  const candidate = await onLanding(lane, landed, { plans: await landedPlans(lane, done), task: { mayChange: [] } });
  if (candidate.paths.length === 0) return undefined;
  if (done === undefined)
    await rememberPlan(deps.store, { run: deps.runId, tree: candidate.tree, parent: candidate.head });
  const commit = await land(lane, { ...candidate, message });
  if (commit === undefined) {
    warn(lane, `${deps.target.ref} moved while ralphctl read the plan, so the plan has not landed`);
    return undefined;
  }
  const [subject = ""] = message.split("\n");
  const { paths, leftOut } = candidate;
  deps.emit({ type: "commit.made", iteration, commit, subject, files: paths.length, leftOut });
  await follow(lane);
  return commit;
}

const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder.replace(/\/+$/, "")}/`);

const isNewSpec = ({ deps }: LaneState, { path, kind, after }: FileChange): boolean =>
  kind === "added" &&
  after?.mode === "100644" &&
  isDocument(path) &&
  deps.plans.specs.some((folder) => isInside(path, folder));

/** A folder of specs may also hold programs and tests, and files that tell agents what to do. */
const isDocument = (path: string): boolean =>
  /\.(?:md|markdown|txt|rst|adoc)$/i.test(path) &&
  !path.split("/").some((name) => name.startsWith(".") && name !== ".ralph") &&
  !/(?:^|\/)(?:AGENTS|CLAUDE|GEMINI|QWEN|COPILOT-INSTRUCTIONS)(?:\.[^/]*)?\.md$/i.test(path);

async function shelveOthers(
  lane: LaneState,
  effects: PlanLanding["effects"],
  others: readonly FileChange[],
): Promise<string[]> {
  const ref = await shelvePlanning(lane, effects, "planning may change only the plan");
  const names = others.slice(0, 10).map(({ path }) => path);
  return [`Planning may change only the plan and add specs. Shelved as ${ref}: ${names.join(", ")}`];
}

/** Keeps everything that a planning session changed. */
export const shelvePlanning = async (lane: LaneState, effects: PlanLanding["effects"], why: string): Promise<string> =>
  (await shelveSession(lane, effects, { name: "plan", subject: "Other changes of the planning session", why })).ref;
