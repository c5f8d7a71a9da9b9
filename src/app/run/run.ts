import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import type { Gate } from "../../domain/gate.ts";
import type { RunFinished } from "../../domain/run/event.ts";
import { isSettled } from "../../domain/task.ts";
import type { RecordedEvent } from "../../domain/run/event-line.ts";
import type { Spent } from "../../domain/run/ready-changes.ts";
import { notAttended } from "../../loop/session.ts";
import { runLoop, runStep } from "../../loop/loop.ts";
import { reportFollowed } from "../../loop/session-effects.ts";
import type { Assignment, Attend, RunDeps } from "../../loop/run-deps.ts";
import { inheritedPolicy, restoreProtected } from "../../loop/inherited-policy.ts";
import { finishVerdicts } from "../../loop/recover.ts";
import { backUpUserChanges } from "../../loop/shelve.ts";
import { type OpenedTree, openWorkTree } from "../../loop/work-tree.ts";
import { switchToBranch } from "../../system/git/branch.ts";
import { checkRepository, openRepository, type Repository } from "../../system/git/repository.ts";
import { runMarker, withMarker } from "../../system/process/marker.ts";
import { newRunName } from "../../system/random-name.ts";
import { restoredText, startProgress } from "../sprint/start-progress.ts";
import { openSprint, type OpenSprint, refusePlanMode } from "../sprint/open-sprint.ts";
import { sprintRun, type SprintRun } from "../sprint/sprint-run.ts";
import { closeStore, makeCopy, openStore } from "../task-store.ts";
import {
  openWorkspace,
  openWorkspaceScope,
  type ScopeChoice,
  type Surroundings,
  type Workspace,
} from "../workspace.ts";
import { cleanUpAfterCrash } from "./crash-cleanup.ts";
import { checkHarnesses, type HarnessFlags, type ReadyHarnesses } from "./check-harnesses.ts";
import { nothingToDo, type Work, type WorkRequest } from "./choose-work.ts";
import { chooseWorkAnywhere } from "./other-scopes.ts";
import { type HeldTree, holdTree, type LeftTree } from "./hold-tree.ts";
import { hooksOf } from "./run-hooks.ts";
import { exceptions, type PartsRequest, partsOf } from "./run-deps.ts";
import { type DoorPlace, withDoor } from "./run-door.ts";
import { openRunFolder } from "./run-folder.ts";
import { inheritedGates } from "./inherited-gates.ts";
import { checkProof, findGates } from "./run-gates.ts";

export interface RunRequest extends Omit<WorkRequest, "planInterrupted"> {
  readonly scope: ScopeChoice;
  readonly validationCommand?: string | undefined;
  /** In addition to those of the workspace. */
  readonly gates?: readonly Gate[] | undefined;
  readonly strict: boolean;
  readonly allowDirty: boolean;
  /** Used up by earlier runs of the same command, which share the limits of cost, tokens and time. */
  readonly spent?: Spent | undefined;
}

/** P-02: the run is about one description, so warnings of the scope do not matter. */
export const isBrief = ({ mode, words, file }: RunRequest): boolean => mode !== "plan" && (words ?? file) !== undefined;

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
  /** A person attends, for one iteration; undefined: agents work alone, until the work is done. */
  readonly attend?: Attend | undefined;
}

/** Runs the loop over a scope's tasks, until the work is proven done or something ends it. */
export async function runWorkspace(request: RunRequest, host: RunHost): Promise<RunFinished> {
  for (let before: Before = { notices: [], crashedBeforeMs: undefined }; ;) {
    const result = await runOnce(request, host, before);
    if (!("notices" in result)) return result;
    before = result;
  }
}

/** Protected files were restored: start again. */
interface Before extends Pick<HeldTree, "crashedBeforeMs"> {
  /** Notices so far. */
  readonly notices: readonly string[];
}

