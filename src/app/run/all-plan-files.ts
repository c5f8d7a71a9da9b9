import { RalphError } from "../../domain/error.ts";
import type { Store } from "../../store/store.ts";
import { openWorkspaceScope, type Surroundings, type Workspace } from "../workspace.ts";
import { choiceOf } from "./other-scopes.ts";
import { treePath } from "./plans.ts";

export interface AllPlansPlace {
  readonly workspace: Workspace;
  readonly surroundings: Surroundings;
  /** The top of the working tree. */
  readonly tree: string;
}

/**
 * The plan files of every scope that has tasks, as git names them. ralphctl writes them into the person's tree, so its
 * own marks in them are never in the way of a branch that follows, whichever scope a run is about.
 */
export async function allPlanFiles(
  store: Pick<Store, "counts">,
  { workspace, surroundings, tree }: AllPlansPlace,
): Promise<string[]> {
  const keys = (await store.counts(undefined)).map(({ scope }) => scope);
  const inTree = treePath(tree, workspace.root);
  const files: string[] = [];
  for (const key of new Set(["workspace", ...keys])) {
    try {
      const { planFiles } = await openWorkspaceScope(workspace, await choiceOf(key, surroundings));
      files.push(...planFiles.map(inTree));
    } catch (error) {
      if (!(error instanceof RalphError)) throw error; // a scope that is gone has no plan files
    }
  }
  return files;
}
