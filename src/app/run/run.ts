import { readAgentGates } from "../../loop/agent-gates.ts";
import { join } from "node:path";
import type { RunFinished } from "../../domain/run/event.ts";
import type { RecordedEvent } from "../../domain/run/event-line.ts";
import { nothingKnown } from "../../domain/run/run-finished.ts";
import { SEVERAL } from "../../domain/scope-name.ts";
import { isSettled } from "../../domain/task.ts";
import { notAttended } from "../../loop/session.ts";
import { runLoop, runStep, runWorker } from "../../loop/loop.ts";
import { reportFollowed } from "../../loop/session-effects.ts";
import type { Attend, RunDeps } from "../../loop/run-deps.ts";
import { finishVerdicts } from "../../loop/recover.ts";
import { wasPlanningKilled } from "../../loop/rescue.ts";
import type { LanePlaces } from "../../loop/work-in-lanes.ts";
import { readLanding } from "../../system/git/landing.ts";
import { openRepository } from "../../system/git/repository.ts";
import { snapshot, type Snapshot } from "../../system/git/snapshot.ts";
import { returnLoan } from "../../lane/return-loan.ts";
import { nameTree } from "../../system/git/tree.ts";
import { withRun } from "../../system/process/marker.ts";
import { makeSessionBin } from "../../system/process/session-path.ts";
import { newRunName } from "../../system/random-name.ts";
import { boxesOf } from "../sandbox/boxes.ts";
import { beginProbes, chooseSandboxes, enginesOf, type ChosenSandboxes } from "../sandbox/choose-sandbox.ts";
import { openSprint, type OpenSprint, refusePlanMode } from "../sprint/open-sprint.ts";
import { beginSprint } from "../sprint/begin-sprint.ts";
import { type FleetSeat, hostIn, inFleet, landingFor } from "../fleet/fleet-seat.ts";
import { requireTrust } from "../trust/trust.ts";
import { closeStore, makeCopy, openStore } from "../task-store.ts";
import { redactorOf } from "../redactor.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings } from "../workspace.ts";
import { cleanUpAfterCrash } from "./crash-cleanup.ts";
import { laneCount } from "./lane-count.ts";
import { checkAgents } from "./check-agents.ts";
import { promptWarnings } from "../iteration-prompt.ts";
import { checkPrompts, type Chosen, modesOf, proofWarnings } from "./check-work.ts";
import type { HarnessFlags } from "./check-harnesses.ts";
import { harnessWarnings } from "./harness-warnings.ts";
import { removeUnstarted } from "./ad-hoc-task.ts";
import { type NothingToDo, nothingToDo, type Work } from "./choose-work.ts";
import { chooseWorkAnywhere } from "./other-scopes.ts";
import { type HeldTree, holdTarget, holdTree, type LeftTree } from "./hold-tree.ts";
import { depsOfTask } from "./deps-of-task.ts";
import { moreChanges } from "./more-changes.ts";
import { binFolder, lentPatterns, openPlaces, type Places } from "./open-places.ts";
import { onlyApproves } from "./only-approves.ts";
import { notifyTargets } from "./notify-hooks.ts";
import { planEditor } from "./plan-editor.ts";
import { programEnv } from "./program-env.ts";
import { hooksOf } from "./run-hooks.ts";
import { type PartsRequest, partsOf } from "./run-deps.ts";
import { type DoorPlace, withDoor } from "./run-door.ts";
import { isBrief, type RunRequest } from "./run-request.ts";
import { permissionLines } from "./permissions.ts";
import { openRunFolder } from "./run-folder.ts";
import { findGates } from "./run-gates.ts";
import { firstRunLines, notIncluded, spaceNotices } from "./run-opening.ts";
import { uncommittedGates } from "./uncommitted-gates.ts";

