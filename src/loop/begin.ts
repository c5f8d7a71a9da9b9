import { join, relative } from "node:path";
import { type Hook, hookCommand } from "../domain/hook.ts";
import type { HookDefinition, IterationStarted, RunStarted } from "../domain/run/event.ts";
import { agentTurn } from "../domain/run/agent-turn.ts";
import { hasPrice } from "../domain/prices.ts";
import { baselineReport } from "../domain/verdict-report.ts";
import { type ModelChoice, chooseModel, isKnownHint, otherModel } from "../domain/run/model-choice.ts";
import { defaultIterations } from "../domain/run/policy.ts";
import type { Claim, Lease, Store } from "../store/store.ts";
import { type IterationSetting, iterationFolder } from "./iteration.ts";
import { runChecks } from "./check.ts";
import type { End } from "./decide.ts";
import type { Agent, Assignment } from "./parts.ts";
import { runHooks } from "./hooks.ts";
import { keepLease } from "./lease.ts";
import { finishPlanning } from "./plan-tree.ts";
import { finishFailure } from "./recover.ts";
import { type Running, warn } from "./running.ts";
import { setOthersAside } from "./set-aside.ts";
import { putGateChangesBack } from "./verify.ts";
import { guardStore } from "./stock.ts";
import { hasReady, workLeft } from "./work-left.ts";
import { beginChecks, leaveWork } from "./work-tree.ts";

/** Before the first iteration: what an earlier run left, how far this one may go, what was red before it. */
export async function begin(running: Running, assignment: Assignment): Promise<End | undefined> {
  const tasks = assignment.size;
  running.iterations = running.parts.rules.iterations ?? defaultIterations({ mode: running.mode, tasks });
  await runHooks(running, sayStarted(running, assignment));
  const needsPerson = await finishFailure(running);
  if (needsPerson !== undefined) return { brokeOff: "person", reason: needsPerson };
  if (running.mode === "build") await finishPlanning(running);
  // Where there is nothing to attempt, there is nothing to compare with.
  if (running.mode === "build" && (await hasReady(running))) await takeBaseline(running);
  return undefined;
}

function sayStarted({ parts, work, iterations }: Running, { mode, size, notices }: Assignment): RunStarted {
  const { rules } = parts;
  const { hooks } = parts.hooks;
  const started: RunStarted = {
    type: "run.started",
    run: parts.run,
    scope: parts.scope,
    mode,
    harness: parts.agents[0].name,
    version: parts.version,
    pid: parts.owner.pid,
    folder: parts.repository.folder,
    branch: work.last.branch,
    head: work.last.head,
    limits: {
      iterations,
      ...(rules.timeMs !== undefined && { timeMs: rules.timeMs }),
      ...(rules.costUsd !== undefined && { costUsd: rules.costUsd }),
      ...(rules.tokens !== undefined && { tokens: rules.tokens }),
    },
    gates: parts.gates.gates.map(({ id, kind, run: command }) => ({ gate: id, kind, command })),
    ...(hooks.length > 0 && { hooks: hooks.map(definitionOf) }),
    tasks: size === "one" ? 1 : size,
  };
  parts.emit(started);
  for (const text of notices) parts.emit({ type: "run.notice", level: "warning", text });
  return started;
}

const definitionOf = ({ id, on, work }: Hook): HookDefinition => ({
  hook: id,
  kind: work.kind,
  on,
  command: hookCommand(work),
});

/** After planning, in the same run. */
export async function beginBuilding(running: Running, tasks: number): Promise<undefined> {
  const { parts, tally } = running;
  running.mode = "build";
  running.iterations = parts.rules.iterations ?? tally.iterations + defaultIterations({ mode: "build", tasks });
  await takeBaseline(running);
  return undefined;
}

/** The first attempt is made against a known state: which gates were red before it (P-24). */
async function takeBaseline(running: Running): Promise<void> {
  const { parts, work } = running;
  // With work of an earlier attempt in the tree, what is red now says nothing about what was red before it.
  if (parts.gates.gates.length === 0 || work.task !== undefined) return;
  parts.emit({ type: "check.started", check: "baseline" });
  beginChecks(work, work.last);
  const results = await runChecks(parts, parts.gates.gates, {
    cwd: parts.root,
    outputFolder: join(parts.folder, "baseline"),
    env: {},
    name: "baseline",
  });
  const red = results.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
  running.red = parts.stop.aborted ? [] : baselineReport(results);
  const after = await putGateChangesBack(running, work.last);
  work.base = after;
  work.last = after;
  leaveWork(work);
  parts.emit({ type: "check.finished", check: "baseline", red });
}

