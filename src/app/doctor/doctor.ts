import { type DoctorOptions, type Finding, ok, refused, warning } from "./finding.ts";
import { harnessFindings } from "./harnesses.ts";
import { laneFindings } from "./lanes.ts";
import { machineFindings } from "./machine.ts";
import { sandboxFindings } from "./sandbox.ts";
import { taskFindings } from "./tasks.ts";
import { folderLook, nodeManager, nodeSetup } from "../../gate/gate.ts";
import { describeDifference, hasLines } from "../../lane/room-advice.ts";
import { type RoomTrial, tryRoom } from "../try-room.ts";
import { createPromptMaker } from "../iteration-prompt.ts";
import type { CheckHost } from "../run/checks.ts";
import { missingText, programsFor } from "../run/check-programs.ts";
import { checkProof, findGates, noGate } from "../run/run-gates.ts";
import { type Caller, reading } from "../task/caller.ts";
import { readAgentGates } from "../../loop/agent-gates.ts";
import { isTrustGiven, requireTrust, reviewTrust } from "../trust/trust.ts";
import { openWorkspace, openWorkspaceScope, type Workspace } from "../workspace.ts";
import { gitFolder } from "../../system/git/folder.ts";
import { treeMarker } from "../../system/process/marker.ts";
import { marked } from "../../system/process/sweep.ts";
import { readTreeLock } from "../../system/tree-lock.ts";

export type { Finding } from "./finding.ts";

/** Checks machine, configuration, tasks, gates and agents. Read-only. */
export async function runDoctor(caller: Caller, about: DoctorOptions): Promise<Finding[]> {
  const machine = await machineFindings(caller);
  const workspace = await openWorkspace(caller).catch((error: unknown) => refused("configuration", error));
  if ("level" in workspace) {
    // Without a workspace there are no tasks either: report that once.
    const tasks = (await taskFindings(caller)).filter(({ message }) => message !== workspace.message);
    return [...machine, workspace, ...tasks];
  }
  if (about.probe !== undefined) await requireTrust(workspace, caller);
  return [
    ...machine,
    ok("configuration", `The configuration of ${workspace.root} is valid`),
    ...(await trustFindings(workspace, caller)),
    ...(await taskFindings(caller)),
    await prompts(workspace, caller),
    ...(await gates(workspace, about, caller)),
    ...(await harnessFindings(workspace, { ...about, env: caller.env })),
    ...(await sandboxFindings(workspace.config, caller.env)),
    ...leftoverFindings(workspace),
    ...(await laneFindings(caller)),
  ];
}

/** B-01: nothing, if the repository's files start and set nothing, or are trusted whatever they say. */
async function trustFindings(workspace: Workspace, caller: Caller): Promise<Finding[]> {
  const { env } = caller;
  try {
    if (isTrustGiven(caller)) return [];
    const { changes, isTrusted } = await reviewTrust(workspace, env, { agents: true });
    if (changes.length === 0) return [];
    if (isTrusted) return [ok("trust", "You have trusted the programs and settings of this repository")];
    const message = "You have not trusted the programs and settings of this repository's files";
    return [warning("trust", message, "Look at them, and say yes: ralphctl trust")];
  } catch (error) {
    return [refused("trust", error)];
  }
}

/** Without a task: reading one would open the store, and copying the store leaves a trace. */
async function prompts(workspace: Workspace, caller: Caller): Promise<Finding> {
  try {
    const make = createPromptMaker(workspace, await openWorkspaceScope(workspace, {}), caller);
    const about = { iteration: 1, maxIterations: 1, harness: workspace.config.harness[0]!, earlier: [], notes: [] };
    for (const mode of ["plan", "build"] as const) await make({ ...about, mode });
    return ok("prompts", "The prompts are valid");
  } catch (error) {
    return refused("prompts", error);
  }
}

