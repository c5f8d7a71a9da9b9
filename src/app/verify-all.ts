import { type Check, type DecayFinding, isBroken } from "../domain/decay.ts";
import { taskGates } from "../domain/distinct-gates.ts";
import type { GateResult } from "../domain/gate.ts";
import type { Task } from "../domain/task.ts";
import { discoverGates } from "../gate/gate.ts";
import { readAgentGates } from "../loop/agent-gates.ts";
import { explainRed } from "../loop/decay.ts";
import { isElsewhere } from "../loop/elsewhere.ts";
import type { DecayDeps } from "../loop/look-at-commit.ts";
import { lookAtNewest, type RedCheck } from "../loop/search-culprit.ts";
import type { Store } from "../store/store.ts";
import { firstParentLine, type CommitLine, resolveSince } from "../system/git/line.ts";
import { type CheckHost, type Checks, tellingWarnings, withChecks } from "./run/checks.ts";
import { markTask } from "./run/plans.ts";
import { findGates, type FoundGates, noGate } from "./run/run-gates.ts";
import { writing } from "./task/caller.ts";
import { askedScopeKey, openWorkspace, type ScopeChoice } from "./workspace.ts";

export interface VerifyAllRequest {
  readonly scope: ScopeChoice;
  /** The search for a culprit ends at this commit. */
  readonly since?: string | undefined;
  readonly validationCommand?: string | undefined;
}

/** Called before each run of a gate. */
export type OnProgress = (
  step:
    | { readonly kind: "check"; readonly check: Check; readonly number: number; readonly of: number }
    | { readonly kind: "search"; readonly check: Check; readonly commit: string },
) => void;

export interface VerifyAllReport {
  readonly verdict: "holds" | "broken" | "interrupted";
  readonly commit: string;
  readonly tree: string;
  /** T-02: the gates ran on the files as they lay, and not in the room. */
  readonly isOnLane: boolean;
  /** Where the search ended; undefined: nobody asked for that. */
  readonly since: string | undefined;
  /** How many tasks are done, and how many checks ran. */
  readonly tasks: number;
  readonly checks: number;
  readonly findings: readonly DecayFinding[];
  /** L-28: tasks whose gates did not run, because HEAD does not have their work. */
  readonly elsewhere: readonly Pick<Task, "id" | "title">[];
  readonly notices: readonly string[];
}

/** T-30: checks on HEAD that everything that was proven still holds, and finds out what broke the rest. */
export async function verifyAll(
  request: VerifyAllRequest,
  host: CheckHost,
  onProgress: OnProgress,
): Promise<VerifyAllReport> {
  const workspace = await openWorkspace(host);
  const key = await askedScopeKey(workspace, request.scope);
  const isClean = workspace.config.verify.in !== "tree";
  const about = { host, workspace, scope: key ?? "workspace", isClean, keepsOutputs: false };
  return await withChecks(about, async (checks) => {
    const { home, head } = checks;
    const since = request.since === undefined ? undefined : await resolveSince(home, head, request.since);
    const line = await firstParentLine(home, head, since);
    return await writing(host, async ({ store }) => {
      const { validationCommand } = request;
      const agents = await readAgentGates(store);
      const found = await findGates({ workspace, folder: checks.root, validationCommand, agents });
      const owed = await checksOwed({ checks, store, found, key, line });
      const isOnLane = checks.room.isLane === true;
      const report = { commit: head, tree: checks.tree, isOnLane, since, tasks: owed.tasks, elsewhere: owed.elsewhere };
      const answer = await checkAll({ checks, store, found, line, onProgress }, owed.list);
      return { ...report, ...answer, checks: owed.list.length, notices: [...found.warnings, ...agentsNotices(found)] };
    });
  });
}

const agentsNotices = ({ gates }: FoundGates): string[] =>
  gates.filter(({ isAgents }) => isAgents).map(({ id }) => `Gate ${id} is written by an agent, and not approved`);

