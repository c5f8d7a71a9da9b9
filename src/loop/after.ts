import { formatDuration } from "../domain/duration.ts";
import type { AgentOutcome } from "../domain/agent-event.ts";
import { nextAgent, nextCooldown, type Cooldown, type CooldownInput } from "../domain/run/next-agent.ts";
import type { IterationFinished } from "../domain/run/event.ts";
import { type IterationOutcome, OUTCOME_RULES } from "../domain/run/outcome.ts";
import { advance, remedy } from "../domain/run/policy.ts";
import type { Claim } from "../store/store.ts";
import type { Attempted, IterationSetting } from "./iteration.ts";
import { type End, waitFor } from "./decide.ts";
import { runHooks, sayParked } from "./hooks.ts";
import { markAsIs } from "./mark-as-is.ts";
import type { Agent } from "./run-deps.ts";
import { recordIteration } from "./record.ts";
import type { AbsentReviewer } from "./review.ts";
import { addTaken, elapsedMs, type RunState, warn } from "./run-state.ts";
import type { Settled } from "./settle.ts";
import type { SessionEnd } from "./session.ts";
import { absentReviewer } from "./verify.ts";
import { hasReady } from "./work-left.ts";

export interface AfterRequest {
  readonly claim: Claim;
  readonly setting: IterationSetting;
  readonly attempted: Attempted;
  readonly settled: Settled;
}

/** Step 10: what happened is said and counted, and what follows from it is done. An end: it was the last iteration. */
export async function after(state: RunState, request: AfterRequest): Promise<End | undefined> {
  const { claim, setting, attempted, settled } = request;
  const { deps } = state;
  const finished = finishedOf(request);
  recordIteration(state, setting.folder, { ...request, finished });
  deps.emit(finished);
  count(state, { ...attempted, outcome: settled.outcome });
  state.hint = attempted.said?.nextModel;
  state.noted = { task: claim.task.id, notes: attempted.record.notes ?? [] };
  if (attempted.proven !== undefined && settled.outcome === "verified") {
    const { proof, built, verified } = attempted.proven;
    state.settled.push({ task: claim.task, proof, tree: built.tree, gates: verified.gates });
  }
  await deps.renewCopy();
  await runHooks(state, finished);
  const absent = attempted.verified && absentReviewer(attempted.verified);
  // A session that came to a claim was a good one, whatever became of its review.
  const outcome = absent === undefined ? settled.outcome : "unfinished";
  const result = { agent: setting.agent, outcome, session: attempted.session };
  if (settled.needsPerson !== undefined) return { brokeOff: "person", reason: settled.needsPerson };
  if (attempted.verified?.review === "answered") state.reviewerCooldown = undefined;
  const end = (await afterSession(state, result)) ?? (absent && (await afterAbsence(state, absent)));
  return end ?? (await moveOn(state, request));
}

/** Adds an iteration to what the run has behind it. */
export function count(
  state: RunState,
  { outcome, fingerprint, ...took }: Pick<Attempted, "outcome" | "costUsd" | "tokens" | "isEstimated" | "fingerprint">,
): void {
  state.tally = advance(state.tally, { outcome, costUsd: took.costUsd ?? 0, tokens: took.tokens, fingerprint });
  addTaken(state, took);
}

export interface SessionResult {
  readonly agent: Agent;
  readonly outcome: Settled["outcome"];
  readonly session: Pick<SessionEnd, "outcome" | "sessionId">;
}