async function gates(workspace: Workspace, { probe }: DoctorOptions, caller: Caller): Promise<Finding[]> {
  // The checks of the tasks name what is wrong with the store, and its notices.
  const quiet = { ...caller, notice: () => undefined };
  const agents = await reading(quiet, async ({ store }) => await readAgentGates(store)).catch(() => []);
  const found = await findGates({ workspace, folder: workspace.root, agents });
  const none = checkProof({ workspace, found, tasksHaveGates: false, isStrict: false });
  if (none !== undefined) return [warning("gates", none, noGate(found).hint)];
  if (probe !== undefined && found.gates.length > 0) return await probeGates(workspace, probe);
  const names = found.gates.map(({ id, isAgents }) => (isAgents === true ? `${id} (written by an agent)` : id));
  const missing = (await programsFor(workspace, found.gates, caller)).filter(({ isThere }) => !isThere);
  if (missing.length > 0) {
    return missing.map((one) => ({ level: "problem", check: "gates", message: missingText([one]), fix: one.fix }));
  }
  const told = await notInstalled(workspace);
  return [...told, ok("gates", names.length === 0 ? "A reviewer is the only gate" : `Gates: ${names.join(", ")}`)];
}

/** Lanes and the room install their own. */
async function notInstalled({ root }: Workspace): Promise<Finding[]> {
  const look = folderLook(root);
  const manager = await nodeManager(look);
  const isThere = (await look.has("node_modules")) || (await look.has(".pnp.cjs"));
  if (manager.locks.length === 0 || isThere) return [];
  const message = "node_modules is missing, so gates fail in your working tree";
  return [warning("gates", message, `Run ${nodeSetup(manager)}, if you run gates there`)];
}

/** T-02: runs the gates in the room, and says what they miss there. */
async function probeGates(workspace: Workspace, host: CheckHost): Promise<Finding[]> {
  try {
    return trialFindings(await tryRoom(workspace, host));
  } catch (error) {
    return [refused("gates", error)];
  }
}

function trialFindings({ gates: results, difference, lines, failedSetup, changed }: RoomTrial): Finding[] {
  const findings = results
    .filter(({ id }) => difference?.gates.includes(id) !== true)
    .map(({ id, command, passed }) =>
      passed ? ok("gates", `The gate ${id} passes`) : warning("gates", `The gate ${id} fails`, `Run ${command}`),
    );
  if (difference !== undefined) {
    const { message, fix } = describeDifference({ ...difference, lines });
    findings.push({ level: "problem", check: "gates", message, fix });
  } else if (failedSetup !== undefined) {
    const message = `Set-up fails in a fresh checkout: ${failedSetup}`;
    findings.push({
      level: "problem",
      check: "gates",
      message,
      fix: "Set lanes.setup to the command that prepares it",
    });
  } else if (hasLines(lines)) {
    const { fix } = describeDifference({ ...NOTHING_DIFFERS, lines });
    findings.push(warning("gates", "The gates start without their cache in every proof", fix));
  }
  if (changed.length > 0) {
    const message = `The gates changed files in your working tree: ${changed.slice(0, 10).join(", ")}`;
    findings.push(warning("gates", message, "Look at them: git diff"));
  }
  return findings;
}

const NOTHING_DIFFERS = { gates: [], failedSetup: undefined, missing: [], variables: [] };

/** Finds processes that a killed run left running in this working tree. */
export function leftoverFindings({ root }: Pick<Workspace, "root">): Finding[] {
  const git = gitFolder(root);
  // Without a repository there were no runs.
  const holder = git && readTreeLock(git.own);
  if (git === undefined || holder === undefined) return [ok("processes", "No active run, no stray processes")];
  const { run, left, isAlive, owner } = holder;
  if (isAlive) return [ok("processes", `Run ${run} is active (process ${owner.pid})`)];
  const pids = [...left, run].flatMap((each) => marked(treeMarker(each, git.own)));
  if (pids.length === 0) return [ok("processes", `Run ${run} was killed, and left no stray processes`)];
  const message = `Run ${run} was killed, and left processes running: ${pids.join(", ")}`;
  return [warning("processes", message, "Run ralphctl stop to end them")];
}
