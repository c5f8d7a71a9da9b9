import { formatDuration } from "../domain/duration.ts";
import { isOlder, nextCooldown, type Cooldown, type CooldownInput } from "../domain/run/next-agent.ts";
import { OUTCOME_RULES } from "../domain/run/outcome.ts";
import { advance, remedy } from "../domain/run/policy.ts";
import type { Task } from "../domain/task.ts";
import type { Claim } from "../store/store.ts";
import { endWithout } from "./agent-out.ts";
import type { Judged } from "./attempt.ts";
import { modelSetting, nextTurn } from "./choose-agent.ts";
import { type End, waitFor } from "./decide.ts";
import { runHooks, runParkedHooks } from "./hooks.ts";
import type { Agent } from "./run-deps.ts";
import { recordIteration } from "./record.ts";
import type { AbsentReviewer } from "./review.ts";
import { addUsage, busyIn, type LaneState, timeLeftMs, warn } from "./run-state.ts";
import { rememberSettled, restoreMark, type Settled } from "./settle.ts";
import type { SessionEnd } from "./session.ts";
import { spendShared } from "./share.ts";
import { absentReviewer } from "./verify.ts";
import { hasReady } from "./work-left.ts";

/** Step 10: reports and counts the iteration, runs hooks, waits for agents. Returns an end if it was the last. */
export async function after(
  lane: LaneState,
  judged: Judged<Claim | undefined>,
  settled: Settled,
): Promise<End | undefined> {
  const { deps, run } = lane;
  const { claim, agent, claimCheck, session } = judged;
  const finished = recordIteration(lane, judged, settled);
  deps.emit(finished);
  const { costUsd = 0, tokens, fingerprint } = judged;
  run.tally = advance(run.tally, {
    about: claim?.task.id ?? "plan",
    outcome: settled.outcome,
    costUsd,
    tokens,
    fingerprint,
    isKnownOutage: settled.outcome === "outage" && isOlder(run.cooldowns[deps.agents.indexOf(agent)], judged),
  });
  run.counted += OUTCOME_RULES[settled.outcome].isIteration ? 1 : 0;
  run.reserved.delete(lane);
  await spendShared(lane, { costUsd, tokens });
  addUsage(run, judged);
  lane.hint = judged.said.nextModel;
  lane.lateNotes = [];
  if (claim !== undefined) lane.noted = { task: claim.task.id, notes: judged.record.notes ?? [] };
  rememberSettled(lane, judged, settled);
  await deps.renewCopy();
  await runHooks(lane, finished);
  if (claimCheck?.review === "answered") run.reviewerCooldown = undefined;
  const absent = claimCheck && absentReviewer(claimCheck);
  // The agent's session was fine, even if the reviewer could not work.
  const outcome = absent === undefined ? settled.outcome : "unfinished";
  const end =
    (await afterSession(lane, { ...judged, agent, outcome, session, task: claim?.task })) ??
    (absent && (await afterAbsentReviewer(lane, absent)));
  return end ?? (await handleNoProgress(lane, judged, settled));
}

export interface SessionResult {
  readonly agent: Agent;
  readonly outcome: Settled["outcome"];
  readonly session: Pick<SessionEnd, "outcome" | "sessionId" | "isUnanswered">;
  readonly task?: Pick<Task, "id" | "model"> | undefined;
  readonly model?: string | undefined;
  readonly iteration: number;
  /** By the monotonic clock. */
  readonly startedMs: number;
}

/** Ends the run, changes the agent or waits, depending on how the session ended. */
export async function afterSession(lane: LaneState, result: SessionResult): Promise<End | undefined> {
  const { deps, run } = lane;
  const { agent, outcome, session } = result;
  if (outcome === "failure") {
    const where = `iteration ${result.iteration}${session.sessionId === undefined ? "" : `, session ${session.sessionId}`}`;
    return { brokeOff: "failure", reason: `The agent promised FAILURE (${where}): no further iteration could help` };
  }
  const nowMs = performance.now();
  const place = deps.agents.indexOf(agent);
  if (session.isUnanswered !== true) run.worked.add(agent);
  const fate = {
    outcome,
    ended: session.outcome,
    startedMs: result.startedMs,
    asked: modelSetting(agent, result.model, result.task),
    about: result.task?.id,
    isUnanswered: session.isUnanswered,
    hasNeverWorked: !run.worked.has(agent),
  };
  const before = run.cooldowns[place];
  const cooldown = nextCooldown(before, withChance(fate, nowMs));
  run.cooldowns = run.cooldowns.map((existing, at) => (at === place ? cooldown : existing));
  await shareCooldown(lane, agent, { before, cooldown });
  if (cooldown === undefined) {
    run.waitedMs = 0;
    return undefined;
  }
  const turn = nextTurn(lane, nowMs);
  if (turn.fromMs > nowMs) {
    return await waitForAgent(lane, deps.agents[turn.agent]!, run.cooldowns[turn.agent]!);
  }
  // Its limit has ended already; or the session that met it first has said so.
  if (turn.agent === place || isOlder(before, fate)) return undefined;
  const other = deps.agents[turn.agent]!.name;
  warn(lane, `${agent.name} is paused ${spanOf(cooldown, nowMs)}; ${other} takes over`);
  return undefined;
}

interface CooldownChange {
  readonly before: Cooldown | undefined;
  readonly cooldown: Cooldown | undefined;
}

