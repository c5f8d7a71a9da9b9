import { ratedIn } from "../domain/strength.ts";
import type { Task } from "../domain/task.ts";
import type { FleetRun } from "../store/store.ts";
import { sleep } from "../system/sleep.ts";
import type { End } from "./decide.ts";
import { formatDuration } from "../domain/duration.ts";
import { markDone } from "./plan-texts.ts";
import { type LaneState, type RunState, warn } from "./run-state.ts";
import { hasReady, workLeft } from "./work-left.ts";

/** The run as all machines know it; undefined if it has ended. Takes over usage limits that others have met (F-05). */
export async function readShared({ deps, run }: LaneState): Promise<FleetRun | undefined> {
  const { shared, accountOf } = deps.fleet!;
  const row = await shared.getRun(deps.runId);
  if (row === undefined || row.endedAt !== undefined) return undefined;
  const cooldowns = await shared.cooldowns();
  const nowMs = performance.now();
  run.cooldowns = deps.agents.map((agent, at) => {
    const own = run.cooldowns[at];
    const other = cooldowns.find((one) => one.harness === agent.name && one.account === accountOf(agent));
    const untilMs = nowMs + (other?.leftMs ?? 0);
    if (other === undefined || (own !== undefined && own.untilMs >= untilMs - 1000)) return own;
    const { why, times, message } = other;
    return { why, times, message, sinceMs: nowMs, untilMs };
  });
  return row;
}

export const OVER: End = { reason: "The run has ended" };

/** Whether a lane of this machine should look for a task now. */
export const mayClaim = async ({ deps, run }: LaneState): Promise<boolean> =>
  deps.fleet!.claims && (await hasReady(run));

/**
 * Whether this machine has to wait for others: tasks are being worked on, or are ready and wait for a worker. Returns an
 * end if no machine takes any (F-10).
 */
export async function othersWork(lane: LaneState): Promise<boolean | End> {
  const { deps, run } = lane;
  const fleet = deps.fleet!;
  // Frees tasks of machines that are gone.
  await deps.store.claim({ only: [], owner: deps.owner, leaseMs: fleet.leaseMs });
  const { isBusy, ready } = await workNow(lane);
  if (isBusy || ready === 0) run.fleet.unclaimedMs = undefined;
  if (isBusy || !fleet.isFollower) return true;
  if (ready === 0) return false;
  const sinceMs = (run.fleet.unclaimedMs ??= performance.now());
  const { reasons, isOnItsWay } = await whyNobody(lane);
  if (performance.now() - sinceMs < fleet.patienceMs) {
    const text = `No machine takes a task: ${reasons}`;
    if (isOnItsWay || performance.now() - sinceMs < SILENT_MS) return true;
    if (run.deps.told?.has(text) !== true) warn(lane, text);
    run.deps.told?.add(text);
    return true;
  }
  const span = formatDuration(fleet.patienceMs);
  return {
    brokeOff: "stuck",
    reason: `No machine took a task for ${span}: ${reasons}`,
    help: ["ralphctl worker, in a clone on a machine that can", "ralphctl fleet status"],
  };
}

/** A worker that has just started may need a moment. */
const SILENT_MS = 5000;

/** F-10: why ready tasks wait. `isOnItsWay`: some machine makes its lanes ready, or checks what landed before its first task. */
async function whyNobody({ deps }: LaneState): Promise<{ reasons: string; isOnItsWay: boolean }> {
  const members = (await deps.fleet!.shared.members()).filter(({ isLive }) => isLive);
  if (members.length === 0) return { reasons: "there is no worker", isOnItsWay: false };
  let isOnItsWay = false;
  const reasons = members.map(({ number, name, state, harnesses }) => {
    const broken = harnesses.flatMap(({ name: harness, problem }) =>
      problem === undefined ? [] : `${harness}: ${problem}`,
    );
    const cannot = (state.cannot ?? []).slice(0, 3).map(({ task, why }) => `${task}: ${why}`);
    const why = [state.problem, ...cannot, ...broken].filter((text) => text !== undefined).join("; ");
    isOnItsWay ||= why === "" && state.run === deps.runId;
    const idle = state.run === undefined ? "waits" : state.run === deps.runId ? "gets ready" : `works on ${state.run}`;
    return `worker ${number} on ${name} (${why || idle})`;
  });
  return { reasons: reasons.join(", "), isOnItsWay };
}

