import { posix, relative, sep } from "node:path";
import { taskGates } from "../domain/distinct-gates.ts";
import { RalphError } from "../domain/error.ts";
import { type Gate, inOrder } from "../domain/gate.ts";
import { projectFolder } from "../domain/scope-name.ts";
import type { Task } from "../domain/task.ts";
import {
  type DecidingPath,
  discoverGates,
  type Discovery,
  folderLook,
  isPackage,
  packageGates,
  partsThere,
  resolveGate,
  type Resolution,
  whyOf,
} from "../gate/gate.ts";
import { gitFolder } from "../system/git/folder.ts";
import { isApprovedAs, readAgentGates } from "../loop/agent-gates.ts";
import { readFlaky } from "../loop/flaky-gates.ts";
import { definitionName } from "../loop/proofs.ts";
import { type NeededProgram, programsFor } from "./run/check-programs.ts";
import { findGates, type FoundGates, gateFor } from "./run/run-gates.ts";
import { type Caller, reading } from "./task/caller.ts";
import { openWorkspace, type Surroundings, type Workspace } from "./workspace.ts";

/** A gate, and what decides about it. */
export interface ShownGate extends Pick<Gate, "id" | "kind" | "run">, Omit<Resolution, "decides"> {
  /** Where it is written. */
  readonly source: "auto" | "configuration" | "task";
  /** An agent wrote it, and no person has approved it. */
  readonly isAgents: boolean;
  /** An agent wrote it, and a person has approved it. */
  readonly isApproved: boolean;
  /** How often it failed and passed on the same files. */
  readonly flaky: number;
  readonly decides: readonly ShownPath[];
  /** The file that tells of it; undefined for one that is written as it is. */
  readonly at?: string | undefined;
}

export interface ShownPath extends DecidingPath {
  /** Whether the path is there now, and which of its parts. */
  readonly isThere: boolean;
  readonly there: readonly string[];
}

export interface ShownGates {
  readonly gates: readonly ShownGate[];
  readonly testFiles: readonly string[];
  readonly warnings: readonly string[];
  /** What `gates: auto` knows besides; undefined if the list is configured, or if not all gates are asked for. */
  readonly about?: AboutGates | undefined;
}

/** P-16: all that discovery found. */
export interface AboutGates extends Pick<Discovery, "leftOut" | "uncovered" | "services"> {
  /** How a fresh checkout is prepared. */
  readonly setup: { readonly command: string; readonly files: readonly string[] } | undefined;
  readonly programs: readonly NeededProgram[];
}

/** T-10: the gates of the workspace, or those that `text` names, as the files are now: of a task all. It starts nothing. */
export async function showGates(text: string | undefined, caller: Caller): Promise<ShownGates> {
  const workspace = await openWorkspace(caller);
  const { root, config } = workspace;
  const [agents, flaky] = await reading(
    caller,
    async ({ store }) => [await readAgentGates(store), await readFlaky(store)] as const,
  );
  const discovery = config.gates === "auto" ? await discoverGates(root) : undefined;
  const found = await findGates({ workspace, folder: root, agents, pinned: discovery?.gates });
  const isGate = text === undefined || found.gates.some(({ id }) => id === text);
  const folder = isGate || discovery === undefined ? undefined : await packageFolder(root, text);
  const task = isGate || folder !== undefined ? undefined : await findTask(text, caller);
  const own = task === undefined ? [] : taskGates(task, config.limits.gate, found.gates);
  const first = discovery === undefined ? [] : await firstOf({ task, folder }, workspace);
  const gates = isGate
    ? found.gates.filter(({ id }) => text === undefined || id === text)
    : [...first, ...inOrder(own), ...(task === undefined ? [] : found.gates)];
  // Files above the workspace decide, too.
  const top = gitFolder(root)?.top ?? root;
  const shown: ShownGate[] = [];
  for (const gate of gates) {
    const source = gate.kind === "task" ? "task" : found.source === "auto" ? "auto" : "configuration";
    const record = found.pinned.find(({ id }) => id === gate.id);
    const isApproved = record !== undefined && agents.some((agent) => isApprovedAs(agent, record));
    const definition = definitionName(gate, found.pinned);
    const times = flaky.find((one) => one.definition === definition)?.times ?? 0;
    const at =
      gate.kind === "workspace"
        ? [...first, ...(discovery?.gates ?? [])].find(({ id }) => id === gate.id)?.at
        : undefined;
    shown.push(
      await showGate(
        { ...gate, source, isApproved, at, flaky: times },
        { top, folder: relative(top, root).split(sep).join("/") },
      ),
    );
  }
  return {
    gates: shown,
    testFiles: config.verify.testFiles,
    warnings: discovery?.warnings ?? found.warnings,
    about: discovery && text === undefined ? await aboutGates(discovery, workspace, { found, caller }) : undefined,
  };
}