async function runOnce(request: RunRequest, host: RunHost, before: Before): Promise<RunFinished | Before> {
  const workspace = await openWorkspace(host);
  const asked = await openWorkspaceScope(workspace, request.scope);
  const sprint = await openSprint(workspace, asked, { isStrict: request.strict });
  if (sprint !== undefined) refusePlanMode(sprint, request.mode);
  const warnings = isBrief(request) ? [] : asked.warnings;
  const scope = { ...asked, warnings: [...warnings, ...(sprint?.definition.warnings ?? [])] };
  const agents = await checkHarnesses(workspace, host);
  const [{ name, harness }] = agents.harnesses;
  if (host.attend !== undefined && harness.attended === undefined) throw notAttended(name);
  const hooks = await hooksOf(workspace, sprint, host.env);
  const run = newRunName(Date.now());
  // Like everything else that a run starts, git is found by its marker.
  const env = withMarker(host.env, runMarker(run));
  const here = await openRepository({ folder: workspace.root, env });
  const { gitFolder } = here;
  const planPaths = scope.planFiles.map((file) => join(workspace.root, file));
  // Before anything that can fail: the next run will not hear of earlier crashes.
  const clear = async (tree: LeftTree): Promise<string[]> => {
    try {
      return await cleanUpAfterCrash(tree, here, planPaths);
    } finally {
      await here.shells?.close();
    }
  };
  return await holdTree({ gitFolder, env: host.env, run, scope: scope.key, clear }, async (held) => {
    const repository = await ownRepository(workspace, env);
    const crashedBeforeMs = held.crashedBeforeMs ?? before.crashedBeforeMs;
    const earlier = await inheritedPolicy(repository, crashedBeforeMs);
    const notices = earlier === undefined ? [] : await restoreProtected(repository, earlier, run);
    if (notices.length > 0) {
      await repository.shells?.close();
      return { notices: [...before.notices, ...held.notices, ...held.cleared, ...notices], crashedBeforeMs };
    }
    const { validationCommand, gates } = request;
    // On the branch that the run works on: another may define other gates.
    const pinned = await inheritedGates(workspace, repository, earlier);
    const found = await findGates({ workspace, folder: workspace.root, validationCommand, gates, pinned });
    const opened = await openStore(host.cwd);
    try {
      const about = { workspace, scope, sprint, agents, found, hooks, repository, run };
      const cleared = [...before.notices, ...held.cleared];
      const locked = { ...about, request, host, held: { ...held, cleared, crashedBeforeMs }, opened };
      const place = { answer: host.answer, root: workspace.root, env };
      return await withDoor(place, async (door) => await runLocked({ ...locked, door }));
    } finally {
      await closeStore(opened);
      await repository.shells?.close();
    }
  });
}

/** Opens the repository on the requested branch. Refuses an unfinished merge or rebase. */
async function ownRepository({ root, config }: Workspace, env: RunHost["env"]): Promise<Repository> {
  const place = { folder: root, env };
  if (config.git.branch !== null) await switchToBranch(place, config.git.branch);
  return await checkRepository(place);
}

interface Locked extends Omit<PartsRequest, "folder" | "emit" | "spent" | "sprint"> {
  readonly sprint: OpenSprint | undefined;
  readonly request: RunRequest;
  readonly held: HeldTree;
}

/** Runs with the tree and store locked. Finishes the work of an earlier run first. */
async function runLocked(locked: Locked): Promise<RunFinished> {
  const { request, host, workspace, scope, found, repository, run, held, opened } = locked;
  const { folder, emit, close } = await openRunFolder(workspace.root, run, host);
  // Report this even if the run fails: the processes have already been ended.
  for (const text of held.notices) emit({ type: "run.notice", level: "warning", text });
  try {
    const sprint = await beginSprint(locked, emit);
    const asked: PartsRequest = { ...locked, folder, emit, spent: request.spent, sprint };
    const { deps, useWords } = await partsOf(asked);
    await finishVerdicts(deps);
    await makeCopy(opened);
    const { work, wasInterrupted, undone } = await openTree(locked, deps, exceptions(asked));
    const followed = await deps.plans.follow({ editor: wasInterrupted ? "agent" : "person" });
    const asking = { ...request, planInterrupted: work.planInterrupted };
    const place = { store: opened.store, workspace, scope };
    const chosen = await chooseWorkAnywhere({ ...place, request: asking, problems: followed.problems });
    if (chosen.kind === "nothing") return nothingToDo(deps, chosen);
    if (chosen.kind === "plan") useWords(chosen.words);
    reportFollowed({ deps }, followed);
    const assignment = assignmentOf(chosen, request);
    await checkPrompts(deps, assignment);
    const proof = checkProof({
      workspace,
      found,
      tasksHaveGates: await allHaveGates(asked, assignment),
      isStrict: request.strict,
    });
    const notices = [
      ...opened.notices,
      ...repository.warnings,
      ...scope.warnings,
      ...found.warnings,
      ...harnessWarnings(locked.agents, host),
      ...(proof === undefined ? [] : [proof]),
      ...(chosen.kind === "build" ? chosen.notices : []),
      ...held.cleared,
      ...undoneNotice(undone),
    ];
    try {
      return await (host.attend === undefined ? runLoop : runStep)(deps, { ...assignment, notices }, work);
    } finally {
      await deps.starter.close();
    }
  } finally {
    await close();
  }
}

