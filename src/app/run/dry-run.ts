import { readAgentGates } from "../../loop/agent-gates.ts";
import { defaultIterations } from "../../domain/run/policy.ts";
import type { TaskId } from "../../domain/task.ts";
import type { Store } from "../../store/store.ts";
import { checkRepository } from "../../system/git/unfinished-operation.ts";
import { createPromptMaker } from "../iteration-prompt.ts";
import { aboutTask, type PromptView } from "../prompt.ts";
import { previewStore } from "../task-store.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings } from "../workspace.ts";
import type { Work, WorkPlace } from "./choose-work.ts";
import { changeStatus } from "./change-status.ts";
import { openSprint, refusePlanMode } from "../sprint/open-sprint.ts";
import { sprintBody, sprintRun, type SprintRun } from "../sprint/sprint-run.ts";
import type { SprintTextRequest } from "../sprint/sprint-text.ts";
import { chooseWorkAnywhere } from "./other-scopes.ts";
import { hooksOf } from "./run-hooks.ts";
import { plansOf } from "./plans.ts";
import { isBrief, type RunRequest } from "./run.ts";
import { findGates } from "./run-gates.ts";

/** The first prompt, or why there would be none. */
export type DryRun = ({ readonly kind: "prompt" } & PromptView) | Extract<Work, { kind: "nothing" }>;

/** S000-X3: exactly what would be sent. Nothing starts, and nothing changes: all of it happens in a preview. */
export async function dryRun(request: RunRequest, host: Surroundings): Promise<DryRun> {
  return await previewStore(host.cwd, async (store) => await firstPrompt(store, request, host));
}

async function firstPrompt(store: Store, request: RunRequest, host: Surroundings): Promise<DryRun> {
  const workspace = await openWorkspace(host);
  const scope = await openWorkspaceScope(workspace, request.scope);
  const repository = await checkRepository({ folder: workspace.root, env: host.env });
  try {
    return await promptOf({ store, workspace, scope }, request, { ...host, tree: repository.folder });
  } finally {
    await repository.shells?.close();
  }
}

async function promptOf(
  { store, workspace, scope }: WorkPlace,
  request: RunRequest,
  host: Surroundings & { /** The top of the working tree. */ readonly tree: string },
): Promise<DryRun> {
  const { root, config } = workspace;
  const opened = await openSprint(workspace, scope, { isStrict: request.strict });
  if (opened !== undefined) refusePlanMode(opened, request.mode);
  // Refuse what a run would refuse.
  await hooksOf(workspace, opened, host.env);
  const sprint = opened && (await sprintRun({ store, workspace, scope, sprint: opened, isReadOnly: true }));
  const own = plansOf({ store, root, tree: host.tree, scope, isReadOnly: true });
  const plans = sprint === undefined ? own : sprint.plans(own);
  const followed = await plans.follow({ editor: "person" });
  const work = await chooseWorkAnywhere({ store, workspace, scope, request, problems: followed.problems });
  if (work.kind === "nothing") return work;
  const { validationCommand } = request;
  const agents = await readAgentGates(store);
  const found = await findGates({ workspace, folder: root, validationCommand, agents });
  const mode = work.kind;
  const only = work.kind === "build" ? work.only : undefined;
  const ready = mode === "build" ? await store.ready({ scopes: [scope.key], limit: 1000 }) : [];
  const task = ready.find(({ id }) => only?.includes(id) ?? true);
  const make = createPromptMaker(workspace, scope, host);
  const { system, sections } = await make({
    mode,
    iteration: 1,
    maxIterations:
      config.limits.iterations ?? defaultIterations({ mode, tasks: work.kind === "build" ? work.size : 0 }),
    harness: config.harness[0]!,
    changeTasks: await changeStatus(store, scope),
    ...(await aboutTask(store, task, { workspace, scope, found })),
    ...(work.kind === "plan" && { words: work.words }),
    ...(mode === "build" && (await sprintBody(sprint, firstOf(sprint, task?.id)))),
  });
  const warnings = [...(isBrief(request) ? [] : scope.warnings), ...found.warnings, ...followed.problems];
  return { kind: "prompt", system, sections, warnings };
}

/** The mode and task of a sprint's first iteration. */
function firstOf(sprint: SprintRun | undefined, task: TaskId | undefined): SprintTextRequest {
  const goal = sprint?.goal?.task;
  return { iteration: 1, task, mode: goal === undefined ? undefined : task === goal ? "planning" : "executing" };
}
