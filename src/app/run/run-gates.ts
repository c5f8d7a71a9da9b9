import { distinctGates } from "../../domain/distinct-gates.ts";
import { RalphError } from "../../domain/error.ts";
import { asAgents, type Gate, keptGates, type PinnedGate } from "../../domain/gate.ts";
import { discoverGates, isPackage, type Look, packageGates, packageOf } from "../../gate/gate.ts";
import { type AgentGate, unapproved } from "../../loop/agent-gates.ts";
import type { Workspace } from "../workspace.ts";

export interface GateSearch {
  readonly workspace: Pick<Workspace, "config">;
  /** Where gates are looked for. */
  readonly folder: string;
  /** Of `--validation-command`. */
  readonly validationCommand?: string | undefined;
  /** Discovered earlier; undefined: discover now. */
  readonly pinned?: readonly PinnedGate[] | undefined;
  /** Checks that agents wrote, from the store (T-12); default: none. */
  readonly agents?: readonly AgentGate[];
  /** Of a program that uses the library. */
  readonly gates?: readonly Gate[] | undefined;
}

/** The gates that every claim of a run has to pass, whatever its task. Those that an agent wrote come last. */
export interface FoundGates {
  readonly gates: readonly Gate[];
  /** The definitions of discovered ones that no agent wrote (P-16). A configured list lies in the configuration, which is protected. */
  readonly pinned: readonly PinnedGate[];
  readonly source: "auto" | "configured";
  readonly warnings: readonly string[];
}

/** Finds the gates of the workspace and of the command line. It starts nothing. */
export async function findGates(search: GateSearch): Promise<FoundGates> {
  const { workspace, folder, validationCommand } = search;
  const { gates: setting, limits } = workspace.config;
  const command = [...commandGate(validationCommand, limits.gate), ...(search.gates ?? []).map(named)];
  if (setting !== "auto") {
    const configured = setting.map(({ id, run, timeout, retries }): Gate => {
      return { id, kind: "workspace", run, timeoutMs: timeout ?? limits.gate, retries };
    });
    return { gates: distinctGates([...configured, ...command]), pinned: [], source: "configured", warnings: [] };
  }
  const { pinned: earlier } = search;
  const { gates: pinned, warnings } =
    earlier === undefined ? await discoverGates(folder) : { gates: earlier, warnings: [] };
  const isAgents = (gate: PinnedGate): boolean => unapproved(search.agents ?? [], gate) !== undefined;
  // A gate of an agent's does not stand for a person's (T-12).
  const persons = keptGates(pinned.filter((gate) => !isAgents(gate)));
  const agents = keptGates(pinned.filter(isAgents)).map((gate) => asAgents(gateFor(gate, limits.gate)));
  const found = [...persons.map((gate) => gateFor(gate, limits.gate)), ...command, ...agents];
  return { gates: distinctGates(found), pinned: persons, source: "auto", warnings };
}

/** A discovered gate, as it is run. */
export const gateFor = ({ id, run }: PinnedGate, timeoutMs: number): Gate => ({
  id,
  kind: "workspace",
  run,
  timeoutMs,
  retries: 0,
});

/** The package of a project goes before the one in which changed files lie. */
export async function firstGates(
  {
    look,
    project,
    paths,
  }: { readonly look: Look; readonly project: string | undefined; readonly paths: readonly string[] },
  timeoutMs: number,
): Promise<readonly Gate[]> {
  const isProject = project !== undefined && (await isPackage(look, project));
  const folder = isProject ? project : await packageOf(look, paths);
  return folder === undefined ? [] : (await packageGates(look, folder)).map((gate) => gateFor(gate, timeoutMs));
}

function commandGate(run: string | undefined, timeoutMs: number): Gate[] {
  if (run === undefined) return [];
  if (run.trim() === "") {
    throw new RalphError("usage", "--validation-command is empty", { hint: 'Write --validation-command "make check"' });
  }
  return [{ id: "validation-command", kind: "command", run, timeoutMs, retries: 0 }];
}

function named(gate: Gate): Gate {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(gate.id)) return gate;
  throw new RalphError("usage", `Invalid gate id ${JSON.stringify(gate.id)}`, {
    hint: "Use letters, digits, dots, dashes and underscores, 64 at most",
  });
}

export interface ProofRequest {
  readonly workspace: Pick<Workspace, "config">;
  readonly found: FoundGates;
  /** Every open task that the run is about has a gate of its own. */
  readonly tasksHaveGates: boolean;
  readonly isStrict: boolean;
}

/** P-19: the warning if nothing can prove a claim, which `--strict` refuses. */
export function checkProof({ workspace, found, tasksHaveGates, isStrict }: ProofRequest): string | undefined {
  const { config } = workspace;
  if (found.gates.some(({ isAgents }) => isAgents !== true) || tasksHaveGates || config.verify.reviewer !== null)
    return undefined;
  if (isStrict) throw noGate(found, ", but --strict requires one");
  return `No gates (${whyNone(found)}): completed tasks stay unverified`;
}

/** There is no gate, but the command needs one. */
export const noGate = (found: FoundGates, more = ""): RalphError =>
  new RalphError("config", `No gates (${whyNone(found)})${more}`, {
    hint: found.gates.length > 0 ? "Look at them, then run ralphctl gates approve" : ADVICE,
  });

function whyNone({ source, gates }: FoundGates): string {
  if (gates.length > 0) return `${gates.map(({ id }) => id).join(", ")}: written by an agent, and not approved`;
  return source === "auto" ? "none found in the workspace" : "the configured list is empty";
}

const ADVICE =
  "Add gates to .ralph/config.yaml, such as `gates: [{ id: test, run: COMMAND }]`, or use --validation-command COMMAND";
