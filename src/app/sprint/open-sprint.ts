import { join, resolve } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { scopeFlag } from "../../domain/scope-name.ts";
import { type Scope, readSprintDefinition, type SprintDefinition } from "../../scope/scope.ts";
import type { WrittenHook } from "../run/run-hooks.ts";
import { workflowHooks } from "../run/workflow-hooks.ts";
import type { Workspace } from "../workspace.ts";
import { type LastGood, lastGoodPlace, describeLastGood } from "./last-good.ts";

/** A sprint of a workspace, as its files define it. */
export interface OpenSprint {
  readonly definition: SprintDefinition;
  /** The hooks of its workflow, switched on and off by SPRINT.yaml (S003-03). */
  readonly hooks: readonly WrittenHook[];
  /** Relative to the workspace. */
  readonly folder: string;
  /** PROGRESS.yaml, relative to the workspace. */
  readonly file: string;
  /** Where a copy of PROGRESS.yaml is kept. */
  readonly lastGood: LastGood;
}

/** Opens the sprint of a scope, if it has one. Read-only. */
export async function openSprint(
  workspace: Workspace,
  scope: Scope,
  options: { readonly isStrict: boolean },
): Promise<OpenSprint | undefined> {
  const { root, config } = workspace;
  const folder = scope.sprint;
  if (folder === undefined) return undefined;
  const lastGood = await lastGoodPlace(root, folder);
  const place = {
    directory: join(root, folder),
    shown: folder,
    root,
    workflows: config.workflows.map((path) => resolve(root, path)),
  };
  try {
    const definition = await readSprintDefinition(place, options);
    const hooks = await workflowHooks(definition.hooks.workflow, definition.hooks.sprint);
    return { definition, hooks, folder, file: `${folder}/PROGRESS.yaml`, lastGood };
  } catch (error) {
    if (!(error instanceof RalphError) || error.about?.kind !== "progress file") throw error;
    const offer = await describeLastGood(lastGood);
    if (offer === undefined) throw error;
    const { kind, message, hint = "Fix the file" } = error;
    throw new RalphError(kind, `${message}; ${offer}`, { hint, cause: error });
  }
}

/** A sprint plans by itself whenever no step is pending (D-12); plan mode would ask for another plan (P-04). */
export function refusePlanMode({ definition, folder }: OpenSprint, mode: "auto" | "plan" | "build"): void {
  if (mode !== "plan") return;
  const run = `ralphctl run${scopeFlag(`sprint/${folder}`)}`;
  if (definition.shape === "phases") {
    throw new RalphError("usage", "The plan of this sprint is the phases of its workflow, so it has no plan mode", {
      hint: `Run ${run}`,
    });
  }
  throw new RalphError("usage", "A sprint plans whenever no step is pending, so it has no plan mode", {
    hint: `Run ${run}, with --max-iterations 1 for a single iteration`,
  });
}
