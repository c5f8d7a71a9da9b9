import { discoverGates, folderLook } from "../../gate/gate.ts";
import { taskGates } from "../../domain/distinct-gates.ts";
import { ACTING_FILES, gitActingFiles } from "../../domain/acting-files.ts";
import { matchesAny } from "../../domain/glob.ts";
import type { Hook } from "../../domain/hook.ts";
import { mapStrings, type Redactor } from "../../domain/redact.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { nothingSpent, type Spent } from "../../domain/run/ready-changes.ts";
import type { Agent, Plans, RunDeps } from "../../loop/run-deps.ts";
import type { RunRules } from "../../loop/run-rules.ts";
import type { Scope } from "../../scope/scope.ts";
import { gatesAt } from "./gates-at.ts";
import { firstGates, type FoundGates, gateFor } from "./run-gates.ts";
import { projectFolder } from "../../domain/scope-name.ts";
import type { Environment } from "../../domain/environment.ts";
import type { Demands } from "../../domain/standing.ts";
import type { Room } from "../../lane/lane.ts";
import { findDifference } from "../../lane/room-advice.ts";
import type { Repository } from "../../system/git/repository.ts";
import type { Boxes } from "../../system/process/box.ts";
import { processIdentity } from "../../system/process/process-identity.ts";
import { addLines, contextPlace } from "../context.ts";
import { plansIn, sharedParts } from "../fleet/fleet-seat.ts";
import { createPromptMaker } from "../iteration-prompt.ts";
import { sprintBody, type SprintRun } from "../sprint/sprint-run.ts";
import { isOfFleet, type OpenedStore, renewCopy } from "../task-store.ts";
import type { Workspace } from "../workspace.ts";
import { planPatterns } from "./agent-plans.ts";
import { allPlanFiles } from "./all-plan-files.ts";
import type { ReadyHarness, ReadyHarnesses } from "./check-harnesses.ts";
import { changeStatus } from "./change-status.ts";
import { inputPatterns } from "./lane-inputs.ts";
import { openRoom } from "../../lane/open-places.ts";
import { placeSettings, placesRequest } from "./open-places.ts";
import { isElsewhere, versionsOf } from "./plan-editor.ts";
import { pageLink } from "../page/page-file.ts";
import { plansOf, treePath } from "./plans.ts";
import type { RunHost } from "./run.ts";

export interface PartsRequest {
  readonly host: RunHost;
  readonly workspace: Workspace;
  readonly scope: Scope;
  readonly agents: ReadyHarnesses;
  readonly found: FoundGates;
  readonly hooks: readonly Hook[];
  readonly home: Repository;
  readonly landing: Parameters<typeof sharedParts>[0]["landing"];
  readonly room: Room;
  /** What stands around agents, gates and set-up. */
  readonly boxes: Boxes;
  /** The environment of programs that the run starts. */
  readonly env: Environment;
  readonly run: string;
  readonly opened: OpenedStore;
  /** The socket for commands inside sessions. */
  readonly door: string | undefined;
  /** The folder of the run. */
  readonly folder: string;
  readonly emit: (event: RunEvent) => void;
  readonly redact: Redactor;
  /** Used up by earlier runs of the same command. */
  readonly spent: Spent | undefined;
  readonly demands: Pick<Demands, "isStrict" | "acceptsLook">;
  /** Undefined outside a sprint. */
  readonly sprint?: SprintRun | undefined;
}

