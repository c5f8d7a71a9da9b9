import { hasPrice } from "../domain/prices.ts";
import { type AskedModel, nextAgent } from "../domain/run/next-agent.ts";
import { chooseModel, type ModelChoice, otherModel } from "../domain/run/model-choice.ts";
import type { Task } from "../domain/task.ts";
import type { Agent } from "./run-deps.ts";
import { type LaneState, warn } from "./run-state.ts";

/** Gives the lane an agent: of those that are not cooling down, the most preferred that has the least to do. */
export function chooseAgent(lane: LaneState): Agent {
  lane.agent = lane.deps.agents[nextTurn(lane, performance.now()).agent]!;
  return lane.agent;
}

/** The agent of the lane's next session, and from when it can start. */
export function nextTurn(lane: LaneState, nowMs: number): ReturnType<typeof nextAgent> {
  const { run, deps } = lane;
  const others = [...run.busy].filter((other) => other !== lane);
  const atWork = deps.agents.map(({ name }) => others.filter(({ agent }) => agent?.name === name).length);
  return nextAgent(run.cooldowns, nowMs, atWork);
}

/**
 * The model for a task, or for the plan if `task` is undefined. A hint counts for one iteration only. A model of the
 * command line is final.
 */
export function chooseModelFor(
  lane: LaneState,
  agent: Agent,
  task: Pick<Task, "id" | "attempts" | "model"> | undefined,
): ModelChoice {
  const { deps, hint, run } = lane;
  if (deps.rules.isModelFinal) return { model: agent.roles.model ?? undefined };
  const isKnown = hint !== undefined && agent.models.includes(hint);
  if (hint !== undefined && !isKnown)
    warn(lane, `The agent recommended the model "${hint}", which is not configured for ${agent.name}`);
  lane.hint = undefined;
  const avoid = task && run.avoid.get(task.id);
  if (task !== undefined) run.avoid.delete(task.id);
  const attempts = task?.attempts ?? 0;
  const choice = chooseModel(deps.rules.strategy, agent.roles, {
    mode: task === undefined ? "plan" : "build",
    attempts,
    wasRejected: attempts > 0,
    taskModel: affordable(lane, agent, task?.model),
    hint: isKnown ? hint : undefined,
  });
  return avoid === undefined ? choice : otherModel(choice, avoid.model, agent);
}

/** Where the model of a session was set; undefined: nowhere, so that the CLI has chosen it. */
export function modelSetting(
  { name, roles, origins }: Agent,
  model: string | undefined,
  task: Pick<Task, "id" | "model"> | undefined,
): AskedModel | undefined {
  if (model === undefined) return undefined;
  if (task?.model === model) return { model, where: `the task ${task.id}` };
  const role = (["model", "smart", "fast"] as const).find((one) => roles[one] === model) ?? "models";
  return { model, where: origins?.[role] ?? `harnesses.${name}.${role}` };
}

/**
 * P-44: a limit on cost needs a model with a known price. `app` checks the models of the configuration before the run
 * begins, but a task may name any other model at any time.
 */
function affordable(lane: LaneState, agent: Agent, model: string | undefined): string | undefined {
  const { harness, settings, name } = agent;
  const { cost } = (harness.speaksLike?.(settings) ?? harness).facts;
  const isFree = model === undefined || lane.deps.rules.costUsd === undefined || cost !== "estimated";
  if (isFree || hasPrice(model)) return model;
  warn(
    lane,
    `The task asks for the model "${model}", whose price with ${name} is not known: limits.cost would not hold`,
  );
  return undefined;
}
