import type { Attempted } from "./iteration.ts";
import type { AttemptFindings } from "./judge-attempt.ts";
import type { RunState } from "./run-state.ts";
import { isComplete, workLeft } from "./work-left.ts";

/** What an iteration about a sprint's goal comes to by itself; undefined: what was claimed decides. */
export async function ruleGoal(
  state: RunState,
  { claim, said }: Pick<AttemptFindings, "claim" | "said">,
): Promise<(Pick<Attempted, "outcome" | "reason"> & { readonly notes?: readonly string[] }) | undefined> {
  if (said.claim !== "done" && said.claim !== "none") return undefined;
  const left = await workLeft(state, claim.task.id);
  if (said.claim === "none") {
    return { outcome: "planned", reason: isComplete(left) ? "No step was added" : "Steps were added" };
  }
  if (isComplete(left)) return undefined;
  return { outcome: "planned", reason: "Steps were added", notes: [STEPS_LEFT] };
}

export const STEPS_LEFT =
  "You said that the goal is achieved, but there are steps left that are not done. It is achieved when none is.";
