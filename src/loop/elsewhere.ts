import type { Task, TaskId } from "../domain/task.ts";
import { rejectionReport } from "../domain/verdict-report.ts";
import type { Claim } from "../store/store.ts";
import { isAncestor, refsWith } from "../system/git/ref.ts";
import { checkLanding } from "./check-landing.ts";
import { landedAt, rememberLanded } from "./landed-at.ts";
import { claimTask } from "./lease.ts";
import { taskEnv } from "./naming.ts";
import type { RunDeps } from "./run-deps.ts";
import { type LaneState, tell, warn } from "./run-state.ts";
import { chainsLeft } from "./work-left.ts";

// L-28: working trees share the tasks, but each has its own branch. A task is ready only where the work that it needs is.

/** Claims the next ready task of the run, or of `among`, whose prerequisites have landed here. */
export async function claimHere(lane: LaneState, among = lane.run.only): Promise<Claim | undefined> {
  const { deps, run } = lane;
  const elsewhere = await stillElsewhere(lane);
  for (;;) {
    const only = elsewhere.size === 0 ? among : await readyOthers(lane, elsewhere, among);
    const claim = only?.length === 0 ? undefined : await claimNext(lane, only);
    if (claim === undefined) return undefined;
    const missing = await missingHere(lane, claim.task);
    if (missing === undefined) return claim;
    const reason = `${claim.task.id} needs ${missing}, which landed on another branch and not on this one`;
    await deps.store.release(claim.lease, reason);
    elsewhere.add(claim.task.id);
    if (!run.elsewhere.has(claim.task.id)) warn(lane, reason);
    run.elsewhere.add(claim.task.id);
  }
}

/** Each claim is recorded as an attempt, so a task that was found elsewhere is not claimed again to find out. */
async function stillElsewhere(lane: LaneState): Promise<Set<TaskId>> {
  const { deps, run } = lane;
  for (const id of run.elsewhere) {
    const task = await deps.store.get(id);
    if (task === undefined || (await missingHere(lane, task)) === undefined) run.elsewhere.delete(id);
  }
  return new Set(run.elsewhere);
}

/** L-09: several lanes begin with the longest chain of tasks, so that it does not end last. */
async function claimNext(lane: LaneState, only: readonly TaskId[] | undefined): Promise<Claim | undefined> {
  const { run, iteration } = lane;
  if (run.lanes > 1) {
    const chains = await chainsLeft(run);
    const ready = await readyOthers(lane, new Set(), only);
    const lengthOf = (id: TaskId): number => chains.get(id) ?? 0;
    const [first] = ready.toSorted((one, other) => lengthOf(other) - lengthOf(one));
    const claim = first === undefined ? undefined : await claimTask(lane, { only: [first], iteration });
    if (claim !== undefined) return claim;
  }
  return await claimTask(lane, { only, iteration });
}

async function readyOthers(
  { deps }: LaneState,
  except: ReadonlySet<TaskId>,
  among: readonly TaskId[] | undefined,
): Promise<TaskId[]> {
  const ready = await deps.store.ready({ scopes: [deps.scope], limit: 1000 });
  return ready.map(({ id }) => id).filter((id) => !except.has(id) && (among?.includes(id) ?? true));
}

async function missingHere(lane: LaneState, { needs }: Task): Promise<TaskId | undefined> {
  const { deps, run } = lane;
  for (const id of needs) {
    const landed = await landedAt(deps.store, id);
    if (landed === undefined || (await isAncestor(deps.home, landed.commit, run.landing))) continue;
    if (await isElsewhere(deps, id, { head: run.landing })) return id;
    if (!(await stillHolds(lane, id))) return id;
  }
  return undefined;
}

/** The commit is on no branch any more, as after a squash merge: the task's own gates decide once. */
async function stillHolds(lane: LaneState, id: TaskId): Promise<boolean> {
  const { deps, run } = lane;
  const task = await deps.store.get(id);
  const gates = task?.status === "done" ? deps.gates.ofTask(task) : [];
  const results =
    gates.length === 0
      ? []
      : await checkLanding(deps, { commit: run.landing, gates, name: `again-${id}`, env: taskEnv({ task: task! }) });
  const red = results.find(({ passed }) => !passed);
  if (deps.stop.aborted) return false;
  if (red === undefined) {
    await rememberLanded(lane, id, run.landing);
    return true;
  }
  await deps.store.change(id, { kind: "reset", reason: rejectionReport([{ kind: "gate", result: red }]) }, "loop");
  deps.emit({ type: "tasks.changed", change: "reopened", tasks: [{ id, title: task!.title }] });
  tell(lane, `${id} was done, but its commit is gone and its gate ${red.gate.id} fails: reopened`);
  return false;
}

/** L-28: whether a task landed on another branch that still exists, and not in the history of this commit. */
export async function isElsewhere(
  { home, store }: Pick<RunDeps, "home" | "store">,
  task: TaskId,
  { head, known }: { readonly head: string; /** Commits that are in it. */ readonly known?: ReadonlySet<string> },
): Promise<boolean> {
  const commit = (await landedAt(store, task))?.commit;
  if (commit === undefined || known?.has(commit) === true || (await isAncestor(home, commit, head))) return false;
  return (await refsWith(home, commit, BRANCHES)).length > 0;
}

const BRANCHES = ["refs/heads", "refs/ralph/target"];
