import type { WrittenHook } from "../run/run-hooks.ts";
import { workflowHooks } from "../run/workflow-hooks.ts";
import type { OpenSprint } from "./open-sprint.ts";

/** The hooks of a sprint's workflow, switched on and off by its SPRINT.yaml (S003-03). */
export async function sprintHooks(sprint: OpenSprint | undefined): Promise<WrittenHook[]> {
  const { workflow, sprint: own } = sprint?.definition.hooks ?? { workflow: undefined, sprint: undefined };
  return workflow === undefined ? [] : await workflowHooks(workflow, own);
}
