import type { OfLane, TaskName } from "./event.ts";

/** Why lanes begin no task although one is ready: each needs what sessions under way have, or may use up. */
export type HeldWhy = "alone" | "budget" | "iterations";

/** L-43: a lane without a task is idle for a reason that a person can know. */
export interface LanesHeld extends OfLane {
  readonly type: "lanes.held";
  /** Absent: they may begin again. */
  readonly why?: HeldWhy;
  /** L-25: the task beside which no other may begin. */
  readonly task?: TaskName;
}
