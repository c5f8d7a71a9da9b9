import type { Hook } from "../../domain/hook.ts";
import type { OpenSprint } from "../sprint/open-sprint.ts";
import { sprintHooks } from "../sprint/sprint-hooks.ts";
import type { Surroundings, Workspace } from "../workspace.ts";
import { configuredHooks, prepareHooks } from "./run-hooks.ts";

/** All hooks of a run: of the configuration, then of its sprint. What they name must exist. */
export async function hooksOf(
  workspace: Workspace,
  sprint: OpenSprint | undefined,
  env: Surroundings["env"],
): Promise<Hook[]> {
  return await prepareHooks([...configuredHooks(workspace), ...(await sprintHooks(sprint))], workspace, env);
}