/** At one moment: between two looks, a task may be claimed. */
async function workNow(lane: LaneState): Promise<{ readonly isBusy: boolean; readonly ready: number }> {
  const { deps, run } = lane;
  if (run.only !== undefined)
    return { isBusy: (await tasksAtWork(lane)).length > 0, ready: (await workLeft(run)).ready };
  const [counts] = await deps.store.counts([deps.scope]);
  return { isBusy: (counts?.leaves.in_progress ?? 0) > 0, ready: (counts?.ready ?? 0) + (counts?.retry ?? 0) };
}

/** Tasks that a machine of the fleet works on. */
async function tasksAtWork({ deps, run }: LaneState): Promise<readonly Task[]> {
  const { tasks } = await deps.store.list({ scopes: [deps.scope], statuses: ["in_progress"] }, { limit: 1000 });
  return tasks.filter(({ isParent, id }) => !isParent && (run.only?.includes(id) ?? true));
}

/** For the end of the run: what other machines settled is as good as our own. */
export async function gatherSettled(lane: LaneState): Promise<void> {
  const { deps, run } = lane;
  const known = new Set(run.settled.map(({ task }) => task.id));
  for await (const task of deps.store.each({ scopes: [deps.scope], statuses: ["done"] })) {
    if (task.isParent || known.has(task.id) || run.only?.includes(task.id) === false) continue;
    const last = (await deps.store.attempts(task.id)).findLast(({ outcome }) => outcome === "verified");
    const rated = ratedIn(last?.verdict?.evidence);
    if (last?.run !== deps.runId || last.verdict === undefined || rated === undefined) continue;
    const gates = [...deps.gates.ofTask(task), ...deps.gates.gates];
    run.settled.push({ task, strength: rated.strength, tree: last.verdict.tree, gates });
    await markDone(lane, task);
  }
}

const LOOK_MS = 500;

/** Where a request came from that the follower made itself, since the run is over. */
export const BY_FOLLOWER = "the end of the run";

/** Before the run ends: other machines stop, or finish what they have begun. */
export async function awaitOthers(lane: LaneState): Promise<void> {
  const { deps, run, seat } = lane;
  const { shared, leaseMs, wake } = deps.fleet!;
  const isNow = run.end?.interrupted === true || run.end?.limit === "time" || run.end?.brokeOff !== undefined;
  const isEarly = isNow || run.end?.limit !== undefined;
  if (isEarly) await shared.request(deps.runId, isNow ? "stop" : "stop after", BY_FOLLOWER).catch(() => undefined); // it may have ended
  // Sessions that are stopped end soon, and those of machines that are gone with their lease.
  const untilMs = isNow ? performance.now() + 2 * leaseMs : Infinity;
  while (!deps.kill.aborted && performance.now() < untilMs && (await tasksAtWork(lane)).length > 0) {
    await deps.store.claim({ only: [], owner: deps.owner, leaseMs });
    await seat.aside(async () => await Promise.race([wake.next(), sleep(LOOK_MS, deps.kill)]));
  }
}

/** What the whole fleet has used and begun, for the summary. */
export async function countShared(run: RunState): Promise<void> {
  const row = await run.deps.fleet!.shared.getRun(run.deps.runId);
  if (row === undefined) return;
  run.tally = { ...run.tally, started: row.begun, costUsd: row.costUsd, tokens: row.tokens };
  run.taken.costUsd = row.costUsd > 0 ? row.costUsd : run.taken.costUsd;
  run.taken.tokens = Math.max(run.taken.tokens, row.tokens);
}