/** Puts a run together: configuration ends here. `useWords` gives plan mode the words of the command line. */
export async function partsOf(
  request: PartsRequest,
): Promise<{ readonly deps: RunDeps; readonly useWords: (words: string | undefined) => void }> {
  const { host, workspace, scope, agents, home, landing, env, run, opened, sprint } = request;
  const { root } = workspace;
  const { store } = opened;
  const make = createPromptMaker(workspace, scope, host);
  const plans = await plansFor(request);
  let words: string | undefined;
  const [first, ...rest] = agents.harnesses;
  const deps: RunDeps = {
    runId: run,
    scope: scope.key,
    root,
    folder: request.folder,
    store,
    storeFile: store,
    home,
    target: landing.target,
    room: request.room,
    explainRoom: explainer(request),
    openTrialRoom: async (lines) => await openRoom(placesRequest({ ...request, include: lines.include })),
    owner: processIdentity(),
    agents: [agentOf(first), ...rest.map(agentOf)],
    reviewer: agents.reviewer && agentOf(agents.reviewer),
    gates: { ...gatesFor(request), ofPackage: packageFirst(request) },
    hooks: hooksFor(request),
    plans,
    goal: sprint?.goal,
    prompt: async ({ brief, sprintMode, ...asked }) => {
      const { info, kept: _, ...told } = brief ?? { info: undefined, kept: undefined, earlier: [] };
      const changeTasks = await changeStatus(store, scope);
      const own =
        asked.mode === "plan"
          ? { words }
          : await sprintBody(sprint, { ...asked, mode: sprintMode, task: info?.taskId });
      // What an earlier session printed may hold a secret that this one has no other way to see (B-05).
      const safe = mapStrings(told, request.redact) as typeof told;
      return await make({ ...safe, ...asked, changeTasks, task: info, ...own });
    },
    rules: { ...rulesOf(request), ...sprint?.rules },
    env,
    door: request.door,
    version: host.version,
    self: host.self,
    isRoot: host.isRoot,
    boxes: request.boxes,
    emit: request.emit,
    told: new Set(),
    caughtUp: host.caughtUp,
    attend: host.attend,
    ...sharedParts({ host, home, run, landing }),
    renewCopy: async () => await renewCopy(opened),
  };
  return { deps, useWords: (given) => void (words = given) };
}

function gatesFor({ found, home, workspace: { root, config } }: PartsRequest): RunDeps["gates"] {
  return {
    gates: found.gates.filter(({ isAgents }) => isAgents !== true),
    pinned: found.pinned,
    agents: found.gates.filter(({ isAgents }) => isAgents === true),
    discover: found.source === "auto" ? async (folder) => (await discoverGates(folder)).gates : undefined,
    discoverAt: async (commit) => await gatesAt(home, commit, root),
    ofTask: (task) => taskGates(task, config.limits.gate, found.gates),
    gateOf: (gate) => gateFor(gate, config.limits.gate),
  };
}

/** The gates of one package, for claims that get them first. A configured list says by itself what runs. */
function packageFirst({ found, scope, workspace: { config } }: PartsRequest): RunDeps["gates"]["ofPackage"] {
  const mode = config.verify.packageFirst;
  const project = projectFolder(scope.key);
  if (found.source !== "auto" || mode === "off" || (mode === "auto" && project === undefined)) return undefined;
  return async (root, paths) =>
    await firstGates({ look: folderLook(root), project, paths: mode === "on" ? paths : [] }, config.limits.gate);
}

function explainer({ home, workspace, env }: PartsRequest): RunDeps["explainRoom"] {
  const about = { home, root: workspace.root, env, settings: placeSettings(workspace) };
  return async (failed) => await findDifference({ ...about, ...failed });
}

function agentOf({ name, harness, settings, origins }: ReadyHarness): Agent {
  const { model, smart, fast, models } = settings;
  return { name, harness, settings, roles: { model, smart, fast }, origins, models };
}

/** F-05: in a fleet what the run began with, wherever that was. */
function moneyOf({ host, workspace, spent = nothingSpent }: PartsRequest): Pick<RunRules, "costUsd" | "tokens"> {
  const { limits } = workspace.config;
  const own = { costUsd: rest(limits.cost, spent.costUsd), tokens: rest(limits.tokens, spent.tokens) };
  const { costUsd, tokens } = host.fleet?.limits ?? own;
  return { costUsd, tokens };
}

