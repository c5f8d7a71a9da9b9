import { RalphError } from "../../domain/error.ts";
import type { Task } from "../../domain/task.ts";
import type { RunDeps } from "../../loop/run-deps.ts";
import { openWorkspaceScope } from "../workspace.ts";
import { choiceOf } from "./other-scopes.ts";
import { type PartsRequest, plansFor } from "./run-deps.ts";

/** Those of a run with the plan files of a task's scope: a killed run may have worked on another one. */
export const depsOfTask =
  (parts: PartsRequest, deps: RunDeps) =>
  async ({ scope: key }: Pick<Task, "scope">): Promise<RunDeps> => {
    if (key === deps.scope) return deps;
    try {
      const scope = await openWorkspaceScope(parts.workspace, await choiceOf(key, parts.host));
      return { ...deps, scope: key, plans: await plansFor({ ...parts, scope, sprint: undefined }) };
    } catch (error) {
      // It cannot be read any more. The mark is in the landed commit.
      if (!(error instanceof RalphError)) throw error;
      return deps;
    }
  };
