import { formatDuration } from "../domain/duration.ts";
import type { AgentOutcome } from "../domain/agent-event.ts";
import { nextAgent, nextCooldown, type Cooldown, type CooldownInput } from "../domain/run/next-agent.ts";
import { type IterationOutcome, OUTCOME_RULES } from "../domain/run/outcome.ts";
import { advance, remedy } from "../domain/run/policy.ts";
import type { Claim } from "../store/store.ts";
import type { Judged } from "./attempt.ts";
import { type End, waitFor } from "./decide.ts";
import { runHooks, runParkedHooks } from "./hooks.ts";
import type { Agent } from "./run-deps.ts";
import { recordIteration } from "./record.ts";
import type { AbsentReviewer } from "./review.ts";
import { addUsage, elapsedMs, type LaneState, type RunState, warn } from "./run-state.ts";
import { rememberSettled, restoreMark, type Settled } from "./settle.ts";
import type { SessionEnd } from "./session.ts";
import { absentReviewer } from "./verify.ts";
import { hasReady } from "./work-left.ts";

/** Step 10: reports and counts the iteration, and draws the conclusions. An end: it was the last iteration. */
export async function after<Assigned extends Claim | undefined>(
  lane: LaneState,
  judged: Judged<Assigned>,
  settled: Settled,
): Promise<End | undefined> {
  const { deps, run } = lane;
  const { claim, agent, verified, session } = judged;
  const finished = recordIteration(lane, judged, settled);
  deps.emit(finished);
  count(run, { ...judged, outcome: settled.outcome });
  lane.hint = judged.said.nextModel;
  if (claim !== undefined) lane.noted = { task: claim.task.id, notes: judged.record.notes ?? [] };
  rememberSettled(lane, judged, settled);
  await deps.renewCopy();
  await runHooks(lane, finished);
  if (settled.needsPerson !== undefined) return { brokeOff: "person", reason: settled.needsPerson };
  if (verified?.review === "answered") run.reviewerCooldown = undefined;
  const absent = verified && absentReviewer(verified);
  // A session that came to a claim was a good one, whatever became of its review.
  const outcome = absent === undefined ? settled.outcome : "unfinished";
  const end = (await afterSession(lane, { agent, outcome, session })) ?? (absent && (await afterAbsence(lane, absent)));
  return end ?? (await moveOn(lane, judged, settled));
}

function count(run: RunState, judged: Pick<Judged, "outcome" | "costUsd" | "tokens" | "isEstimated" | "fingerprint">) {
  const { outcome, costUsd = 0, tokens, fingerprint } = judged;
  run.tally = advance(run.tally, { outcome, costUsd, tokens, fingerprint });
  addUsage(run, judged);
}

export interface SessionResult {
  readonly agent: Agent;
  readonly outcome: Settled["outcome"];
  readonly session: Pick<SessionEnd, "outcome" | "sessionId">;
}

/** What the way a session ended means for the run, whatever its mode. */
export async function afterSession(lane: LaneState, result: SessionResult): Promise<End | undefined> {
  const { deps, run } = lane;
  const { agent, outcome, session } = result;
  if (outcome === "failure") {
    const where = `iteration ${run.tally.started}${session.sessionId === undefined ? "" : `, session ${session.sessionId}`}`;
    return { brokeOff: "failure", reason: `The agent promised FAILURE (${where}): no further iteration could help` };
  }
  const nowMs = performance.now();
  const place = deps.agents.indexOf(agent);
  const cooldown = nextCooldown(run.cooldowns[place], fateOf(outcome, session.outcome, nowMs));
  run.cooldowns = run.cooldowns.map((one, at) => (at === place ? cooldown : one));
  if (cooldown === undefined) {
    run.waitedMs = 0;
    return undefined;
  }
  const turn = nextAgent(run.cooldowns, nowMs);
  if (turn.fromMs > nowMs) {
    return await waitForAgent(lane, deps.agents[turn.agent]!, run.cooldowns[turn.agent]!);
  }
  if (turn.agent === place) return undefined; // its limit is over already
  const other = deps.agents[turn.agent]!.name;
  warn(lane, `${agent.name} pauses ${spanOf(cooldown, nowMs)}; ${other} takes over`);
  return undefined;
}

