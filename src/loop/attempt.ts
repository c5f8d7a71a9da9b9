import { shownNumber } from "./fleet-deps.ts";
import { relative } from "node:path";
import type { AttemptRecord } from "../domain/run/attempt-record.ts";
import type { IterationStarted } from "../domain/run/event.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import type { IterationOutcome } from "../domain/run/outcome.ts";
import type { Task } from "../domain/task.ts";
import type { Rated } from "../domain/strength.ts";
import type { EarlierAttempt } from "../domain/prompt/earlier-attempts.ts";
import type { Claim } from "../store/store.ts";
import { LaneFailed } from "../lane/lane.ts";
import { LANE_ACTION } from "../system/git/reflog.ts";
import type { Status } from "../system/git/status.ts";
import { watchPerson } from "../system/git/stray.ts";
import { nameGoneRefs, watchTips } from "./gone-refs.ts";
import { nameChangedMeanwhile, watchDeciding } from "./changed-meanwhile.ts";
import { chooseAgent, chooseModelFor } from "./choose-agent.ts";
import { sprintModeOf } from "./goal.ts";
import { gatherTask, type TaskBrief, readHistory, wasTooLong } from "./gather.ts";
import { runHooks } from "./hooks.ts";
import { attemptName, iterationFolder, taskEnv } from "./naming.ts";
import type { Agent, PromptRequest } from "./run-deps.ts";
import { besideNoGate, hasScopes, type LaneState, timeLeftMs } from "./run-state.ts";
import { saidDone } from "./said-done.ts";
import { recordPrompt, type SessionEnd, type SessionRequest, workSession } from "./session.ts";
import { reportStopped } from "./stopped-session.ts";
import { collectEffects, readStatusEarly, type SessionEffects } from "./session-effects.ts";
import type { ClaimCheck } from "./verify.ts";
import { chainLeft, workLeftInAll } from "./work-left.ts";
import { readAhead } from "./read-ahead.ts";
import { reserve } from "./share.ts";
import { startWork } from "./start-work.ts";
import type { SessionCost } from "../domain/usage.ts";

/** An attempt whose session has ended. It worked on a task, or on the plan if there is no claim. */
export interface Attempted<Assigned extends Claim | undefined = Claim> extends Start {
  readonly claim: Assigned;
  /** Oldest first. */
  readonly earlier: readonly EarlierAttempt[];
  /** Aborted when another run takes the task over. */
  readonly lost: AbortSignal | undefined;
  readonly session: SessionEnd;
  readonly effects: SessionEffects;
}

interface Start {
  readonly iteration: number;
  /** By the monotonic clock. */
  readonly startedMs: number;
  readonly folder: string;
  readonly agent: Agent;
  readonly model: string | undefined;
}

/** An attempt with its outcome, before it is settled. What was spent is of the session and its review together. */
export interface Judged<Assigned extends Claim | undefined = Claim> extends Attempted<Assigned>, SessionCost {
  readonly outcome: IterationOutcome;
  readonly said: Interpretation;
  readonly reason?: string | undefined;
  readonly question?: string | undefined;
  /** The question is whether the task was done already. */
  readonly asksIfDone?: true | undefined;
  readonly summary?: string | undefined;
  readonly record: Omit<AttemptRecord, "v">;
  readonly claimCheck?: ClaimCheck | undefined;
  /** Set if the claim was accepted. */
  readonly rated?: Rated | undefined;
  /** Made of changes, gate results and new tasks: if a task repeats it, the task makes no progress. */
  readonly fingerprint: string;
}

/** Steps 3 to 7: fills the lane, gathers the brief, builds the prompt, runs the session, and collects its effects. */
export async function attempt<Assigned extends Claim | undefined>(
  lane: LaneState,
  claim: Assigned,
  lost: AbortSignal | undefined,
): Promise<Attempted<Assigned>> {
  const { deps, place } = lane;
  const start = await prepare(lane, claim?.task);
  await fillLane(lane, start, claim?.task);
  const brief = claim && (await briefOf(lane, claim));
  await deps.fleet?.freshen();
  const prompt = await deps.prompt(promptRequest(lane, start, brief && { task: claim.task, brief }));
  recordPrompt(start.folder, prompt);
  const tasks = await deps.storeFile.snapshot();
  const watch = watchPerson(deps.home, deps.target);
  const deciding = await watchDeciding(lane);
  const tips = await watchTips(lane);
  let status: Promise<Status> | undefined;
  const { iteration } = start;
  const name = attemptName(deps.runId, iteration, claim);
  const running: SessionRequest = {
    ...start,
    prompt,
    cwd: place.root,
    // Identifies the session when it uses a channel (W-01).
    env: { ...LANE_ACTION, ...place.env, ...taskEnv(claim, iteration), RALPHCTL_ATTEMPT: name },
    name: String(iteration),
    onEvent(event) {
      deps.emit({ ...event, iteration });
      // Not before: the start of the agent would wait for it.
      if (claim !== undefined) void readAhead(deps, lane.run.landing);
    },
    onGone: () => void (status = readStatusEarly(lane, status)),
    signal: lost,
    budget: await reserve(lane.run, lane),
  };
  const work = async (): Promise<SessionEnd> => await workSession(deps, { ...running, timeMs: timeLeftMs(lane.run) });
  const session = await lane.seat.aside(async () => await besideNoGate(lane, work));
  lane.agent = undefined;
  reportStopped(deps, { iteration, ...session });
  await nameGoneRefs(lane, tips);
  const assigned = claim && { task: claim.task.id, attempt: name };
  const effects = await collectEffects(lane, { iteration, tasks, assigned, status, watch });
  await nameChangedMeanwhile(lane, deciding);
  return { ...start, claim, earlier: brief?.earlier ?? [], lost, session, effects };
}

