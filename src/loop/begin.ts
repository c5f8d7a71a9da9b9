import { join, relative } from "node:path";
import { type Hook, hookCommand } from "../domain/hook.ts";
import type { HookDefinition, IterationStarted, RunStarted } from "../domain/run/event.ts";
import { nextAgent } from "../domain/run/next-agent.ts";
import { hasPrice } from "../domain/prices.ts";
import { baselineReport } from "../domain/verdict-report.ts";
import { type ModelChoice, chooseModel, isKnownHint, otherModel } from "../domain/run/model-choice.ts";
import { defaultIterations } from "../domain/run/policy.ts";
import type { Claim, Lease, Store } from "../store/store.ts";
import { type IterationSetting, iterationFolder } from "./iteration.ts";
import { runChecks } from "./check.ts";
import type { End } from "./decide.ts";
import type { Agent, Assignment } from "./run-deps.ts";
import { runHooks } from "./hooks.ts";
import { keepLease } from "./lease.ts";
import { finishPlanning } from "./plan-tree.ts";
import { finishFailure } from "./recover.ts";
import { type RunState, warn } from "./run-state.ts";
import { shelveOtherWork } from "./shelve.ts";
import { revertAndReport } from "./verify.ts";
import { guardStore } from "./session-effects.ts";
import { hasReady, workLeft } from "./work-left.ts";
import { beginChecks, leaveWork } from "./work-tree.ts";

/** Before the first iteration: what an earlier run left, how far this one may go, what was red before it. */
export async function begin(state: RunState, assignment: Assignment): Promise<End | undefined> {
  const tasks = assignment.size;
  state.iterations = state.deps.rules.iterations ?? defaultIterations({ mode: state.mode, tasks });
  await runHooks(state, sayStarted(state, assignment));
  const needsPerson = await finishFailure(state);
  if (needsPerson !== undefined) return { brokeOff: "person", reason: needsPerson };
  if (state.mode === "build") await finishPlanning(state);
  // Where there is nothing to attempt, there is nothing to compare with.
  if (state.mode === "build" && (await hasReady(state))) await takeBaseline(state);
  return undefined;
}

function sayStarted({ deps, work, iterations }: RunState, { mode, size, notices }: Assignment): RunStarted {
  const { rules } = deps;
  const { hooks } = deps.hooks;
  const started: RunStarted = {
    type: "run.started",
    run: deps.run,
    scope: deps.scope,
    mode,
    harness: deps.agents[0].name,
    version: deps.version,
    pid: deps.owner.pid,
    folder: deps.repository.folder,
    branch: work.last.branch,
    head: work.last.head,
    limits: {
      iterations,
      ...(rules.timeMs !== undefined && { timeMs: rules.timeMs }),
      ...(rules.costUsd !== undefined && { costUsd: rules.costUsd }),
      ...(rules.tokens !== undefined && { tokens: rules.tokens }),
    },
    gates: deps.gates.gates.map(({ id, kind, run: command }) => ({ gate: id, kind, command })),
    ...(hooks.length > 0 && { hooks: hooks.map(definitionOf) }),
    tasks: size === "one" ? 1 : size,
  };
  deps.emit(started);
  for (const text of notices) deps.emit({ type: "run.notice", level: "warning", text });
  return started;
}

const definitionOf = ({ id, on, work }: Hook): HookDefinition => ({
  hook: id,
  kind: work.kind,
  on,
  command: hookCommand(work),
});

/** After planning, in the same run. */
export async function beginBuilding(state: RunState, tasks: number): Promise<undefined> {
  const { deps, tally } = state;
  state.mode = "build";
  state.iterations = deps.rules.iterations ?? tally.iterations + defaultIterations({ mode: "build", tasks });
  await takeBaseline(state);
  return undefined;
}