/** What the way a session ended means for the run, whatever its mode. */
export async function afterSession(state: RunState, result: SessionResult): Promise<End | undefined> {
  const { deps, tally } = state;
  const { agent, outcome, session } = result;
  if (outcome === "failure") {
    const where = `iteration ${tally.started}${session.sessionId === undefined ? "" : `, session ${session.sessionId}`}`;
    return { brokeOff: "failure", reason: `The agent promised FAILURE (${where}): no further iteration could help` };
  }
  const nowMs = performance.now();
  const place = deps.agents.indexOf(agent);
  const cooldown = nextCooldown(state.cooldowns[place], fateOf(outcome, session.outcome, nowMs));
  state.cooldowns = state.cooldowns.map((one, at) => (at === place ? cooldown : one));
  if (cooldown === undefined) {
    state.waitedMs = 0;
    return undefined;
  }
  const turn = nextAgent(state.cooldowns, nowMs);
  if (turn.fromMs > nowMs) {
    return await waitForAgent(state, deps.agents[turn.agent]!, state.cooldowns[turn.agent]!);
  }
  if (turn.agent === place) return undefined; // its limit is over already
  const other = deps.agents[turn.agent]!.name;
  warn(state, `${agent.name} is left alone ${spanOf(cooldown, nowMs)}; ${other} takes over`);
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
async function afterAbsence(state: RunState, { reviewer, outcome, ended }: AbsentReviewer): Promise<End | undefined> {
  const cooldown = nextCooldown(state.reviewerCooldown, fateOf(outcome, ended, performance.now()));
  state.reviewerCooldown = cooldown;
  if (cooldown === undefined) return undefined;
  const { times, why, message } = cooldown;
  if (times >= state.deps.rules.errors && why !== "login" && why !== "bill") {
    const often = times === 1 ? "" : ` ${times} times in a row`;
    return { brokeOff: "errors", reason: `The reviewer gave no answer${often}: ${message}` };
  }
  const end = await waitForAgent(state, reviewer, cooldown);
  return end && { ...end, reason: `No claim can be reviewed. ${end.reason}` };
}

function spanOf({ untilMs, message }: Cooldown, nowMs: number): string {
  const span = untilMs === Infinity ? "the rest of the run" : formatDuration(Math.max(untilMs - nowMs, 1000));
  return `for ${span} (${message})`;
}

/** No agent can be started but this one, and not yet. */
async function waitForAgent(state: RunState, agent: Agent, cooldown: Cooldown): Promise<End | undefined> {
  const { deps, tally } = state;
  const { why, untilMs, message } = cooldown;
  const { login, title } = agent.harness.facts;
  if (why === "login") {
    return { brokeOff: "login", reason: `The login was refused: ${message}`, ...(login && { help: [login] }) };
  }
  if (why === "bill") {
    return {
      brokeOff: "login",
      reason: `The account has nothing left to pay with: ${message}`,
      help: [billHelp(title)],
    };
  }
  const waitMs = untilMs - performance.now();
  const leftMs = (deps.rules.timeMs ?? Infinity) - elapsedMs(state);
  if (why === "limit") {
    // All waits together: a limit that does not say when it ends is met again and again.
    const isLonger = state.waitedMs + Math.max(waitMs, 0) > deps.rules.longestWaitMs;
    const limit = isLonger ? "wait" : waitMs > leftMs ? "time" : undefined;
    if (limit !== undefined) {
      const may = limit === "wait" ? "wait" : "last";
      const reason = `A usage limit was reached, and it ends later than the run may ${may}: ${message}`;
      return { limit, reason };
    }
    const from = performance.now();
    await waitFor(state, waitMs, "limit");
    state.waitedMs += performance.now() - from;
  }
  if (why === "outage" && tally.errorsInARow < deps.rules.errors) {
    await waitFor(state, Math.min(waitMs, leftMs), "outage");
  }
  return undefined;
}

const billHelp = (title: string): string => `Add credit to the account that ${title} uses, or choose another harness`;

/** P-42: a task that does not move gets another model, then a person. */
async function moveOn(state: RunState, { claim, setting, settled }: AfterRequest): Promise<End | undefined> {
  const { deps, tally } = state;
  const isGoal = claim.task.id === deps.goal?.task; // it has a rule of its own (D-12)
  const isOpen = settled.task?.status === "pending" && !isGoal;
  if (!isOpen || !OUTCOME_RULES[settled.outcome].isIteration) return undefined;
  const what = remedy(tally, deps.rules.noProgress);
  if (what === "another-model") state.avoid = { model: setting.model };
  if (what !== "park") return undefined;
  const times = deps.rules.noProgress;
  const question = `${times} iterations in a row left everything as it was. What is in the way?`;
  const task = await deps.store.change(claim.task.id, { kind: "park", question }, "loop");
  deps.emit({ type: "tasks.changed", change: "parked", tasks: [{ id: task.id, title: task.title }] });
  await markAsIs(state, task);
  await sayParked(state);
  if (await hasReady(state)) return undefined;
  return { brokeOff: "stuck", reason: `${times} iterations in a row changed nothing, and nothing else is ready` };
}

function finishedOf({ claim, setting, attempted, settled }: AfterRequest): IterationFinished {
  const { session } = attempted;
  const { task } = settled;
  const status = task?.status;
  return {
    type: "iteration.finished",
    iteration: setting.iteration,
    task: { id: claim.task.id, title: claim.task.title },
    outcome: settled.outcome,
    status: status === "in_progress" || status === "dropped" ? undefined : status,
    ...(task?.status === "failed" && task.retry && { retry: true as const }),
    counted: OUTCOME_RULES[settled.outcome].isAttempt,
    ...(attempted.proven !== undefined && settled.outcome === "verified" && { proof: attempted.proven.proof }),
    ...(attempted.reason !== undefined && { reason: attempted.reason }),
    ...(attempted.question !== undefined && { question: attempted.question }),
    session: session.outcome.kind,
    ...(session.sessionId !== undefined && { sessionId: session.sessionId }),
    ...(settled.commit !== undefined && { commit: settled.commit }),
    durationMs: session.durationMs,
    costUsd: attempted.costUsd,
    tokens: attempted.tokens,
    isEstimated: attempted.isEstimated,
  };
}
