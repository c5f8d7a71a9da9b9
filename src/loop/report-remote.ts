import type { RemoteTrouble } from "../system/git/remote-trouble.ts";
import { type LaneState, tell, warn } from "./run-state.ts";

/** F-07: said once, with the remedy. */
export function reportTrouble(lane: LaneState, { why, remedy }: Pick<RemoteTrouble, "why" | "remedy">): void {
  const { run } = lane;
  if (run.fleet.trouble !== why) warn(lane, `${why}. Proven work waits. ${remedy}`);
  run.fleet.trouble = why;
  lane.deps.fleet!.report(why);
}

export function reportAnswer(lane: LaneState): void {
  const { run, deps } = lane;
  if (run.fleet.trouble === undefined) return;
  run.fleet.trouble = undefined;
  deps.fleet!.report(undefined);
  tell(lane, `The remote ${deps.fleet!.remote.remote} works again`);
}
