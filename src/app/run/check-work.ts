import type { Assignment, RunDeps } from "../../loop/run-deps.ts";
import type { Store } from "../../store/store.ts";
import type { PartsRequest } from "./run-deps.ts";
import { checkProof } from "./run-gates.ts";

/** What a run is about; the rest is known when it begins. */
export type Chosen = Omit<Assignment, "notices" | "info" | "notIncluded" | "head">;

interface ProofParts extends Pick<PartsRequest, "workspace" | "scope" | "found" | "demands"> {
  readonly opened: { readonly store: Store };
}

/** Refuses to start without proof, or warns. */
export async function proofWarnings(parts: ProofParts, chosen: Pick<Chosen, "mode" | "only">): Promise<string[]> {
  const { workspace, found, demands } = parts;
  const tasksHaveGates = await allHaveGates(parts, chosen);
  const warning = checkProof({ workspace, found, tasksHaveGates, isStrict: demands.isStrict });
  return warning === undefined ? [] : [warning];
}

/** A prompt that cannot be made is found out before anything is started (S000-AC3). */
export async function checkPrompts({ prompt, agents }: RunDeps, assignment: Chosen): Promise<void> {
  const modes = modesOf(assignment);
  const rest = { iteration: 1, maxIterations: 1, harness: agents[0].name, brief: undefined, verification: undefined };
  for (const each of modes) await prompt({ ...rest, mode: each, notes: [] });
}

/** The modes of the run's sessions. */
export const modesOf = ({ mode, buildsAfterPlan }: Pick<Chosen, "mode" | "buildsAfterPlan">) =>
  buildsAfterPlan ? ([mode, "build"] as const) : ([mode] as const);

/** Whether each open task of the run has a gate of its own: then nothing is unproven, even without other gates. */
async function allHaveGates(
  { opened, scope, found }: ProofParts,
  { mode, only }: Pick<Chosen, "mode" | "only">,
): Promise<boolean> {
  if (found.gates.length > 0 || mode === "plan") return found.gates.length > 0;
  const { store } = opened;
  for await (const task of store.each({ scopes: [scope.key], statuses: ["pending", "failed", "parked"] })) {
    if (!task.isParent && (only?.includes(task.id) ?? true) && task.gates.length === 0) return false;
  }
  return true;
}
