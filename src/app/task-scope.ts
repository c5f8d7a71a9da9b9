import { basename, resolve } from "node:path";
import { openWorkspace, openWorkspaceScope, type ScopeChoice, type Surroundings } from "./workspace.ts";

/** The workspace, and what tasks of the chosen scope belong to. */
export interface TaskScope {
  readonly root: string;
  /** As tasks name it: `workspace`, `project/auth`, `change/014-01_x`, `sprint/2026-11`. */
  readonly key: string;
}

export async function taskScope(choice: ScopeChoice, surroundings: Surroundings): Promise<TaskScope> {
  const workspace = await openWorkspace(surroundings);
  const { root } = workspace;
  if (choice.sprint !== undefined) return { root, key: `sprint/${basename(resolve(surroundings.cwd, choice.sprint))}` };
  return { root, key: (await openWorkspaceScope(workspace, choice)).key };
}

/** Whether the user chose a scope at all. */
export const isScopeChosen = ({ project, change, sprint }: ScopeChoice): boolean =>
  [project, change, sprint].some((name) => name !== undefined);