/** Opens the tree. Refuses the user's changes, or backs them up. */
async function openTree(
  { request, repository, held, opened, run }: Locked,
  deps: RunDeps,
  except: readonly string[],
): Promise<OpenedTree> {
  // The unproven work of such a task may still be in the tree.
  const isOpen = async (id: string): Promise<boolean> => {
    const task = await opened.store.get(id);
    return task !== undefined && !isSettled(task.status);
  };
  const { commits } = deps.rules;
  const { gates } = deps;
  const rules = { protect: deps.rules.protect, gates: gates.discover === undefined ? undefined : gates.pinned };
  const { crashedBeforeMs } = held;
  const tree = await openWorkTree(repository, { except, isOpen, commits, crashedBeforeMs, run, rules });
  const { work, dirty, undone } = tree;
  if (undone.kept !== undefined) deps.emit({ type: "work.kept", ...undone.kept, why: "changes by gates or hooks" });
  if (dirty.length > 0 && !request.allowDirty) throw dirtyTree(dirty);
  if (dirty.length > 0) await backUpUserChanges(deps, work);
  return tree;
}

/** Starts the sprint if needed, and its goal task. */
async function beginSprint(
  { sprint, workspace, scope, opened }: Locked,
  emit: PartsRequest["emit"],
): Promise<SprintRun | undefined> {
  if (sprint === undefined) return undefined;
  const { store } = opened;
  const progress = await startProgress({ store, root: workspace.root, scope: scope.key, sprint });
  if (progress === "restored") emit({ type: "run.notice", level: "warning", text: restoredText(sprint) });
  return await sprintRun({ store, workspace, scope, sprint });
}

const undoneNotice = ({ restored }: OpenedTree["undone"]): string[] =>
  restored.length === 0
    ? []
    : [`Restored files that gates or hooks of the killed run had changed: ${restored.join(", ")}`];

function dirtyTree(dirty: readonly string[]): RalphError {
  const shown = dirty.slice(0, 10).join(", ");
  const more = dirty.length > 10 ? ` and ${dirty.length - 10} more` : "";
  return new RalphError("config", `There are uncommitted changes: ${shown}${more}`, {
    hint: "Commit or stash them, or use --allow-dirty, which never commits these files",
  });
}

/** Warnings about the agents. */
const harnessWarnings = ({ harnesses, reviewer }: ReadyHarnesses, about: Pick<RunHost, "isRoot">): string[] => {
  const all = reviewer === undefined ? harnesses : [...harnesses, reviewer];
  return [...new Set(all.flatMap(({ harness }) => harness.facts.warning?.(about) ?? []))];
};

const assignmentOf = (work: Exclude<Work, { kind: "nothing" }>, { mode }: RunRequest): Omit<Assignment, "notices"> =>
  work.kind === "plan"
    ? { mode: "plan", only: undefined, size: 0, buildsAfterPlan: mode === "auto" }
    : { mode: "build", only: work.only, size: work.size, buildsAfterPlan: false };

/** A prompt that cannot be made is found out before anything is started (S000-AC3). */
async function checkPrompts({ prompt, agents }: RunDeps, assignment: Omit<Assignment, "notices">): Promise<void> {
  const { mode, buildsAfterPlan } = assignment;
  const modes = buildsAfterPlan ? ([mode, "build"] as const) : [mode];
  const rest = { iteration: 1, maxIterations: 1, harness: agents[0].name, brief: undefined, verification: undefined };
  for (const each of modes) await prompt({ ...rest, mode: each, notes: [] });
}

/** Whether each open task of the run has a gate of its own: then nothing is unproven, even without other gates. */
async function allHaveGates(
  { opened, scope, found }: PartsRequest,
  { mode, only }: Omit<Assignment, "notices">,
): Promise<boolean> {
  if (found.gates.length > 0 || mode === "plan") return found.gates.length > 0;
  const { store } = opened;
  for await (const task of store.each({ scopes: [scope.key], statuses: ["pending", "failed", "parked"] })) {
    if (!task.isParent && (only?.includes(task.id) ?? true) && task.gates.length === 0) return false;
  }
  return true;
}