const fateOf = (outcome: IterationOutcome, ended: AgentOutcome, nowMs: number): CooldownInput => ({
  outcome,
  ended,
  nowMs,
  wallMs: Date.now(),
  chance: Math.random(),
});

/**
 * P-20: work that nobody could review waits in the tree, and its reviewer is waited for as an agent is. Each further try
 * costs a session that claims it again, so that there are as many as harness errors in a row.
 */
async function afterAbsence(lane: LaneState, { reviewer, outcome, ended }: AbsentReviewer): Promise<End | undefined> {
  const { run } = lane;
  const cooldown = nextCooldown(run.reviewerCooldown, fateOf(outcome, ended, performance.now()));
  run.reviewerCooldown = cooldown;
  if (cooldown === undefined) return undefined;
  const { times, why, message } = cooldown;
  if (times >= run.deps.rules.errors && why !== "login" && why !== "bill") {
    const often = times === 1 ? "" : ` ${times} times in a row`;
    return { brokeOff: "errors", reason: `The reviewer gave no answer${often}: ${message}` };
  }
  const end = await waitForAgent(lane, reviewer, cooldown);
  return end && { ...end, reason: `The reviewer is not available. ${end.reason}` };
}

function spanOf({ untilMs, message }: Cooldown, nowMs: number): string {
  const span = untilMs === Infinity ? "the rest of the run" : formatDuration(Math.max(untilMs - nowMs, 1000));
  return `for ${span} (${message})`;
}

/** No agent can be started but this one, and not yet. */
async function waitForAgent(lane: LaneState, agent: Agent, cooldown: Cooldown): Promise<End | undefined> {
  const { deps, run } = lane;
  const { why, untilMs, message } = cooldown;
  const { login, title } = agent.harness.facts;
  if (why === "login") {
    return { brokeOff: "login", reason: `The login was refused: ${message}`, ...(login && { help: [login] }) };
  }
  if (why === "bill") {
    return {
      brokeOff: "login",
      reason: `The account has run out of credit: ${message}`,
      help: [billHelp(title)],
    };
  }
  const waitMs = untilMs - performance.now();
  const leftMs = (deps.rules.timeMs ?? Infinity) - elapsedMs(run);
  if (why === "limit") {
    // All waits together: a limit that does not say when it ends is met again and again.
    const isLonger = run.waitedMs + Math.max(waitMs, 0) > deps.rules.longestWaitMs;
    const limit = isLonger ? "wait" : waitMs > leftMs ? "time" : undefined;
    if (limit !== undefined) {
      const may = limit === "wait" ? "wait" : "last";
      const reason = `The usage limit ends later than the run may ${may}: ${message}`;
      return { limit, reason };
    }
    const from = performance.now();
    await waitFor(lane, waitMs, "limit");
    run.waitedMs += performance.now() - from;
  }
  if (why === "outage" && run.tally.errorsInARow < deps.rules.errors) {
    await waitFor(lane, Math.min(waitMs, leftMs), "outage");
  }
  return undefined;
}

const billHelp = (title: string): string => `Add credit to the account that ${title} uses, or choose another harness`;

/** P-42: a task that does not move gets another model, then a person. */
async function moveOn(
  lane: LaneState,
  { claim, model }: Judged<Claim | undefined>,
  settled: Settled,
): Promise<End | undefined> {
  const { deps, run } = lane;
  if (claim === undefined) return undefined;
  const isGoal = claim.task.id === deps.goal?.task; // it has a rule of its own (D-12)
  const isOpen = settled.task?.status === "pending" && !isGoal;
  if (!isOpen || !OUTCOME_RULES[settled.outcome].isIteration) return undefined;
  const what = remedy(run.tally, deps.rules.noProgress);
  if (what === "another-model") lane.avoid = { model };
  if (what !== "park") return undefined;
  const times = deps.rules.noProgress;
  const question = `${times} iterations in a row changed nothing. What is in the way?`;
  const task = await deps.store.change(claim.task.id, { kind: "park", question }, "loop");
  deps.emit({ type: "tasks.changed", change: "parked", tasks: [{ id: task.id, title: task.title }] });
  await restoreMark(lane, task);
  await runParkedHooks(lane);
  if (await hasReady(run)) return undefined;
  return { brokeOff: "stuck", reason: `${times} iterations in a row changed nothing, and nothing else is ready` };
}
