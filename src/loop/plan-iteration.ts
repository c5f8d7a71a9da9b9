import { relative } from "node:path";
import { commitMessage } from "../domain/commit-message.ts";
import { budgetLeft } from "../domain/run/budget.ts";
import { harnessFailure, interpret, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { IterationFinished, IterationStarted } from "../domain/run/event.ts";
import { type IterationOutcome, MEANINGS } from "../domain/run/outcome.ts";
import { totalTokens } from "../domain/usage.ts";
import { type IterationSetting, iterationFolder } from "./iteration.ts";
import { afterSession, count } from "./after.ts";
import { workSession } from "./attended-session.ts";
import { beginBuilding, chooseAgent, pickModel } from "./begin.ts";
import type { End } from "./decide.ts";
import { runHooks } from "./hooks.ts";
import { holdState } from "./held-state.ts";
import type { Assignment, Prompt, PromptRequest } from "./parts.ts";
import { keepPlanOnly } from "./plan-tree.ts";
import { recordResult } from "./record.ts";
import type { PlanNotes, Running } from "./running.ts";
import { recordPrompt, sayStopped, type SessionEnd } from "./session.ts";
import { setOthersAside } from "./set-aside.ts";
import { type Stock, takeStock } from "./stock.ts";
import { hasReady, workLeft } from "./work-left.ts";
import { beginSession } from "./work-tree.ts";

/** P-04: no task is assigned; the plan is the work, and that it can be read is the proof. */
export async function planIteration(running: Running, assignment: Assignment): Promise<End | undefined> {
  const { parts, work } = running;
  const refused = await setOthersAside(running, undefined);
  if (refused !== undefined) return { brokeOff: "person", reason: refused };
  const { setting, started } = prepare(running);
  await runHooks(running, started);
  const prompt = await parts.prompt(promptRequest(running, setting));
  recordPrompt(setting.folder, prompt);
  await beginSession(work, work.task);
  const held = await holdState(parts.store);
  const session = await runPlanner(running, { ...setting, prompt });
  const stock = await takeStock(running, { held, assigned: undefined, look: undefined });
  const ruling = await rule(running, session, stock);
  const { iteration } = setting;
  const message = commitMessage({ subject: "Plan the work", trailers: { "Ralph-Run": parts.run } });
  const commitWith = ruling.outcome === "verified" ? message : undefined;
  const { commit, aside } = await keepPlanOnly(running, { stock, commitWith, iteration });
  const notes = [...ruling.notes, ...stock.notes.filter((note) => note !== ruling.missing), ...aside];
  for (const note of notes) parts.emit({ type: "protocol.broken", iteration, note });
  running.planNotes = notesFor(session, { ...ruling, notes });
  const finished = finishedOf(session, { ...ruling, iteration, commit });
  recordResult(setting.folder, finished);
  parts.emit(finished);
  const { outcome } = ruling;
  count(running, { ...finished, mark: `plan ${stock.now.tree}` });
  await parts.renewCopy();
  await runHooks(running, finished);
  if (outcome !== "verified") return await afterSession(running, { agent: setting.agent, outcome, session });
  if (assignment.buildsAfterPlan) return await beginBuilding(running, (await workLeft(running)).ready);
  return { isPlanned: true, reason: "The plan is written" };
}

const promptRequest = (running: Running, { iteration, agent }: PlanSetting): PromptRequest => ({
  mode: "plan",
  iteration,
  maxIterations: running.iterations,
  harness: agent.name,
  brief: undefined,
  verification: undefined,
  ...running.planNotes,
});

type PlanSetting = Omit<IterationSetting, "signal">;

async function runPlanner(
  { parts, tally }: Running,
  { iteration, agent, model, folder, prompt }: PlanSetting & { readonly prompt: Prompt },
): Promise<SessionEnd> {
  const session = await workSession(parts, {
    agent,
    model,
    prompt,
    cwd: parts.root,
    folder,
    env: { RALPHCTL_ATTEMPT: `${parts.run}.${iteration}.0`, RALPHCTL_ITERATION: String(iteration) },
    name: String(iteration),
    onEvent: (event) => parts.emit({ ...event, iteration }),
    budget: budgetLeft(parts.rules, tally),
  });
  sayStopped(parts, { iteration, ...session });
  return session;
}

interface Ruling {
  readonly outcome: IterationOutcome;
  /** What the plan lacks. */
  readonly missing: string | undefined;
  readonly notes: readonly string[];
}

/** Done when the agent ended normally, the plan files parse, and there is an open task. */
async function rule(running: Running, session: SessionEnd, stock: Stock): Promise<Ruling> {
  const { parts } = running;
  const said = interpret({ ...session, command: undefined, markedPlan: false }, { promise: parts.rules.promise });
  running.hint = said.nextModel;
  const isStopped = parts.stop.aborted || session.isOverBudget;
  const early = outcomeWithoutClaim(session.outcome, { hasChanged: stock.hasChanged, isStopped, canShorten: false });
  const missing = stock.followed.problems[0] ?? ((await hasReady(running)) ? undefined : NO_TASKS);
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
    counted: MEANINGS[outcome].isAttempt,
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

function prepare(running: Running): { readonly setting: PlanSetting; readonly started: IterationStarted } {
  const { parts, tally } = running;
  const iteration = tally.started + 1;
  const agent = chooseAgent(running);
  const { model, override } = pickModel(running, agent, { mode: "plan", attempts: 0, wasRejected: false });
  const folder = iterationFolder(running, iteration);
  const started: IterationStarted = {
    type: "iteration.started",
    iteration,
    of: running.iterations,
    mode: "plan",
    task: undefined,
    attempts: 0,
    attemptLimit: 0,
    harness: agent.name,
    model,
    ...(override !== undefined && { override }),
    folder: relative(parts.root, folder),
  };
  parts.emit(started);
  return { setting: { iteration, folder, agent, model }, started };
}