interface Owed {
  readonly checks: Checks;
  readonly store: Store;
  readonly found: FoundGates;
  /** The scope key; undefined: all. */
  readonly key: string | undefined;
  readonly line: CommitLine;
}

/** The gates of the workspace, and those of each task that is done. */
async function checksOwed({ checks, store, found, key, line }: Owed) {
  const { workspace, home, head } = checks;
  const list: Check[] = found.gates.map((gate) => ({ gate, task: undefined }));
  const elsewhere: Task[] = [];
  const here = new Set(line.commits.map(({ id }) => id));
  const scopes = key === undefined ? {} : { scopes: [key] };
  let tasks = 0;
  // As a run counts them: the parts of a parent without gates decide about it.
  for await (const _ of store.done(scopes)) tasks += 1;
  for await (const task of store.each({ statuses: ["done"], ...scopes })) {
    if (task.gates.length === 0) continue;
    if (await isElsewhere({ home, store }, task.id, { head, known: here })) elsewhere.push(task);
    else list.push(...taskGates(task, workspace.config.limits.gate, found.gates).map((gate) => ({ gate, task })));
  }
  if (list.every(({ gate }) => gate.isAgents)) throw noGate(found);
  return { tasks, elsewhere, list };
}

interface Opened extends Pick<Owed, "checks" | "store" | "found" | "line"> {
  readonly onProgress: OnProgress;
}

type Answer = Pick<VerifyAllReport, "verdict" | "findings">;

async function checkAll(opened: Opened, list: readonly Check[]): Promise<Answer> {
  const { checks, store, line, onProgress } = opened;
  const { host, root, workspace, setup } = checks;
  if (setup?.passed === false) {
    const verdict = host.stop.aborted ? "interrupted" : "broken";
    return { verdict, findings: host.stop.aborted ? [] : [failedSetup(setup)] };
  }
  const deps = depsOf(opened);
  const named = list.map(({ gate, task }) => (task === undefined ? gate : { ...gate, id: `${task.id} ${gate.id}` }));
  host.announce(named, root);
  const red: RedCheck[] = [];
  const commit = { ...line.commits.at(-1)!, tree: checks.tree };
  for (const [index, check] of list.entries()) {
    onProgress({ kind: "check", check, number: index + 1, of: list.length });
    const answer = await lookAtNewest(deps, check, commit);
    if (answer === "stopped" || host.stop.aborted) return { verdict: "interrupted", findings: [] };
    if (answer !== "holds") red.push(answer);
  }
  const onLook = (check: Check, { id }: { readonly id: string }): void =>
    onProgress({ kind: "search", check, commit: id });
  const { findings, reopened, isStopped } = await explainRed(deps, red, { line, onLook });
  for (const task of reopened) {
    for (const problem of (await markTask({ store, root: workspace.root }, task, "is")).problems) host.notice(problem);
  }
  const verdict = isStopped ? "interrupted" : findings.some(isBroken) ? "broken" : "holds";
  return { verdict, findings };
}

/** The room runs set-up only if lock files changed, so older commits would not show who broke it. */
const failedSetup = (result: GateResult): DecayFinding => ({
  check: { gate: result.gate, task: undefined },
  result,
  kind: "unchecked",
  candidates: [],
  skipped: [],
  action: "none",
});

function depsOf({ checks, store, found }: Opened): DecayDeps {
  const { host, home, room, run, outputs, workspace, env } = checks;
  const isAuto = found.source === "auto";
  const discover = async (folder: string) => (await discoverGates(folder)).gates;
  return {
    runId: run,
    root: workspace.root,
    env,
    ...tellingWarnings(host),
    stop: host.stop,
    kill: host.kill,
    home,
    room,
    folder: outputs,
    store,
    gates: { pinned: found.pinned, discover: isAuto ? discover : undefined },
  };
}

/** The end of the output of a red run. */
export const outputOf = ({ runs }: GateResult): string => {
  const output = runs.at(-1)?.output;
  return output === undefined ? "" : output.tail || output.head;
};
