import type { HeldWhy } from "../domain/run/lanes-held.ts";
import type { Task } from "../domain/task.ts";
import type { LaneState, RunState } from "./run-state.ts";
import { isFull } from "./scopes.ts";
import { isTooLittle } from "./share.ts";

/** Whether sessions under way may use up what one more would need, or one of them works alone. */
export function heldBy(run: RunState): HeldWhy | "plan" | undefined {
  if (run.busy.size === 0) return undefined;
  if (run.mode === "plan") return "plan";
  if (run.alone !== undefined) return "alone";
  if (isFull(run)) return "iterations";
  return isTooLittle(run) ? "budget" : undefined;
}

/** Says once why lanes are idle (L-43). */
export function hold({ deps, run }: Pick<LaneState, "deps" | "run">, why: HeldWhy, task?: Task): void {
  if (run.held === why) return;
  run.held = why;
  deps.emit({ type: "lanes.held", why, ...(task !== undefined && { task: { id: task.id, title: task.title } }) });
}

export function release(run: RunState): void {
  if (run.held === undefined) return;
  run.held = undefined;
  run.deps.emit({ type: "lanes.held" });
}