/** The first attempt is made against a known state: which gates were red before it (P-24). */
async function takeBaseline(state: RunState): Promise<void> {
  const { deps, work } = state;
  // With work of an earlier attempt in the tree, what is red now says nothing about what was red before it.
  if (deps.gates.gates.length === 0 || work.task !== undefined) return;
  deps.emit({ type: "check.started", check: "baseline" });
  beginChecks(work, work.last);
  const results = await runChecks(deps, deps.gates.gates, {
    cwd: deps.root,
    outputFolder: join(deps.folder, "baseline"),
    env: {},
    name: "baseline",
  });
  const red = results.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
  state.red = deps.stop.aborted ? [] : baselineReport(results);
  const after = await revertAndReport(state, work.last);
  work.base = after;
  work.last = after;
  leaveWork(work);
  deps.emit({ type: "check.finished", check: "baseline", red });
}

/** Does something with a claim, and keeps its lease alive meanwhile. If that fails, it is given back. */
export async function withLease(
  state: RunState,
  claim: Claim,
  action: (setting: IterationSetting) => Promise<End | undefined>,
): Promise<End | undefined> {
  const { deps } = state;
  const lost = new AbortController();
  const letGo = keepLease(deps.store, claim.lease, () => lost.abort());
  try {
    const refused = await shelveOtherWork(state, claim.task.id);
    if (refused !== undefined) {
      await deps.store.release(claim.lease, refused);
      return { brokeOff: "person", reason: refused };
    }
    const { setting, started } = await prepare(state, claim, lost.signal);
    await runHooks(state, started);
    return await action(setting);
  } catch (error) {
    await guardStore(state).catch(() => undefined); // the first error is the one to hear of
    await giveBack(deps.store, claim.lease).catch(() => undefined);
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
  state: RunState,
  { task }: Claim,
  signal: AbortSignal,
): Promise<{ readonly setting: IterationSetting; readonly started: IterationStarted }> {
  const { deps, tally } = state;
  const iteration = tally.started + 1;
  const agent = chooseAgent(state);
  const { model, override } = pickModel(state, agent, {
    mode: "build",
    attempts: task.attempts,
    wasRejected: task.attempts > 0,
    taskModel: task.model,
  });
  const folder = iterationFolder(state, iteration);
  const started: IterationStarted = {
    type: "iteration.started",
    iteration,
    of: state.iterations,
    mode: "build",
    task: { id: task.id, title: task.title },
    attempts: task.attempts,
    attemptLimit: task.attemptLimit ?? deps.rules.attempts,
    harness: agent.name,
    model,
    ...(override !== undefined && { override }),
    folder: relative(deps.root, folder),
    left: await workLeft(state, task.id),
  };
  deps.emit(started);
  return { setting: { iteration, folder, agent, model, signal }, started };
}

/** The most preferred agent that is not left alone. */
export const chooseAgent = ({ deps, cooldowns }: RunState): Agent =>
  deps.agents[nextAgent(cooldowns, performance.now()).agent]!;

/** The model of an iteration; a hint counts once, and is said to be unknown when it is. */
export function pickModel(
  state: RunState,
  agent: Agent,
  situation: Omit<Parameters<typeof chooseModel>[2], "hint">,
): ModelChoice {
  const { deps, hint, avoid } = state;
  const isKnown = hint !== undefined && isKnownHint(hint, agent.models);
  if (hint !== undefined && !isKnown)
    warn(state, `The agent recommended the model "${hint}", which ${agent.name} is not configured to know`);
  state.hint = undefined;
  state.avoid = undefined;
  const taskModel = affordable(state, agent, situation.taskModel);
  const asked = { ...situation, taskModel, hint: isKnown ? hint : undefined };
  const choice = chooseModel(deps.rules.strategy, agent.roles, asked);
  return avoid === undefined ? choice : otherModel(choice, avoid.model, agent);
}

/**
 * P-44: a ceiling on money holds for a model whose price is known. Those of the configuration were looked at before the
 * run began; a task may name any other, at any time.
 */
function affordable(state: RunState, agent: Agent, model: string | undefined): string | undefined {
  const { harness, settings, name } = agent;
  const { cost } = (harness.speaksLike?.(settings) ?? harness).facts;
  const isFree = model === undefined || state.deps.rules.costUsd === undefined || cost !== "estimated";
  if (isFree || hasPrice(model)) return model;
  warn(
    state,
    `The task asks for the model "${model}", whose price with ${name} is not known: limits.cost would not hold`,
  );
  return undefined;
}
