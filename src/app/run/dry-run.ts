import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { chooseModel } from "../../domain/run/model-choice.ts";
import type { RunStarted } from "../../domain/run/event.ts";
import { defaultIterations, endingOf, type RunEnding } from "../../domain/run/policy.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import { readAgentGates } from "../../loop/agent-gates.ts";
import { reasonOf } from "../../loop/finish.ts";
import { hasWeak } from "../../loop/standing.ts";
import { chainsLeft, isComplete, workLeft } from "../../loop/work-left.ts";
import { refuseUnclean } from "../../lane/in-place.ts";
import type { Store } from "../../store/store.ts";
import { findTarget } from "../../system/git/landing.ts";
import { readLoan } from "../../system/git/loan.ts";
import type { Repository } from "../../system/git/repository.ts";
import { checkRepository } from "../../system/git/unfinished-operation.ts";
import { createPromptMaker, promptWarnings } from "../iteration-prompt.ts";
import { aboutTask, type PromptView } from "../prompt.ts";
import { previewStore } from "../task-store.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings } from "../workspace.ts";
import { checkHarnesses, type ReadyHarnesses } from "./check-harnesses.ts";
import { checkPrograms } from "./check-programs.ts";
import { proofWarnings } from "./check-work.ts";
import type { WorkPlace } from "./choose-work.ts";
import { changeStatus } from "./change-status.ts";
import { chooseSandboxes } from "../sandbox/choose-sandbox.ts";
import { openSprint, refusePlanMode } from "../sprint/open-sprint.ts";
import { sprintBody, sprintRun, type SprintRun } from "../sprint/sprint-run.ts";
import type { SprintTextRequest } from "../sprint/sprint-text.ts";
import { chooseWorkAnywhere } from "./other-scopes.ts";
import { laneCount } from "./lane-count.ts";
import { lentPatterns, placesFolder } from "./open-places.ts";
import { checkUnheld } from "./hold-tree.ts";
import { hooksOf } from "./run-hooks.ts";
import { permissionLines } from "./permissions.ts";
import { plansOf } from "./plans.ts";
import { isBrief, type RunRequest } from "./run-request.ts";
import { findGates } from "./run-gates.ts";

/** What would start first, with its prompt; or how the run would end without starting anything. */
export type DryRun = ({ readonly kind: "start"; readonly first: FirstStart } & PromptView) | WithoutStart;

export interface WithoutStart {
  readonly kind: "end";
  readonly ending: RunEnding;
  readonly message: string;
  readonly help: readonly string[];
}

export interface FirstStart {
  /** Undefined: the session plans. */
  readonly task?: { readonly id: TaskId; readonly title: string; readonly why: string };
  readonly harness: string;
  /** Undefined: the agent's own default. */
  readonly model: string | undefined;
  /** The folder of its lane, or of the person's tree with `--in-place`. */
  readonly place: string;
  readonly lanes: number;
  readonly gates: readonly { readonly gate: string; readonly command: string }[];
  readonly limits: RunStarted["limits"];
  /** B-08: what each agent may do without asking. */
  readonly permissions: readonly string[];
}

/**
 * S000-X3: exactly what would be started and sent, and every refusal of a run. Nothing starts, and nothing changes: all of it
 * happens in a preview.
 */
export async function dryRun(request: RunRequest, host: Surroundings): Promise<DryRun> {
  return await previewStore(host.cwd, async (store) => await firstStart(store, request, host));
}

/** S000-AC3: a prompt that cannot be made is said before an agent that is missing. */
export const checkFirstPrompt = async (request: RunRequest, host: Surroundings): Promise<unknown> =>
  await previewStore(host.cwd, async (store) => await firstStart(store, request, { ...host, isIdle: true }));

/** `isIdle`: the programs of agents and gates may be missing. */
type Host = Surroundings & { readonly isIdle?: boolean };

async function firstStart(store: Store, request: RunRequest, host: Host): Promise<DryRun> {
  const workspace = await openWorkspace(host);
  const scope = await openWorkspaceScope(workspace, request.scope);
  const repository = await checkRepository({ folder: workspace.root, env: host.env });
  const start = async (isIdle = host.isIdle === true): Promise<DryRun> =>
    await startOf({ store, workspace, scope }, request, { ...host, isIdle, repository });
  try {
    if (host.isIdle !== true) {
      await checkHarnesses(workspace, host).catch(async (error: unknown) => {
        const { kind } = await start(true);
        // Approving needs no agent.
        if (kind === "start" || request.acceptLook !== true) throw error;
      });
      await checkPrograms(workspace, host);
      await chooseSandboxes(workspace.config, host.env);
      await checkTree(repository, { workspace, scope });
    }
    return await start();
  } finally {
    await repository.shells?.close();
  }
}

/** W-07, L-01: refuses a working tree that a run could not have. */
async function checkTree(home: Repository, about: Pick<WorkPlace, "workspace" | "scope">): Promise<void> {
  const { git, lanes } = about.workspace.config;
  const target = await findTarget(home, git.branch ?? undefined);
  checkUnheld(home, target);
  // A run would first take back what a killed one left in it.
  if (!lanes.inPlace || (await readLoan(home)) !== undefined) return;
  await refuseUnclean({ home, target, inputs: lentPatterns({ home, ...about }) });
}