/** F-05: one machine's usage limit spares the others the same answer. */
async function shareCooldown({ deps }: LaneState, agent: Agent, { before, cooldown }: CooldownChange): Promise<void> {
  const { fleet } = deps;
  if (fleet === undefined || (cooldown ?? before)?.why !== "limit") return;
  const { why, times, message, untilMs } = cooldown ?? { untilMs: 0 };
  const shared = cooldown && { why: why!, times: times!, message: message!, forMs: untilMs - performance.now() };
  await fleet.shared.cool(fleet.accountOf(agent), agent.name, shared);
}

const withChance = (fate: Omit<CooldownInput, "nowMs" | "wallMs" | "chance">, nowMs: number): CooldownInput => ({
  ...fate,
  nowMs,
  wallMs: Date.now(),
  chance: Math.random(),
});

/**
 * P-20: work stays in the tree until the reviewer is available, and the loop waits for it as for an agent. Each retry
 * costs a session that claims the work again, so the limit on harness errors in a row also limits these retries.
 */
async function afterAbsentReviewer(lane: LaneState, { reviewer, ...fate }: AbsentReviewer): Promise<End | undefined> {
  const { run } = lane;
  const cooldown = nextCooldown(run.reviewerCooldown, withChance(fate, performance.now()));
  run.reviewerCooldown = cooldown;
  if (cooldown === undefined) return undefined;
  const { times, message } = cooldown;
  if (times >= run.deps.rules.errors && cooldown.untilMs !== Infinity) {
    const often = times === 1 ? "" : ` ${times} times in a row`;
    return { brokeOff: "errors", reason: `The reviewer gave no answer${often}: ${message}` };
  }
  const end = await waitForAgent(lane, reviewer, cooldown);
  return end && { ...end, reason: `The reviewer is not available. ${end.reason}` };
}

function spanOf({ untilMs, message, asked }: Cooldown, nowMs: number): string {
  const span = untilMs === Infinity ? "the rest of the run" : formatDuration(Math.max(untilMs - nowMs, 1000));
  return `for ${span} (${asked === undefined ? "" : `model "${asked.model}", ${asked.where}: `}${message})`;
}

/** All agents are cooling down, and this one is available first. */
async function waitForAgent(lane: LaneState, agent: Agent, cooldown: Cooldown): Promise<End | undefined> {
  const { deps, run } = lane;
  const { why, untilMs, message } = cooldown;
  const end = endWithout(agent, cooldown);
  if (end !== undefined) return end;
  const waitMs = untilMs - performance.now();
  const leftMs = timeLeftMs(run) ?? Infinity;
  if (why === "limit") {
    // Adds up all waits: a limit without an end time can occur again and again.
    const isLonger = run.waitedMs + Math.max(waitMs, 0) > deps.rules.longestWaitMs;
    const limit = isLonger ? "wait" : waitMs > leftMs ? "time" : undefined;
    if (limit !== undefined) {
      const may = limit === "wait" ? "wait" : "last";
      const reason = `The usage limit resets later than the run may ${may}: ${message}`;
      return { limit, reason };
    }
    const isFirst = !run.isWaiting;
    const from = performance.now();
    await waitFor(lane, waitMs, "limit");
    if (isFirst) run.waitedMs += performance.now() - from;
  }
  if (why === "outage" && run.tally.errorsInARow < deps.rules.errors) {
    await waitFor(lane, Math.min(waitMs, leftMs), "outage");
  }
  // A person may have ended the wait.
  const over = { ...cooldown, untilMs: Math.min(untilMs, performance.now()) };
  run.cooldowns = run.cooldowns.map((each) => (each === cooldown ? over : each));
  return undefined;
}

/** L-08: a session in another lane may have met a limit of the agent that would be next here. */
export async function awaitAgent(lane: LaneState): Promise<End | undefined> {
  const nowMs = performance.now();
  const { agent, fromMs } = nextTurn(lane, nowMs);
  const isAlone = lane.run.lanes === 1 && lane.deps.fleet === undefined;
  if (isAlone || fromMs <= nowMs) return undefined;
  return await waitForAgent(lane, lane.deps.agents[agent]!, lane.run.cooldowns[agent]!);
}

/** P-42: if a task makes no progress, tries another model, then asks a person. */
async function handleNoProgress(
  lane: LaneState,
  { claim, model }: Judged<Claim | undefined>,
  settled: Settled,
): Promise<End | undefined> {
  const { deps, run } = lane;
  if (claim === undefined) return undefined;
  const isGoal = claim.task.id === deps.goal?.task; // D-12 has the rule for goals
  const isOpen = settled.task?.status === "pending" && !isGoal;
  if (!isOpen || !OUTCOME_RULES[settled.outcome].isIteration) return undefined;
  const action = remedy(run.tally, claim.task.id, deps.rules.noProgress);
  if (action === "another-model") run.avoid.set(claim.task.id, { model });
  if (action !== "park") return undefined;
  const times = deps.rules.noProgress;
  const same = `${times} iterations in a row ended with the same files and results`;
  const question = `${same}. What is in the way?`;
  const task = await deps.store.change(claim.task.id, { kind: "park", question }, "loop");
  deps.emit({ type: "tasks.changed", change: "parked", tasks: [{ id: task.id, title: task.title }] });
  await restoreMark(lane, task);
  await runParkedHooks(lane);
  // What other lanes work on may make more tasks ready. A change goes on, too, when another one has unblocked it.
  if (busyIn(run).length > 1 || (await hasReady(run))) return undefined;
  return { brokeOff: "stuck", reason: `${same}, and nothing else is ready` };
}
