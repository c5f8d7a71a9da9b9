import { join, relative } from "node:path";
import type { FileChange } from "../domain/change.ts";
import { buildTree, commitTree } from "../system/git/commit.ts";
import { changesBetween, snapshot } from "../system/git/snapshot.ts";
import { commitRules, type LaneState, warn } from "./run-state.ts";
import type { SessionEffects } from "./session-effects.ts";
import { saveAndRestore, saveAndRollBack, type SavedTree, statesBefore } from "./take-back.ts";
import {
  acceptPlan,
  acceptWork,
  beginCommit,
  beginRollback,
  noteIndexSynced,
  syncIndexInBackground,
} from "./work-tree.ts";

export interface PlanTreeRequest {
  readonly effects: Pick<SessionEffects, "now" | "changes">;
  /** The commit message; undefined if the plan is not ready to be committed. */
  readonly commitWith: string | undefined;
  /** Undefined if an earlier run left the plan. */
  readonly iteration: number | undefined;
}

/** P-04: keeps plan files and new specs of a planning session; saves everything under `refs/ralph/`, reverts the rest. */
export async function keepPlanOnly(
  lane: LaneState,
  { effects, commitWith, iteration }: PlanTreeRequest,
): Promise<{ readonly commit: string | undefined; readonly shelved: readonly string[] }> {
  const { deps, work } = lane;
  const wanted = effects.changes.filter((change) => isPlanning(lane, change));
  const others = effects.changes.filter((change) => !isPlanning(lane, change) && !isAgentNotes(lane, change));
  const shelved =
    others.length === 0 && effects.now.head === work.base.head
      ? []
      : await shelveRest(lane, effects, { wanted, others });
  const now = await snapshot(work.repository);
  if (commitWith === undefined || !deps.rules.commits) {
    acceptPlan(work, now);
    return { commit: undefined, shelved };
  }
  const range = { base: { ...work.base, head: now.head }, now };
  const built = await buildTree(work.repository, range, commitRules(lane));
  if (built.paths.length === 0) {
    acceptWork(work, now);
    return { commit: undefined, shelved };
  }
  beginCommit(work, now.head);
  const result = await commitTree(work.repository, { ...built, head: now.head, message: commitWith });
  if (result.kind === "moved") {
    warn(lane, "HEAD moved while ralphctl read the plan, so the plan is not committed");
    acceptWork(work, await snapshot(work.repository));
    return { commit: undefined, shelved };
  }
  syncIndexInBackground(work, result.indexed);
  const [subject = ""] = commitWith.split("\n");
  const { commit } = result;
  const about = iteration === undefined ? {} : { iteration };
  deps.emit({ type: "commit.made", ...about, commit, subject, files: built.paths.length, leftOut: built.leftOut });
  acceptWork(work, await snapshot(work.repository));
  return { commit, shelved };
}

/** On start in build mode: cleans up after a planning session that was killed with its run. */
export async function finishPlanning(lane: LaneState): Promise<void> {
  const { work } = lane;
  if (!work.planInterrupted) return;
  const changes = await changesBetween(work.repository, work.base, work.last);
  const effects = { now: work.last, changes };
  const { shelved } = await keepPlanOnly(lane, { effects, commitWith: undefined, iteration: undefined });
  for (const sentence of shelved) warn(lane, sentence);
}

const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder.replace(/\/+$/, "")}/`);

/** Plan files, and specs that are new. */
const isPlanning = ({ deps }: LaneState, { path, kind }: FileChange): boolean =>
  deps.plans.files.includes(path) || (kind === "added" && deps.plans.specs.some((folder) => isInside(path, folder)));

/** Agents keep their own notes in AGENTS.md, which planning may change. */
const isAgentNotes = ({ deps, work }: LaneState, { path }: FileChange): boolean =>
  path === join(relative(work.repository.folder, deps.root), "AGENTS.md");

async function shelveRest(
  lane: LaneState,
  { now }: Pick<SessionEffects, "now">,
  { wanted, others }: { readonly wanted: readonly FileChange[]; readonly others: readonly FileChange[] },
): Promise<string[]> {
  const { deps, work } = lane;
  const range = { base: work.base, now };
  const save = { run: deps.runId, name: "plan", subject: "Other changes of the planning session" };
  if (now.head === work.base.head) {
    const { saved } = await saveAndRestore(work.repository, range, { ...save, files: statesBefore(others) });
    return reportShelved(lane, saved, others);
  }
  // The session committed by itself: roll everything back, and write the plan again.
  const { saved, result } = await saveAndRollBack(work.repository, range, {
    ...save,
    revert: "Revert the commits of the planning session",
    userPaths: work.userPaths,
    keep: wanted,
    onSaved: async () => beginRollback(work, now.head),
  });
  noteIndexSynced(work);
  if (result.kind === "refused") {
    const paths = result.paths.join(", ");
    return [
      `Planning may change only the plan and new specs. Its commits stay, because they touch your changes: ${paths}`,
    ];
  }
  return reportShelved(lane, saved, others);
}

function reportShelved({ deps }: LaneState, saved: SavedTree | undefined, others: readonly FileChange[]): string[] {
  // If the commits held nothing but the plan, there is nothing to report.
  if (saved === undefined || others.length === 0) return [];
  deps.emit({ type: "work.kept", ...saved, why: "planning may change only the plan" });
  const names = others.slice(0, 10).map(({ path }) => path);
  return [`Planning may change only the plan and new specs. Shelved as ${saved.ref}: ${names.join(", ")}`];
}