async function startOf(
  { store, workspace, scope }: WorkPlace,
  request: RunRequest,
  host: Host & { readonly repository: Repository },
): Promise<DryRun> {
  const { root, config } = workspace;
  const opened = await openSprint(workspace, scope, { isStrict: request.strict });
  if (opened !== undefined) refusePlanMode(opened, request.mode);
  // Refuse what a run would refuse.
  await hooksOf(workspace, opened, host.env);
  const sprint = opened && (await sprintRun({ store, workspace, scope, sprint: opened, isReadOnly: true }));
  const own = plansOf({ store, root, tree: host.repository.folder, scope, isReadOnly: true });
  const plans = sprint === undefined ? own : sprint.plans(own);
  const followed = await plans.follow({ editor: "person" });
  const work = await chooseWorkAnywhere({ store, workspace, scope, request, problems: followed.problems });
  if (work.kind === "nothing") return { kind: "end", ending: "nothing", message: work.message, help: work.help };
  const { validationCommand } = request;
  const agents = await readAgentGates(store);
  const found = await findGates({ workspace, folder: root, validationCommand, agents });
  const mode = work.kind;
  const only = work.kind === "build" ? work.only : undefined;
  const all = mode === "build" ? await readyTasks({ store, scope, only }) : [];
  if (mode === "build" && all.length === 0) {
    return await endWithout({ store, scope, only }, { acceptsLook: request.acceptLook === true });
  }
  const [task] = await inOrder(all, { store, scope, only, lanes: laneCount(config) });
  const maxIterations =
    config.limits.iterations ?? defaultIterations({ mode, tasks: work.kind === "build" ? work.size : 0 });
  const make = createPromptMaker(workspace, scope, host);
  const { system, sections } = await make({
    mode,
    iteration: 1,
    maxIterations,
    harness: config.harness[0]!,
    changeTasks: await changeStatus(store, scope),
    ...(await aboutTask(store, task, { workspace, scope, found })),
    ...(work.kind === "plan" && { words: work.words }),
    ...(mode === "build" && (await sprintBody(sprint, firstOf(sprint, task?.id)))),
  });
  const harnesses = await checkHarnesses(workspace, host);
  const demands = { isStrict: request.strict, acceptsLook: false };
  const proof = await proofWarnings({ workspace, scope, found, demands, opened: { store } }, { mode, only });
  const about = isBrief(request) ? [] : scope.warnings;
  const literal = await promptWarnings(workspace, scope, [mode]);
  const warnings = [...about, ...literal, ...found.warnings, ...proof, ...followed.problems];
  const first = {
    ...(task && { task: { id: task.id, title: task.title, why: whyFirst(all.length, laneCount(config)) } }),
    ...chosenAgent(harnesses, { mode, task }),
    place: config.lanes.inPlace ? root : join(placesFolder(host.repository, workspace, host.env), "1"),
    lanes: laneCount(config),
    gates: found.gates.map(({ id, run }) => ({ gate: id, command: run })),
    limits: limitsOf(config, maxIterations),
    permissions: permissionLines(harnesses),
  };
  return { kind: "start", system, sections, warnings, first };
}

/** Of many, the first; of those that were asked for, each. */
async function readyTasks({ store, scope, only }: Asked): Promise<readonly Task[]> {
  if (only === undefined) return await store.ready({ scopes: [scope.key], limit: 1000 });
  const tasks = await Promise.all(only.map(async (id) => await store.get(id)));
  return tasks.filter((task) => task !== undefined && (task.ready || task.retry)).map((task) => task!);
}

/** L-09: as the loop would claim them. */
async function inOrder(ready: readonly Task[], { store, scope, only, lanes }: Asked & { readonly lanes: number }) {
  if (lanes === 1) return ready;
  const chains = await chainsLeft({ deps: { store, scope: scope.key }, only });
  return ready.toSorted((one, other) => (chains.get(other.id) ?? 0) - (chains.get(one.id) ?? 0));
}

function whyFirst(ready: number, lanes: number): string {
  if (ready === 1) return "the only task that is ready";
  const rule = lanes === 1 ? "by priority, then age" : "the longest chain of tasks behind it, then priority and age";
  return `the first of ${ready} that are ready: ${rule}`;
}

interface Asked extends Pick<WorkPlace, "store" | "scope"> {
  readonly only: readonly TaskId[] | undefined;
}

/** How a run ends that finds no task to claim. The gates of its final check are not tried. */
async function endWithout(
  { store, scope, only }: Asked,
  { acceptsLook }: { readonly acceptsLook: boolean },
): Promise<WithoutStart> {
  const left = await workLeft({ deps: { store, scope: scope.key }, only });
  const isUnverified = isComplete(left) && !acceptsLook && (await hasWeak(store, scope.key));
  const ending = endingOf({ interrupted: false, brokeOff: undefined, left, isUnverified });
  return {
    kind: "end",
    ending,
    message: `No session would start. ${reasonOf(left, { isPart: only !== undefined })}`,
    help: [],
  };
}

function chosenAgent(
  { harnesses: [{ name, settings }], strategy, isModelFinal }: ReadyHarnesses,
  { mode, task }: { readonly mode: "plan" | "build"; readonly task: Task | undefined },
): Pick<FirstStart, "harness" | "model"> {
  if (isModelFinal) return { harness: name, model: settings.model ?? undefined };
  const attempts = task?.attempts ?? 0;
  const situation = { mode, attempts, wasRejected: attempts > 0, taskModel: task?.model };
  return { harness: name, model: chooseModel(strategy, settings, situation).model };
}

const limitsOf = ({ limits }: Config, iterations: number): FirstStart["limits"] => ({
  iterations,
  ...(limits.time !== null && { timeMs: limits.time }),
  ...(limits.cost !== null && { costUsd: limits.cost }),
  ...(limits.tokens !== null && { tokens: limits.tokens }),
});

/** The mode and task of a sprint's first iteration. */
function firstOf(sprint: SprintRun | undefined, task: TaskId | undefined): SprintTextRequest {
  const goal = sprint?.goal?.task;
  return { iteration: 1, task, mode: goal === undefined ? undefined : task === goal ? "planning" : "executing" };
}
