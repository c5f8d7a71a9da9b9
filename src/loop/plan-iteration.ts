import { relative } from "node:path";
import { commitMessage } from "../domain/commit-message.ts";
import { harnessFailure, interpret, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { IterationOutcome } from "../domain/run/outcome.ts";
import { MEANINGS } from "../domain/run/outcome.ts";
import { type IterationSetting, iterationFolder } from "./attempt.ts";
import { afterSession, count } from "./after.ts";
import { beginBuilding, pickModel } from "./begin.ts";
import type { End } from "./decide.ts";
import { holdState } from "./held-state.ts";
import type { Assignment } from "./parts.ts";
import { keepPlanOnly } from "./plan-tree.ts";
import type { Running } from "./running.ts";
import { recordPrompt, runSession, type SessionEnd } from "./session.ts";
import { takeStock } from "./stock.ts";
import { hasReady, workLeft } from "./work-left.ts";
import { beginSession } from "./work-tree.ts";

/** P-04: no task is assigned; the plan is the work, and that it can be read is the proof. */
export async function planIteration(running: Running, assignment: Assignment): Promise<End | undefined> {
  const { parts, work } = running;
  const setting = prepare(running);
  const { iteration } = setting;
  const { notes, ...failures } = running.planNotes;
  const prompt = await parts.prompt({
    mode: "plan",
    iteration,
    maxIterations: running.iterations,
    harness: setting.agent.name,
    brief: undefined,
    verification: undefined,
    ...failures,
    notes,
  });
  await recordPrompt(setting.folder, prompt);
  await beginSession(work, work.task);
  const held = await holdState(parts.store);
  const session = await runSession(parts, {
    agent: setting.agent,
    model: setting.model,
    prompt,
    cwd: parts.root,
    folder: setting.folder,
    env: { RALPHCTL_ATTEMPT: `${parts.run}.${iteration}.0`, RALPHCTL_ITERATION: String(iteration) },
    name: String(iteration),
    onEvent: (event) => parts.emit({ ...event, iteration }),
  });
  const stock = await takeStock(running, { held, taskId: undefined });
  const said = interpret({ ...session, command: undefined, markedPlan: false }, { promise: parts.rules.promise });
  const early = outcomeWithoutClaim(session.outcome, { hasChanged: stock.hasChanged, isStopped: parts.stop.aborted });
  const missing = stock.followed.problems[0] ?? ((await hasReady(running)) ? undefined : NO_TASKS);
  const outcome: IterationOutcome =
    early ?? (said.claim === "failure" ? "failure" : missing === undefined ? "verified" : "rejected");
  const isDone = outcome === "verified";
  const message = commitMessage({ subject: "Plan the work", trailers: { "Ralph-Run": parts.run } });
  const { commit, aside } = await keepPlanOnly(running, { stock, commitWith: isDone ? message : undefined, iteration });
  running.planNotes = {
    notes: [...said.notes, ...stock.notes, ...aside],
    ...(outcome === "rejected" && missing !== undefined && { validationFailure: missing }),
    ...withFailure(session),
  };
  running.hint = said.nextModel;
  const tokens = session.usage.input + session.usage.output + session.usage.cacheRead + session.usage.cacheWrite;
  const { costUsd } = session.usage;
  parts.emit({
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
    costUsd,
    tokens,
    isEstimated: session.usage.isEstimated,
  });
  count(running, { outcome, costUsd, tokens, mark: `plan ${stock.now.tree}` });
  await parts.renewCopy();
  if (isDone && assignment.buildsAfterPlan) return await beginBuilding(running, (await workLeft(running)).ready);
  if (isDone) return { isPlanned: true, reason: "The plan is written" };
  return await afterSession(running, outcome, session);
}

const NO_TASKS = "The plan has no open task that could be worked on.";

const withFailure = ({ outcome }: SessionEnd): { harnessFailure?: string } => {
  const failure = harnessFailure(outcome);
  return failure === undefined ? {} : { harnessFailure: failure };
};

function prepare(running: Running): Omit<IterationSetting, "signal"> {
  const { parts, tally } = running;
  const iteration = tally.started + 1;
  const [agent] = parts.agents;
  const { model, override } = pickModel(running, agent, { mode: "plan", attempts: 0, wasRejected: false });
  const folder = iterationFolder(running, iteration);
  parts.emit({
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
  });
  return { iteration, folder, agent, model };
}