/** A folder that a person names, if it is a package of the workspace. */
async function packageFolder(root: string, text: string): Promise<string | undefined> {
  const folder = posix.normalize(text).replace(/\/$/, "");
  return (await isPackage(folderLook(root), folder)) ? folder : undefined;
}

/** The gates of a package, and for a task those that run before all others. */
async function firstOf(
  { task, folder }: { readonly task: Task | undefined; readonly folder: string | undefined },
  { root, config }: Workspace,
): Promise<readonly (Gate & Pick<ShownGate, "at">)[]> {
  const look = folderLook(root);
  const project = config.verify.packageFirst === "off" ? undefined : projectFolder(task?.scope ?? "");
  const asked = folder ?? (project !== undefined && (await isPackage(look, project)) ? project : undefined);
  const found = asked === undefined ? [] : await packageGates(look, asked);
  return found.map((gate) => Object.assign(gateFor(gate, config.limits.gate), { at: gate.at }));
}

async function aboutGates(
  discovery: Discovery,
  workspace: Workspace,
  { found, caller }: { readonly found: FoundGates; readonly caller: Caller },
): Promise<AboutGates> {
  const { gates, leftOut, uncovered, services } = discovery;
  const kept = new Set(found.gates.map(({ id }) => id));
  const notRun = gates
    .filter(({ id }) => !kept.has(id))
    .map(({ run, at = "", within, instead }) => ({
      what: run,
      at,
      why: instead === undefined ? `${within} runs it, too` : `${instead} runs instead`,
    }));
  const { setup } = workspace.config.lanes;
  return {
    leftOut: [...leftOut, ...notRun],
    uncovered,
    services,
    setup: setup === null ? discovery.setup : { command: setup, files: [] },
    programs: await programsFor(workspace, found.gates, caller),
  };
}

async function showGate(
  {
    id,
    kind,
    run,
    source,
    isApproved,
    flaky,
    at,
    isAgents = false,
  }: Gate & Pick<ShownGate, "source" | "isApproved" | "flaky" | "at">,
  { top, folder }: { readonly top: string; readonly folder: string },
): Promise<ShownGate> {
  const look = folderLook(top);
  const { decides, ...others } = await resolveGate(run, look, folder);
  const paths: ShownPath[] = [];
  for (const path of decides) {
    const parts = await partsThere(look, path);
    paths.push({ ...path, why: whyOf({ ...path, keys: parts.there }), ...parts });
  }
  return { id, kind, run, source, at, isAgents, isApproved, flaky, ...others, decides: paths };
}

async function findTask(text: string, caller: Caller): Promise<Task> {
  try {
    return await reading(caller, async ({ store }) => (await store.get(await store.resolve(text)))!);
  } catch (cause) {
    if (!(cause instanceof RalphError) || cause.about?.kind !== "no such task") throw cause;
    throw new RalphError("usage", `There is no gate and no task ${JSON.stringify(text)}`, {
      hint: "Run ralphctl gates to see the gates, and ralphctl task list to see the tasks",
      cause,
    });
  }
}

/** For completion. */
export async function gateNames(around: Surroundings): Promise<string[]> {
  const workspace = await openWorkspace(around);
  return (await findGates({ workspace, folder: workspace.root })).gates.map(({ id }) => id);
}
