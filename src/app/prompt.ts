import { readAgentGates } from "../loop/agent-gates.ts";
import { taskGates } from "../domain/distinct-gates.ts";
import { isTemplate } from "../domain/prompt/placeholders.ts";
import type { Section } from "../domain/prompt/section.ts";
import { defaultIterations } from "../domain/run/policy.ts";
import { sessionOf } from "../domain/run/session.ts";
import type { Task } from "../domain/task.ts";
import { gatherTask } from "../loop/gather.ts";
import { countTasks } from "../loop/work-left.ts";
import type { Scope, ScopeChoice } from "../scope/scope.ts";
import type { Store } from "../store/store.ts";
import { createPromptMaker, type IterationPromptRequest, promptWarnings, readScopePrompt } from "./iteration-prompt.ts";
import { changeStatus } from "./run/change-status.ts";
import { type FoundGates, findGates } from "./run/run-gates.ts";
import { plansOf } from "./run/plans.ts";
import { previewStore } from "./task-store.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings, type Workspace } from "./workspace.ts";

export interface PromptViewRequest {
  readonly mode: "plan" | "build";
  readonly scope: ScopeChoice;
  readonly iteration: number;
}

/** Exactly what an agent would get. */
export interface PromptView {
  readonly system: string;
  readonly sections: readonly Section[];
  readonly warnings: readonly string[];
}

/** Makes the prompt of the next iteration without starting or claiming anything. */
export async function showPrompt(request: PromptViewRequest, surroundings: Surroundings): Promise<PromptView> {
  const workspace = await openWorkspace(surroundings);
  const scope = await openWorkspaceScope(workspace, request.scope);
  const make = createPromptMaker(workspace, scope, surroundings);
  // The loop would begin with what the plan file says now.
  return await previewStore(workspace.root, async (store, notices) => {
    const { root } = workspace;
    // Looking for gates starts nothing (W-06).
    const found = await findGates({ workspace, folder: root, agents: await readAgentGates(store) });
    const editor = sessionOf(surroundings.env) === undefined ? "person" : "agent";
    const followed = await plansOf({ store, root, tree: root, scope, isReadOnly: true }).follow({ editor });
    const [next] = request.mode === "build" ? await store.ready({ scopes: [scope.key], limit: 1 }) : [];
    const { system, sections } = await make({
      mode: request.mode,
      iteration: request.iteration,
      maxIterations: await mostIterations(store, { workspace, scope, mode: request.mode }),
      harness: workspace.config.harness[0]!,
      changeTasks: await changeStatus(store, scope),
      ...(await aboutTask(store, next, { workspace, scope, found })),
    });
    const own = await promptWarnings(workspace, scope, [request.mode]);
    const warnings = [...scope.warnings, ...own, ...found.warnings, ...notices, ...followed.problems];
    return { system, sections, warnings };
  });
}

type Gathered = Omit<IterationPromptRequest, "mode" | "iteration" | "maxIterations" | "harness" | "changeTasks">;

/** What a prompt says of a task; nothing without one. */
export async function aboutTask(
  store: Store,
  task: Task | undefined,
  { workspace, scope, found }: Omit<Work, "mode"> & { readonly found: FoundGates },
): Promise<Gathered> {
  if (task === undefined) return { earlier: [], notes: [] };
  const { info, ...gathered } = await gatherTask(store, task, scope);
  const gates = [...taskGates(task, workspace.config.limits.gate, found.gates), ...found.gates];
  return { ...gathered, task: info, verification: { acceptance: task.acceptance, gates, red: [] } };
}

interface Work {
  readonly workspace: Workspace;
  readonly scope: Scope;
  readonly mode: PromptViewRequest["mode"];
}

/** As the loop counts it (P-42). Undefined if the scope has nothing to do. */
async function mostIterations(store: Store, { workspace, scope, mode }: Work): Promise<number | undefined> {
  const { iterations } = workspace.config.limits;
  if (iterations !== null) return iterations;
  if (mode === "plan") return defaultIterations({ mode, tasks: 0 });
  const { all, open } = await countTasks(store, scope.key);
  if (all > 0) return defaultIterations({ mode, tasks: open });
  const isTask = !isTemplate(await readScopePrompt(workspace, scope, mode));
  return isTask ? defaultIterations({ mode, tasks: "one" }) : undefined;
}