/** The host of a run: surroundings, listeners and interrupts. */
export interface RunHost extends Surroundings {
  readonly emit: (recorded: RecordedEvent) => void;
  /** Resolves when all listeners have caught up; undefined when they have. */
  readonly caughtUp?: (() => Promise<void> | undefined) | undefined;
  readonly interrupts: { readonly stop: AbortSignal; readonly kill: AbortSignal };
  /** How ralphctl itself is started. */
  readonly self: readonly [file: string, ...args: string[]];
  readonly isRoot: boolean;
  /** Of ralphctl. */
  readonly version: string;
  /** Additional harnesses by name. */
  readonly harnesses?: HarnessFlags["harnesses"];
  /** Runs a command that was typed inside a session. */
  readonly answer?: DoorPlace["answer"];
  /** F-03: the run is one of a fleet. */
  readonly fleet?: FleetSeat | undefined;
  /** A person attends, for one iteration; undefined: agents work alone, until the work is done. */
  readonly attend?: Attend | undefined;
}

/** Runs the loop over a scope's tasks, until the work is proven done or something ends it. */
export async function runWorkspace(request: RunRequest, given: RunHost): Promise<RunFinished> {
  const host = hostIn(given);
  const workspace = await openWorkspace(host);
  const asked = await openWorkspaceScope(workspace, request.scope);
  const sprint = await openSprint(workspace, asked, { isStrict: request.strict });
  if (sprint !== undefined) refusePlanMode(sprint, request.mode);
  await requireTrust(workspace, host, { sprint, agents: true });
  const warnings = [...(isBrief(request) ? [] : asked.warnings), ...notifyTargets(workspace, host.env).notices];
  const scope = { ...asked, warnings: [...warnings, ...(sprint?.definition.warnings ?? [])] };
  beginProbes(workspace.config, host.env);
  const count = laneCount(workspace.config);
  const isIdle = request.acceptLook === true && sprint === undefined && (await onlyApproves(request, host, scope.key));
  const agents = await checkAgents(request, workspace, { ...host, isIdle });
  const sandboxes = await chooseSandboxes(workspace.config, host.env);
  const [{ name, harness }] = agents.harnesses;
  if (host.attend !== undefined && harness.attended === undefined) throw notAttended(name);
  const hooks = await hooksOf(workspace, sprint, host.env);
  const run = host.fleet?.run ?? newRunName(Date.now());
  // Like everything else that a run starts, git is found by its marker.
  const env = withRun(host.env, run, workspace.root);
  const home = await openRepository({ folder: workspace.root, env });
  const planPaths = scope.planFiles.map((file) => join(workspace.root, file));
  const shown = request.more !== undefined && count > 1 ? SEVERAL : scope.key;
  const { stop } = host.interrupts;
  const clear = async (tree: LeftTree): Promise<string[]> => await cleanUpAfterCrash(tree, home, planPaths);
  try {
    const { gitFolder } = home;
    const engines = enginesOf(sandboxes);
    return await holdTree({ gitFolder, env: host.env, stop, run, scope: shown, clear, engines }, async (held) => {
      const opened = inFleet(await openStore(host.cwd, host.env), host.fleet);
      try {
        // Before anything looks at the branch: a killed session may have committed to it.
        const isOpen = async (id: string): Promise<boolean> =>
          !isSettled((await opened.store.get(id))?.status ?? "done");
        const inputs = lentPatterns({ home, workspace, scope });
        const { inPlace } = workspace.config.lanes;
        const returned = await returnLoan({ home, run, inputs, isOpen, inPlace });
        const found = await landingFor(home, { branch: workspace.config.git.branch, run }, host.fleet);
        const landing = { ...found, notices: [...returned, ...found.notices] };
        const boxes = boxesOf(sandboxes, { workspace, home, host });
        const about = { workspace, scope, sprint, agents, hooks, home, landing, run, count, sandboxes, boxes };
        // Commands inside sessions are the run's: they know the fleet, and sessions do not.
        const place = { answer: host.answer, root: workspace.root, env: withRun(given.env, run, workspace.root), run };
        return await holdTarget({ home, target: landing.target, stop, run, scope: shown }, async (lock) => {
          const leave = (): void => [lock, held].forEach((each) => each.leave());
          return await withDoor(place, async (door) =>
            runHeld({ ...about, request, host, held: { ...held, leave }, opened, door }),
          );
        });
      } finally {
        await closeStore(opened);
      }
    });
  } finally {
    await home.shells?.close();
  }
}

