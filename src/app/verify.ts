import { taskGates } from "../domain/distinct-gates.ts";
import { type Evidence, type Gate, type GateEnd, type GateResult, inOrder } from "../domain/gate.ts";
import type { Task } from "../domain/task.ts";
import { resultFields, wasStopped } from "../loop/check.ts";
import { readAgentGates } from "../loop/agent-gates.ts";
import { taskEnv } from "../loop/naming.ts";
import type { Attempt } from "../store/store.ts";
import { wrongScope } from "./run/chosen-tasks.ts";
import { type CheckGroup, type CheckHost, type Checks, runGroups, tellSetup, withChecks } from "./run/checks.ts";
import { findGates, noGate } from "./run/run-gates.ts";
import { reading } from "./task/caller.ts";
import { openWorkspace, openWorkspaceScope, type ScopeChoice } from "./workspace.ts";

export interface VerifyRequest {
  /** Its id, or the beginning of it; undefined: the workspace. */
  readonly task?: string | undefined;
  readonly scope: ScopeChoice;
  /** In a clean checkout of HEAD. */
  readonly isClean: boolean;
  readonly validationCommand?: string | undefined;
}

/** The result of the gates. */
export interface VerifyReport {
  readonly verdict: "verified" | "failed" | "interrupted";
  /** The person's files, the last commit, or the tree on which the task was verified. */
  readonly place: "tree" | "checkout" | "proven";
  /** T-02: the gates ran on the files as they lay, and not in the room. */
  readonly isOnLane: boolean;
  /** The checked tree, and the commit it is based on. */
  readonly tree: string;
  readonly commit: string | undefined;
  readonly task: Task | undefined;
  /** The setup of a clean checkout, if configured. */
  readonly setup: CheckedGate | undefined;
  readonly gates: readonly CheckedGate[];
  /** The last recorded verdict of the task. */
  readonly recorded: RecordedVerdict | undefined;
  readonly notices: readonly string[];
}

/** A gate that ran, with its output: there is no file of it any more. */
export interface CheckedGate extends Pick<Gate, "id" | "kind"> {
  readonly command: string;
  readonly passed: boolean;
  /** The number of runs; the last one decides. */
  readonly runs: number;
  readonly durationMs: number;
  readonly end: GateEnd;
  /** The end of it. */
  readonly output: string;
}

export interface RecordedVerdict {
  readonly attempt: Attempt;
  readonly tree: string;
  readonly commit: string | undefined;
  readonly gates: readonly Evidence[];
}

/** P-23: runs the gates again, and changes nothing. */
export async function verifyWork(request: VerifyRequest, host: CheckHost): Promise<VerifyReport> {
  const workspace = await openWorkspace(host);
  const { key } = await openWorkspaceScope(workspace, request.scope);
  const isAsked = Object.values(request.scope).some((name) => name !== undefined);
  const known = request.task === undefined ? undefined : await readTask(request.task, host);
  if (isAsked && known !== undefined && known.task.scope !== key) throw wrongScope(known.task, key, "the command");
  const scope = known?.task.scope ?? key;
  const { isClean } = request;
  const again = known?.recorded;
  return await withChecks({ host, workspace, scope, isClean, again, keepsOutputs: false }, async (checks) => {
    const found = await checkInRoom(request, checks, known?.task);
    return { ...found, task: known?.task, recorded: known?.recorded };
  });
}

const readTask = (text: string, host: CheckHost) =>
  reading(host, async ({ store }) => {
    const id = await store.resolve(text);
    return { task: (await store.get(id))!, recorded: recordedIn(await store.attempts(id)) };
  });

function recordedIn(attempts: readonly Attempt[]): RecordedVerdict | undefined {
  const attempt = attempts.findLast(({ outcome, verdict }) => outcome === "verified" && verdict !== undefined);
  if (attempt?.verdict === undefined) return undefined;
  const { tree, commit, evidence } = attempt.verdict;
  // Only evidence written by the loop has gates.
  const { gates } = (evidence ?? {}) as { readonly gates?: unknown };
  return { attempt, tree, commit, gates: Array.isArray(gates) ? (gates as Evidence[]) : [] };
}

type Found = Omit<VerifyReport, "task" | "recorded">;

/** All gates in order; an error without any. */
async function groupOf(
  { validationCommand }: VerifyRequest,
  { host, workspace, root }: Checks,
  task: Task | undefined,
): Promise<CheckGroup & { readonly notices: readonly string[] }> {
  const agents = await reading(host, async ({ store }) => await readAgentGates(store));
  const found = await findGates({ workspace, folder: root, validationCommand, agents });
  const own = task === undefined ? [] : taskGates(task, workspace.config.limits.gate, found.gates);
  const gates = inOrder([...own, ...found.gates]);
  if (gates.every(({ isAgents }) => isAgents)) throw noGate(found);
  return { gates, env: task === undefined ? {} : taskEnv({ task }), notices: found.warnings };
}

/** A failed set-up means not verified. */
async function checkInRoom(request: VerifyRequest, checks: Checks, task: Task | undefined): Promise<Found> {
  const { host, root, setup, tree, head, leftOut } = checks;
  const { notices, ...group } = await groupOf(request, checks, task);
  host.announce([...(setup === undefined ? [] : [setup.gate]), ...group.gates], root);
  tellSetup(checks);
  const results = setup?.passed === false ? [] : (await runGroups(checks, [group])).flat();
  const left = leftOut.map(({ path, why }) => `${path} is not checked, because git would not commit it: ${why}`);
  return {
    verdict: verdictOf(setup === undefined ? results : [setup, ...results], host),
    isOnLane: checks.room.isLane === true,
    place: request.isClean ? "checkout" : checks.isAgain ? "proven" : "tree",
    tree,
    commit: head,
    setup: setup && checkedGate(setup),
    gates: results.map(checkedGate),
    notices: [...notices, ...left],
  };
}

function checkedGate(result: GateResult): CheckedGate {
  const { kind, run } = result.gate;
  const { gate: id, file: _, ...fields } = resultFields({ root: "" }, result);
  return { id, kind, command: run, ...fields };
}

function verdictOf(results: readonly GateResult[], host: CheckHost): VerifyReport["verdict"] {
  if (wasStopped(results, host)) return "interrupted";
  return results.every(({ passed }) => passed) ? "verified" : "failed";
}