/** Does something with a claim, and keeps its lease alive meanwhile. If that fails, it is given back. */
export async function withLease(
  running: Running,
  claim: Claim,
  action: (setting: IterationSetting) => Promise<End | undefined>,
): Promise<End | undefined> {
  const { parts } = running;
  const lost = new AbortController();
  const letGo = keepLease(parts.store, claim.lease, () => lost.abort());
  try {
    const refused = await setOthersAside(running, claim.task.id);
    if (refused !== undefined) {
      await parts.store.release(claim.lease, refused);
      return { brokeOff: "person", reason: refused };
    }
    const { setting, started } = await prepare(running, claim, lost.signal);
    await runHooks(running, started);
    return await action(setting);
  } catch (error) {
    await guardStore(running).catch(() => undefined); // the first error is the one to hear of
    await giveBack(parts.store, claim.lease).catch(() => undefined);
    throw error;
  } finally {
    letGo();
  }
}

/** A claim with a recorded verdict stays as it is: what was proven, and may be committed, the next run finishes. */
async function giveBack(store: Store, lease: Lease): Promise<void> {
  const open = await store.openVerdicts();
  if (open.some(({ lease: { task, fence } }) => task === lease.task && fence === lease.fence)) return;
  await store.release(lease, "The iteration could not be finished");
}

/** Which agent and model, and where it is written down. */
async function prepare(
  running: Running,
  { task }: Claim,
  signal: AbortSignal,
): Promise<{ readonly setting: IterationSetting; readonly started: IterationStarted }> {
  const { parts, tally } = running;
  const iteration = tally.started + 1;
  const agent = chooseAgent(running);
  const { model, override } = pickModel(running, agent, {
    mode: "build",
    attempts: task.attempts,
    wasRejected: task.attempts > 0,
    taskModel: task.model,
  });
  const folder = iterationFolder(running, iteration);
  const started: IterationStarted = {
    type: "iteration.started",
    iteration,
    of: running.iterations,
    mode: "build",
    task: { id: task.id, title: task.title },
    attempts: task.attempts,
    attemptLimit: task.attemptLimit ?? parts.rules.attempts,
    harness: agent.name,
    model,
    ...(override !== undefined && { override }),
    folder: relative(parts.root, folder),
    left: await workLeft(running, task.id),
  };
  parts.emit(started);
  return { setting: { iteration, folder, agent, model, signal }, started };
}

/** The most preferred agent that is not left alone. */
export const chooseAgent = ({ parts, coolings }: Running): Agent =>
  parts.agents[agentTurn(coolings, performance.now()).agent]!;

/** The model of an iteration; a hint counts once, and is said to be unknown when it is. */
export function pickModel(
  running: Running,
  agent: Agent,
  situation: Omit<Parameters<typeof chooseModel>[2], "hint">,
): ModelChoice {
  const { parts, hint, avoid } = running;
  const isKnown = hint !== undefined && isKnownHint(hint, agent.models);
  if (hint !== undefined && !isKnown)
    warn(running, `The agent recommended the model "${hint}", which ${agent.name} is not configured to know`);
  running.hint = undefined;
  running.avoid = undefined;
  const taskModel = affordable(running, agent, situation.taskModel);
  const asked = { ...situation, taskModel, hint: isKnown ? hint : undefined };
  const choice = chooseModel(parts.rules.strategy, agent.roles, asked);
  return avoid === undefined ? choice : otherModel(choice, avoid.model, agent);
}

/**
 * P-44: a ceiling on money holds for a model whose price is known. Those of the configuration were looked at before the
 * run began; a task may name any other, at any time.
 */
function affordable(running: Running, agent: Agent, model: string | undefined): string | undefined {
  const { harness, settings, name } = agent;
  const { cost } = (harness.speaksLike?.(settings) ?? harness).facts;
  const isFree = model === undefined || running.parts.rules.costUsd === undefined || cost !== "estimated";
  if (isFree || hasPrice(model)) return model;
  warn(
    running,
    `The task asks for the model "${model}", whose price with ${name} is not known: limits.cost would not hold`,
  );
  return undefined;
}
