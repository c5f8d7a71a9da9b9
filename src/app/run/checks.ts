import { join } from "node:path";
import type { Gate, GateResult } from "../../domain/gate.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { type CheckDeps, runChecks } from "../../loop/check.ts";
import { checkInside } from "../../system/folder.ts";
import { keepContents } from "../../system/git/restore.ts";
import { checkRepository, type Repository } from "../../system/git/repository.ts";
import { gateNotices, revertGateChanges, saveTree } from "../../loop/take-back.ts";
import { changesBetween, snapshot, type Snapshot } from "../../system/git/snapshot.ts";
import { runMarker, withMarker } from "../../system/process/marker.ts";
import { newRunName } from "../../system/random-name.ts";
import { inTemporaryFolder } from "../../system/temporary-folder.ts";
import type { Caller } from "../task/caller.ts";
import type { Workspace } from "../workspace.ts";
import { repairAfterCrash } from "./crash-cleanup.ts";
import { holdTree, type LeftTree } from "./hold-tree.ts";
import { programEnv } from "./program-env.ts";

/** The world of gates that a person has run, without a loop. */
export interface CheckHost extends Caller {
  readonly emit: (event: RunEvent) => void;
  /** W-06: called before anything is started, with all that will be. */
  readonly announce: (commands: readonly Gate[], folder: string) => void;
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
  /** How ralphctl itself is started. */
  readonly self: readonly [file: string, ...args: string[]];
}

/** Everything that gates need. */
export interface Checks {
  readonly host: CheckHost;
  readonly workspace: Workspace;
  readonly repository: Repository;
  readonly run: string;
  /** The scope key. */
  readonly scope: string;
  /** Where outputs go. */
  readonly outputs: string;
}

export interface ChecksRequest extends Pick<Checks, "host" | "workspace" | "scope"> {
  /** Evidence names them; otherwise they are gone afterwards. */
  readonly keepsOutputs: boolean;
}

/** Holds the working tree for checks: none while a run has it (75). */
export async function withChecks<Result>(
  { host, workspace, scope, keepsOutputs }: ChecksRequest,
  action: (checks: Checks) => Promise<Result>,
): Promise<Result> {
  const run = newRunName(Date.now());
  const repository = await checkRepository({ folder: workspace.root, env: withMarker(host.env, runMarker(run)) });
  const kept = join(workspace.root, ".ralph", "runs", run);
  const act = async (outputs: string): Promise<Result> =>
    await action({ host, workspace, repository, run, scope, outputs });
  const { gitFolder } = repository;
  try {
    // The next run no longer hears of one that was killed before us.
    const clear = async ({ left }: LeftTree) => (left.length > 0 ? await repairAfterCrash(repository) : []);
    return await holdTree({ gitFolder, env: host.env, run, scope, clear }, async ({ cleared, notices }) => {
      for (const sentence of [...notices, ...cleared]) host.notice(sentence);
      if (!keepsOutputs) return await inTemporaryFolder("gates", act);
      await checkInside(workspace.root, kept);
      return await act(kept);
    });
  } finally {
    await repository.shells?.close();
  }
}

/** Gates that know the same of a task. */
export interface CheckGroup {
  readonly gates: readonly Gate[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs one group after the other. Results are in the order of the groups. Starts nothing after a stop. */
export async function runGroups(
  { host, repository, run, scope, outputs }: Checks,
  groups: readonly CheckGroup[],
  root: string,
): Promise<GateResult[][]> {
  const env = await programEnv({ env: host.env, self: host.self, repository, run, scope, root });
  const deps: CheckDeps = { runId: run, root, env, emit: host.emit, stop: host.stop, kill: host.kill };
  const results: GateResult[][] = [];
  for (const [index, { gates, env: about }] of groups.entries()) {
    const name = `gates-${index}`;
    results.push(await runChecks(deps, gates, { cwd: root, outputFolder: join(outputs, name), env: about, name }));
  }
  return results;
}

/** Runs gates on the working tree, and reverts their changes to existing files. */
export async function checkTree(checks: Checks, groups: readonly CheckGroup[]) {
  const { host, workspace, repository } = checks;
  const proven = await snapshot(repository);
  await keepContents(repository, proven);
  const all = groups.flatMap(({ gates }) => gates);
  host.announce(all, workspace.root);
  const results = await runGroups(checks, groups, workspace.root);
  const kept = await keepMeanwhile(checks, proven);
  const undone = await revertGateChanges(repository, proven);
  return { results, proven, notices: [...gateNotices(undone), ...(undone.restored.length > 0 ? kept : [])] };
}

/** Saves changes made while the gates ran: a person's edits cannot be told from a gate's. */
async function keepMeanwhile({ repository, run }: Checks, base: Snapshot): Promise<string[]> {
  const now = await snapshot(repository, base);
  const isChanged = (await changesBetween(repository, base, now)).some(({ kind }) => kind !== "added");
  if (!isChanged) return [];
  const saved = await saveTree(repository, { base, now }, { run, name: "gates", subject: "Changes while gates ran" });
  return saved === undefined
    ? []
    : [`If you changed them yourself meanwhile, your version is saved: git show ${saved.ref}`];
}

/** Whether gates were stopped before they could say anything. */
export const wasStopped = (results: readonly GateResult[], { stop }: CheckHost): boolean =>
  stop.aborted || results.some(({ runs }) => runs.at(-1)?.end.kind === "stopped");
