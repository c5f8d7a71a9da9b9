import { matchesAny } from "../domain/glob.ts";
import { asksToTakeBack, type LandedWork, takenBack, withWork } from "../domain/taken-back.ts";
import type { Task } from "../domain/task.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import { committedBetween } from "../system/git/snapshot.ts";
import type { Candidate } from "./candidate.ts";
import { grantsOf, type LaneState } from "./run-state.ts";

// T-20: work of an earlier task may have no check of its own, so that nothing is red when another task takes it back.

const KEY = "landed-work";
const MOST_TASKS = 100;
const MOST_FILES = 200;

type Trees = Pick<Candidate, "head" | "tree">;

async function workIn({ deps }: LaneState, { head, tree }: Trees) {
  const changes = [...(await committedBetween(deps.home, head, tree)).values()];
  return changes.filter(({ path }) => !matchesAny(deps.rules.notWork, path) && !matchesAny(deps.rules.inputs, path));
}

/** Called before the work lands: what never lands is never taken back. Work that takes back is no work to take back. */
export async function rememberWork(lane: LaneState, task: Task, trees: Trees): Promise<void> {
  const changes = await workIn(lane, trees);
  if (changes.length === 0 || changes.length > MOST_FILES) return;
  await lane.deps.store.updateMeta(KEY, (before) => withWork(landedIn(before), task.id, changes).slice(-MOST_TASKS));
}

/** Other tasks whose landed work a candidate takes back, one line each. */
export async function findTakenBack(lane: LaneState, task: Task, trees: Trees): Promise<string[]> {
  const { deps } = lane;
  if (asksToTakeBack(task.title)) return [];
  const granted = grantsOf(deps, task);
  const changes = (await workIn(lane, trees)).filter(({ path }) => !matchesAny(granted, path));
  const others = landedIn(await deps.store.getMeta(KEY));
  const found: string[] = [];
  for (const { task: id, paths } of takenBack(changes, others).filter((one) => one.task !== task.id)) {
    const other = await deps.store.get(id);
    if (other?.status === "done") found.push(`it takes back the work of ${id} "${other.title}": ${namesInLine(paths)}`);
  }
  return found;
}

const landedIn = (meta: unknown): LandedWork[] =>
  (Array.isArray(meta) ? (meta as Partial<LandedWork>[]) : []).filter(
    (work): work is LandedWork => typeof work?.task === "string" && typeof work.files === "object",
  );
