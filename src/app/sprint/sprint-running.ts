import { findRun } from "../run/find-run.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings } from "../workspace.ts";

/** Whether the run of this working tree, dead ones included, is about a sprint. */
export async function isSprintRunning(directory: string, surroundings: Surroundings): Promise<boolean> {
  const scope = await openWorkspaceScope(await openWorkspace(surroundings), { sprint: directory });
  return findRun(surroundings.cwd)?.scope === scope.key;
}