/** Chooses the agent and model, and announces the iteration. */
export async function prepare(lane: LaneState, task: Task | undefined): Promise<Start> {
  const { deps, run } = lane;
  const { iteration } = lane;
  const startedMs = performance.now();
  const agent = chooseAgent(lane);
  const { model, override } = chooseModelFor(lane, agent, task);
  const folder = iterationFolder(lane.deps, iteration);
  const started: IterationStarted = {
    type: "iteration.started",
    iteration,
    of: limitOf(run),
    mode: run.mode,
    task: task && { id: task.id, title: task.title },
    ...(hasScopes(run) && { scope: deps.scope }),
    attempts: task?.attempts ?? 0,
    attemptLimit: task === undefined ? 0 : (task.attemptLimit ?? deps.rules.attempts),
    harness: agent.name,
    model,
    ...(override !== undefined && { override }),
    lane: shownNumber(lane),
    folder: relative(deps.root, folder),
    ...(task !== undefined && {
      left: await workLeftInAll(run, task.id),
      ...(run.lanes > 1 && (await chainLeft(run))),
    }),
  };
  deps.emit(started);
  await runHooks(lane, started);
  return { iteration, startedMs, folder, agent, model };
}

/** Step 5. If the lane fails, its iteration ends without a session, and that is no attempt. */
export async function fillLane(lane: LaneState, start: Start, task: Task | undefined): Promise<void> {
  const { deps, run } = lane;
  try {
    await startWork(lane, task?.id);
  } catch (error) {
    if (error instanceof LaneFailed && run.lanes > 1) {
      deps.emit({
        type: "iteration.finished",
        iteration: start.iteration,
        task: task && { id: task.id, title: task.title },
        outcome: "stopped",
        status: "pending",
        counted: false,
        reason: error.message,
        session: "aborted",
        durationMs: Math.round(performance.now() - start.startedMs),
        costUsd: undefined,
        tokens: 0,
        isEstimated: false,
      });
    }
    throw error;
  }
}

/** Iterations have numbers of the run, and each of several changes has its own limit. */
const limitOf = (run: LaneState["run"]): number => (hasScopes(run) ? 0 : run.iterations);

async function briefOf(lane: LaneState, claim: Claim): Promise<TaskBrief> {
  const { store, rules } = lane.deps;
  lane.history = await readHistory(store, claim, lane.history);
  const brief = await gatherTask(store, claim.task, { ...rules, history: lane.history });
  const said = await saidDone(lane, claim.task);
  return said === undefined ? brief : { ...brief, said };
}

function promptRequest(
  lane: LaneState,
  { iteration, agent }: Start,
  assigned: { readonly task: Task; readonly brief: TaskBrief } | undefined,
): PromptRequest {
  const { deps, run } = lane;
  const common = { mode: run.mode, iteration, maxIterations: limitOf(run), harness: agent.name };
  if (assigned === undefined) return { ...common, brief: undefined, verification: undefined, ...lane.planNotes };
  const { task, brief } = assigned;
  const gates = [...deps.gates.ofTask(task), ...deps.gates.gates, ...run.agentsGates];
  return {
    ...common,
    sprintMode: sprintModeOf(run, task.id),
    brief,
    verification: { acceptance: task.acceptance, gates, red: run.red },
    isShort: wasTooLong(brief),
    notes: [...notesOfOther(lane, task), ...brief.notes, ...lane.lateNotes],
  };
}

/** A settled task gets no further prompt, so its notes go into the prompt of the next task. */
const notesOfOther = ({ noted }: LaneState, { id }: Task): readonly string[] =>
  noted === undefined || noted.task === id ? [] : noted.notes;