function rulesOf(request: PartsRequest): RunRules {
  const { host, workspace, scope, agents, home, spent = nothingSpent } = request;
  const { config, root } = workspace;
  const { limits, lanes, git, verify, commit } = config;
  const inTree = treePath(home.folder, root);
  const protect = [...verify.protect, ...goalFiles(scope)];
  return {
    promise: config.promise,
    strategy: agents.strategy,
    isModelFinal: agents.isModelFinal,
    iterations: limits.iterations ?? undefined,
    minIterations: limits.minIterations,
    errors: limits.errors,
    // Whoever follows a run of a fleet has the clock.
    timeMs: host.fleet?.isFollower === false ? undefined : rest(limits.time, spent.durationMs),
    ...moneyOf(request),
    attempts: limits.attempts,
    iterationsPerTask: limits.iterationsPerTask,
    noProgress: limits.noProgress,
    newTasks: limits.newTasks,
    conflicts: limits.conflicts,
    exclusiveGates: lanes.exclusiveGates,
    longestWaitMs: longestWait(workspace, host.env),
    session: {
      inactivityMs: limits.inactivity,
      wallMs: limits.attempt,
      graceMs: limits.grace,
      patienceMs: limits.retryPatience,
    },
    keepsProcesses: config.processes.keep,
    specsDirs: scope.specsDirs,
    setup: placeSettings(workspace).setup,
    protect: protect.map(inTree),
    protectNew: [...OWN_FILES, ...goalFiles(scope)].filter((path) => matchesAny(protect, path)).map(inTree),
    acting: [...ACTING_FILES, ...gitActingFiles(home.config.toString(), home.folder), ...ACTING_FILES.map(inTree)],
    actingOld: hookFiles(config).map(inTree),
    workflows: workflowLists(config).map((folders) => folders.map(inTree)),
    notWork: [...exceptions({ workspace, scope, home }), inTree("AGENTS.md")],
    inputs: inputPatterns(scope).map(inTree),
    commits: git.commit,
    maxFileBytes: git.maxFile,
    together: verify.together === "on",
    allow: commit.allow.map(inTree),
    testFiles: verify.testFiles.map(inTree),
    tests: verify.tests,
    applyFixes: verify.applyFixes,
    extraMs: verify.extra,
    demands: { ...request.demands, allowsUnverified: verify.allowUnverified },
  };
}

/** The plan files of a scope. */
export async function plansFor(request: PartsRequest): Promise<Plans> {
  const { host, workspace, scope, home, opened, landing, sprint } = request;
  const { store } = opened;
  const tree = home.folder;
  const ofAllScopes = await allPlanFiles(store, { workspace, surroundings: host, tree });
  const { target } = landing;
  const plans = plansOf({
    store,
    root: workspace.root,
    tree,
    scope,
    env: home.env,
    versions: async (path) => await versionsOf(home, target, path),
    isElsewhere: async () => await isElsewhere(home, target),
    agents: {
      run: request.run,
      patterns: planPatterns(workspace.config.plan),
      newTasks: workspace.config.limits.newTasks,
    },
    ofAllScopes,
  });
  return plansIn(sprint === undefined ? plans : sprint.plans(plans), host.fleet);
}

/** Agents must not change the goal of their sprint. */
const goalFiles = ({ sprint }: Scope): string[] => (sprint === undefined ? [] : [`${sprint}/SPRINT.yaml`]);

type RunConfig = PartsRequest["workspace"]["config"];

/** Settings of ralphctl, which take effect by being there. */
const OWN_FILES = [".ralph/config.yaml", ".worktreeinclude"];

/** Workflows and scripted agents run on the person's machine: a change of one needs the person's word. */
const hookFiles = (config: RunConfig): string[] => [
  ...workflowLists(config).flatMap((folders) => folders.map((folder) => `${folder}/**`)),
  ...Object.values(config.harnesses).flatMap(({ script }) => script ?? []),
];

const workflowLists = ({ workflows, plugins }: RunConfig): (readonly string[])[] => [
  workflows,
  ...Object.values(plugins).map((folder) => [folder]),
];

const rest = (limit: number | null, spent: number): number | undefined =>
  limit === null ? undefined : Math.max(0, limit - spent);

/** Files whose changes are no work: plan files and ralphctl's own state. */
function exceptions(request: Pick<PartsRequest, "workspace" | "scope" | "home">): string[] {
  const inTree = treePath(request.home.folder, request.workspace.root);
  return [".ralph/**", ...request.scope.planFiles].map(inTree);
}

/** How long a run waits for a usage limit, in ms; 0 in CI unless configured (P-43). */
export function longestWait(
  { config, lookup }: Pick<Workspace, "config" | "lookup">,
  env: Readonly<Record<string, string | undefined>>,
): number {
  const isUnset = lookup("limits.wait").origin.kind === "default";
  return isUnset && isSet(env["CI"]) ? 0 : config.limits.wait;
}

/** Some say `CI=false` to have a job behave like a person's terminal. */
const isSet = (value = ""): boolean => !["", "0", "false"].includes(value.trim().toLowerCase());

const hooksFor = ({ hooks, redact, host, workspace, opened }: PartsRequest): RunDeps["hooks"] => ({
  hooks,
  redact,
  link: async (task) => await pageLink(task, host),
  tell: async (key, lines) =>
    await addLines(await contextPlace(workspace, key), lines, isOfFleet(host.env) ? opened.store : undefined),
});