interface Held extends Omit<
  PartsRequest,
  "folder" | "emit" | "redact" | "spent" | "demands" | "sprint" | "env" | "room" | "found"
> {
  readonly sprint: OpenSprint | undefined;
  readonly request: RunRequest;
  readonly held: HeldTree;
  /** How many lanes may work at once. */
  readonly count: number;
  readonly sandboxes: ChosenSandboxes;
}

/** Runs while no other run has the working tree. Finishes the work of an earlier run first. */
async function runHeld(about: Held): Promise<RunFinished> {
  const { host, workspace, run, held } = about;
  const { folder, emit, close, redact } = await openRunFolder(workspace.root, run, {
    emit: host.emit,
    leave: held.leave,
    fleet: host.fleet,
    redactor: async (onHidden) => await redactorOf({ workspace, home: about.home, onHidden }),
  });
  const { fleet } = host;
  if (fleet?.isFollower === true) fleet.fleet.tell.say = (text) => emit({ type: "run.notice", level: "warning", text });
  // Report this even if the run fails: the processes have already been ended.
  for (const text of held.notices) emit({ type: "run.notice", level: "warning", text });
  try {
    const bin = binFolder(about.home, workspace, host.env);
    const scope = about.scope.key;
    const env = await programEnv({ env: host.env, self: host.self, bin, run, scope, root: workspace.root });
    const freshenBin = async (): Promise<unknown> => await makeSessionBin(bin, host.self);
    const places = await openPlaces({ ...about, env, folder, emit, freshenBin });
    try {
      return await runInPlaces({ ...about, env, folder, emit, redact, places });
    } finally {
      await places.close();
    }
  } finally {
    await close();
  }
}

async function runInPlaces(
  about: Held & Pick<PartsRequest, "env" | "folder" | "emit" | "redact"> & { readonly places: Places },
): Promise<RunFinished> {
  const { request, workspace, scope, home, held, opened, landing, places } = about;
  const { validationCommand, gates } = request;
  const { tree } = await nameTree(home, landing.head, []);
  const [{ root: roomRoot }, { changed }] = await Promise.all([
    places.room.enter({ head: landing.head, tree }, { isReadOnly: true }),
    snapshot(home),
  ]);
  const agents = await readAgentGates(opened.store);
  const found = await findGates({ workspace, folder: roomRoot, validationCommand, gates, agents });
  const sprint = await beginSprint(about, about.emit);
  const demands = { isStrict: request.strict, acceptsLook: request.acceptLook === true };
  const asked: PartsRequest = { ...about, room: places.room, found, spent: request.spent, demands, sprint };
  const { deps: own, useWords } = await partsOf(asked);
  const { more } = request;
  const isCrashed = held.crashedBeforeMs !== undefined;
  const deps =
    more === undefined || about.count === 1
      ? own
      : { ...own, nextScope: moreChanges(asked, { ...more, isCrashed }, own) };
  // Of a fleet, the loop looks for them again and again.
  if (deps.fleet === undefined) await finishVerdicts({ deps, depsOf: depsOfTask(asked, deps) });
  await makeCopy(opened);
  const editor = await planEditor(deps, { isCrashed });
  const followed = await deps.plans.follow({ editor });
  const place = { store: opened.store, workspace, scope };
  const asking = { ...request, planInterrupted: await wasPlanningKilled(deps, places.lane) };
  const job = about.host.fleet?.job;
  const chosen: Work =
    job === undefined
      ? await chooseWorkAnywhere({ ...place, request: asking, problems: followed.problems })
      : { kind: "build", only: job.only, size: 0, notices: [] };
  if (chosen.kind === "nothing") return nothingToDo(deps, chosen);
  if (chosen.kind === "plan") useWords(chosen.words);
  reportFollowed({ deps }, followed);
  try {
    return await runChosen({ ...about, asked, deps, chosen, changed });
  } catch (error) {
    if (chosen.kind === "build" && chosen.made !== undefined) await removeUnstarted(opened.store, chosen.made);
    throw error;
  }
}

