import { relative } from "node:path";
import { commitMessage } from "../domain/commit-message.ts";
import { budgetLeft } from "../domain/run/budget.ts";
import { harnessFailure, interpret, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { IterationFinished, IterationStarted } from "../domain/run/event.ts";
import { type IterationOutcome, OUTCOME_RULES } from "../domain/run/outcome.ts";
import { totalTokens } from "../domain/usage.ts";
import { type IterationSetting, iterationFolder } from "./iteration.ts";
import { afterSession, count } from "./after.ts";
import { workSession } from "./attended-session.ts";
import { beginBuilding, chooseAgent, pickModel } from "./begin.ts";
import type { End } from "./decide.ts";
import { runHooks } from "./hooks.ts";
import { snapshotTasks } from "./tamper-check.ts";
import type { Assignment, Prompt, PromptRequest } from "./run-deps.ts";
import { keepPlanOnly } from "./plan-tree.ts";
import { recordResult } from "./record.ts";
import type { PlanNotes, RunState } from "./run-state.ts";
import { recordPrompt, sayStopped, type SessionEnd } from "./session.ts";
import { shelveOtherWork } from "./shelve.ts";
import { type SessionEffects, collectEffects } from "./session-effects.ts";
import { hasReady, workLeft } from "./work-left.ts";
import { beginSession } from "./work-tree.ts";

/** P-04: no task is assigned; the plan is the work, and that it can be read is the proof. */
export async function planIteration(state: RunState, assignment: Assignment): Promise<End | undefined> {
  const { deps, work } = state;
  const refused = await shelveOtherWork(state, undefined);
  if (refused !== undefined) return { brokeOff: "person", reason: refused };
  const { setting, started } = prepare(state);
  await runHooks(state, started);
  const prompt = await deps.prompt(promptRequest(state, setting));
  recordPrompt(setting.folder, prompt);
  await beginSession(work, work.task);
  const held = await snapshotTasks(deps.store);
  const session = await runPlanner(state, { ...setting, prompt });
  const effects = await collectEffects(state, { held, assigned: undefined, look: undefined });
  const ruling = await rule(state, session, effects);
  const { iteration } = setting;
  const message = commitMessage({ subject: "Plan the work", trailers: { "Ralph-Run": deps.run } });
  const commitWith = ruling.outcome === "verified" ? message : undefined;
  const { commit, aside } = await keepPlanOnly(state, { effects, commitWith, iteration });
  const notes = [...ruling.notes, ...effects.notes.filter((note) => note !== ruling.missing), ...aside];
  for (const note of notes) deps.emit({ type: "protocol.broken", iteration, note });
  state.planNotes = notesFor(session, { ...ruling, notes });
  const finished = finishedOf(session, { ...ruling, iteration, commit });
  recordResult(setting.folder, finished);
  deps.emit(finished);
  const { outcome } = ruling;
  count(state, { ...finished, fingerprint: `plan ${effects.now.tree}` });
  await deps.renewCopy();
  await runHooks(state, finished);
  if (outcome !== "verified") return await afterSession(state, { agent: setting.agent, outcome, session });
  if (assignment.buildsAfterPlan) return await beginBuilding(state, (await workLeft(state)).ready);
  return { isPlanned: true, reason: "The plan is written" };
}

const promptRequest = (state: RunState, { iteration, agent }: PlanSetting): PromptRequest => ({
  mode: "plan",
  iteration,
  maxIterations: state.iterations,
  harness: agent.name,
  brief: undefined,
  verification: undefined,
  ...state.planNotes,
});

type PlanSetting = Omit<IterationSetting, "signal">;

async function runPlanner(
  { deps, tally }: RunState,
  { iteration, agent, model, folder, prompt }: PlanSetting & { readonly prompt: Prompt },
): Promise<SessionEnd> {
  const session = await workSession(deps, {
    agent,
    model,
    prompt,
    cwd: deps.root,
    folder,
    env: { RALPHCTL_ATTEMPT: `${deps.run}.${iteration}.0`, RALPHCTL_ITERATION: String(iteration) },
    name: String(iteration),
    onEvent: (event) => deps.emit({ ...event, iteration }),
    budget: budgetLeft(deps.rules, tally),
  });
  sayStopped(deps, { iteration, ...session });
  return session;
}

interface Ruling {
  readonly outcome: IterationOutcome;
  /** What the plan lacks. */
  readonly missing: string | undefined;
  readonly notes: readonly string[];
}

/** Done when the agent ended normally, the plan files parse, and there is an open task. */
async function rule(state: RunState, session: SessionEnd, effects: SessionEffects): Promise<Ruling> {
  const { deps } = state;
  const said = interpret({ ...session, command: undefined, markedPlan: false }, { promise: deps.rules.promise });
  state.hint = said.nextModel;
  const isStopped = deps.stop.aborted || session.isOverBudget;
  const early = outcomeWithoutClaim(session.outcome, { hasChanged: effects.hasChanged, isStopped, canShorten: false });
  const missing = effects.followed.problems[0] ?? ((await hasReady(state)) ? undefined : NO_TASKS);
  const proven = missing === undefined ? "verified" : "rejected";
  return { outcome: early ?? (said.claim === "failure" ? "failure" : proven), missing, notes: said.notes };
}

function notesFor(session: SessionEnd, { outcome, missing, notes }: Ruling): PlanNotes {
  const failure = harnessFailure(session.outcome);
  return {
    notes,
    ...(outcome === "rejected" && missing !== undefined && { validationFailure: missing }),
    ...(failure !== undefined && { harnessFailure: failure }),
  };
}

function finishedOf(
  session: SessionEnd,
  about: Ruling & { readonly iteration: number; readonly commit: string | undefined },
): IterationFinished {
  const { outcome, missing, iteration, commit } = about;
  return {
    type: "iteration.finished",
    iteration,
    task: undefined,
    outcome,
    status: undefined,
    counted: OUTCOME_RULES[outcome].isAttempt,
    ...(missing !== undefined && { reason: missing }),
    session: session.outcome.kind,
    ...(session.sessionId !== undefined && { sessionId: session.sessionId }),
    ...(commit !== undefined && { commit }),
    durationMs: session.durationMs,
    costUsd: session.usage.costUsd,
    tokens: totalTokens(session.usage),
    isEstimated: session.usage.isEstimated,
  };
}

const NO_TASKS = "The plan has no open task that could be worked on";

function prepare(state: RunState): { readonly setting: PlanSetting; readonly started: IterationStarted } {
  const { deps, tally } = state;
  const iteration = tally.started + 1;
  const agent = chooseAgent(state);
  const { model, override } = pickModel(state, agent, { mode: "plan", attempts: 0, wasRejected: false });
  const folder = iterationFolder(state, iteration);
  const started: IterationStarted = {
    type: "iteration.started",
    iteration,
    of: state.iterations,
    mode: "plan",
    task: undefined,
    attempts: 0,
    attemptLimit: 0,
    harness: agent.name,
    model,
    ...(override !== undefined && { override }),
    folder: relative(deps.root, folder),
  };
  deps.emit(started);
  return { setting: { iteration, folder, agent, model }, started };
}
