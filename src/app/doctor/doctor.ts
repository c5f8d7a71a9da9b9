import { verifyWork } from "../verify.ts";
import type { CheckHost } from "../run/checks.ts";
import { checkProof, findGates, noGate } from "../run/run-gates.ts";
import { createPromptMaker } from "../iteration-prompt.ts";
import type { Caller } from "../task/caller.ts";
import { openWorkspace, openWorkspaceScope, type Workspace } from "../workspace.ts";
import type { CheckUp } from "./check-up.ts";
import { type Finding, ok, refused } from "./finding.ts";
import { harnessFindings } from "./harnesses.ts";
import { leftoverFindings } from "./leftovers.ts";
import { machineFindings } from "./machine.ts";
import { taskFindings } from "./tasks.ts";

export type { Finding } from "./finding.ts";

/** Looks for everything that is not as it must be, and changes nothing. */
export async function checkUp(caller: Caller, about: CheckUp): Promise<Finding[]> {
  const machine = await machineFindings(caller);
  const workspace = await openWorkspace(caller).catch((error: unknown) => refused("configuration", error));
  if ("level" in workspace) {
    // Without a workspace there are no tasks either, and that is said once.
    const tasks = (await taskFindings(caller)).filter(({ message }) => message !== workspace.message);
    return [...machine, workspace, ...tasks];
  }
  return [
    ...machine,
    ok("configuration", `The configuration of ${workspace.root} is valid`),
    ...(await taskFindings(caller)),
    await prompts(workspace, caller),
    ...(await gates(workspace, about)),
    ...(await harnessFindings(workspace, { ...about, env: caller.env })),
    ...leftoverFindings(workspace),
  ];
}

/** Without any task: that would take the store, and whoever copies it leaves a trace. */
async function prompts(workspace: Workspace, caller: Caller): Promise<Finding> {
  try {
    const make = createPromptMaker(workspace, await openWorkspaceScope(workspace, {}), caller);
    const about = { iteration: 1, maxIterations: 1, harness: workspace.config.harness[0]!, earlier: [], notes: [] };
    for (const mode of ["plan", "build"] as const) await make({ ...about, mode });
    return ok("prompts", "The prompts can be made");
  } catch (error) {
    return refused("prompts", error);
  }
}

async function gates(workspace: Workspace, { probe }: CheckUp): Promise<Finding[]> {
  const found = await findGates({ workspace, folder: workspace.root });
  const none = checkProof({ workspace, found, tasksHaveGates: false, isStrict: false });
  if (none !== undefined) return [{ level: "warning", check: "gates", message: none, fix: noGate(found).hint }];
  if (probe !== undefined && found.gates.length > 0) return await probeGates(probe);
  const names = found.gates.map(({ id }) => id);
  return [ok("gates", names.length === 0 ? "A reviewer is the only gate" : `Gates: ${names.join(", ")}`)];
}

async function probeGates(host: CheckHost): Promise<Finding[]> {
  try {
    const report = await verifyWork({ scope: {}, isClean: false }, host);
    return report.gates.map(({ id, command, passed }) =>
      passed
        ? ok("gates", `The gate ${id} passes`)
        : { level: "warning", check: "gates", message: `The gate ${id} fails`, fix: `Run ${command}` },
    );
  } catch (error) {
    return [refused("gates", error)];
  }
}