interface ChosenRun extends Held {
  readonly places: Places;
  readonly asked: PartsRequest;
  readonly deps: RunDeps;
  readonly chosen: Exclude<Work, NothingToDo>;
  /** The person's changes that no commit has. */
  readonly changed: Snapshot["changed"];
}

/** Refuses what cannot be proven or asked, and starts the loop. */
async function runChosen(about: ChosenRun): Promise<RunFinished> {
  const { request, host, workspace, scope, home, held, opened, landing, places, asked, deps, chosen, changed } = about;
  const { found } = asked;
  const assignment = assignmentOf(chosen, request);
  await checkPrompts(deps, assignment);
  const proof = await proofWarnings(asked, assignment);
  const notices = [
    ...opened.notices,
    ...home.warnings,
    ...scope.warnings,
    ...(await promptWarnings(workspace, scope, modesOf(assignment))),
    ...found.warnings,
    // In place, the person's own files are proven.
    ...(found.source === "auto" && places.lane.number > 0 ? await uncommittedGates(home, workspace.root) : []),
    // They are about sessions without a person.
    ...(host.attend === undefined ? await harnessWarnings(about.agents, host, workspace) : []),
    ...proof,
    ...(chosen.kind === "build" ? chosen.notices : []),
    ...held.cleared,
    ...landing.notices,
    ...(await spaceNotices(places.lane)),
  ];
  const head = (await readLanding(home, landing.target)) ?? landing.head;
  const { lane } = places;
  const info = [
    ...(host.attend === undefined ? permissionLines(about.agents) : []),
    ...about.sandboxes.lines,
    ...firstRunLines(landing, { commits: deps.rules.commits, lane, count: about.count }),
  ];
  await host.fleet?.begin(assignment, deps.rules);
  const loop = host.fleet?.isFollower === false ? workForOther : host.attend === undefined ? runLoop : runStep;
  const opening = { head, notices, info, notIncluded: notIncluded(changed, deps.rules) };
  return await loop(deps, { ...assignment, ...opening }, lanePlaces(about));
}

/** What a worker did is part of a run that others report. */
async function workForOther(...[deps, ...rest]: Parameters<typeof runWorker>): Promise<RunFinished> {
  const { reason, interrupted, brokeOff } = await runWorker(deps, ...rest);
  const ending = interrupted === true ? "interrupted" : brokeOff === undefined ? "complete" : "failure";
  return { ...nothingKnown, mode: "build", reason, ending };
}

const lanePlaces = ({ workspace, places, count }: Held & { readonly places: Places }): LanePlaces => ({
  first: { lane: places.lane, asRoom: workspace.config.verify.in === "tree" ? places.room : undefined },
  count,
  gates: workspace.config.lanes.exclusiveGates ? 1 : workspace.config.lanes.gates,
  open: places.openLane,
  openRoom: places.openRoom,
  hasSpace: async () => (await spaceNotices(places.lane)).length === 0,
  others: places.otherLanes,
});

const assignmentOf = (work: Exclude<Work, { kind: "nothing" }>, { mode }: RunRequest): Chosen =>
  work.kind === "plan"
    ? { mode: "plan", only: undefined, size: 0, buildsAfterPlan: mode === "auto" }
    : { mode: "build", only: work.only, size: work.size, buildsAfterPlan: false };
