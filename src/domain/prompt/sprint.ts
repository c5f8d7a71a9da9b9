import { RalphError } from "../error.ts";
import { shellWord } from "../shell-word.ts";
import { foreignText, foreignLine } from "./foreign-text.ts";

/** What an iteration of a goal-driven sprint is for. */
export type SprintMode = "planning" | "executing" | "reflecting";

export const SPRINT_MODES: readonly SprintMode[] = ["planning", "executing", "reflecting"];

export interface SprintStep {
  readonly id: string;
  readonly prompt: string;
  readonly status: "pending" | "completed";
}

/** The state of a sprint at the beginning of an iteration, from its files. */
export interface SprintState {
  readonly id: string;
  /** The sprint's folder, as the agent should write it in a command. */
  readonly directory: string;
  readonly goal: string;
  readonly steps: readonly SprintStep[];
  /** The id of the step to execute; undefined: the first pending one. */
  readonly current?: string | undefined;
  readonly iteration: number;
  /** The workflow's planning prompt. */
  readonly goalPrompt?: string | undefined;
  /** The workflow's reflecting prompt. */
  readonly reflectionPrompt?: string | undefined;
}

/** The prompt of one iteration in its mode. */
export function buildSprintPrompt(mode: SprintMode, sprint: SprintState): string {
  return BUILDERS[mode](sprint);
}

/** Analyse the goal and add the next steps. */
export function buildPlanningPrompt(sprint: SprintState): string {
  const task = sprint.goalPrompt?.trim() || DEFAULT_GOAL_PROMPT;
  return prompt(sprint, [`## Your Task\n\n${foreignText(task)}`, addingSteps(sprint)]);
}

/** Carry out the next pending step, and nothing else. */
export function buildExecutingPrompt(sprint: SprintState): string {
  checkGoal(sprint);
  const step = nextOf(sprint);
  if (!step) {
    throw new RalphError("data", `The sprint ${sprint.id} has no pending step to execute`, {
      hint: "Use the planning mode, or add a step to PROGRESS.yaml",
    });
  }
  const task = `## Your Task

Execute this step, and only this step: **${foreignLine(step.id)}**

${foreignText(step.prompt.trim())}

Check your work before you finish: run the tests that cover it. Commit changes.`;
  return prompt(sprint, [task, addingSteps(sprint)]);
}

/** Compare what was done with the goal, and either add what is missing or declare the goal achieved. */
export function buildReflectingPrompt(sprint: SprintState): string {
  const done = sprint.steps.filter(({ status }) => status === "completed");
  const list = done.map((step) => `- [${foreignLine(step.id)}] ${foreignLine(step.prompt)}`).join("\n") || "- none";
  const task = sprint.reflectionPrompt?.trim() || DEFAULT_REFLECTION_PROMPT;
  return prompt(sprint, [`## Your Task\n\nCompleted steps:\n\n${list}\n\n${foreignText(task)}`, addingSteps(sprint)]);
}

const BUILDERS: Readonly<Record<SprintMode, (sprint: SprintState) => string>> = {
  planning: buildPlanningPrompt,
  executing: buildExecutingPrompt,
  reflecting: buildReflectingPrompt,
};

/** The planning task of the shipped workflow. */
export const DEFAULT_GOAL_PROMPT = `Analyse the goal and the current state of the repository.
Decide what is still missing, and break it down into small steps.
Each step must fit into one session and have a result that can be checked.
Add the steps in the order in which they should be done. Do not implement anything yet.`;

/** The reflecting task of the shipped workflow. */
export const DEFAULT_REFLECTION_PROMPT = `No step is pending. Compare the goal with the repository: read the code, run the tests.
If something is missing, add the steps for it.
If the goal is fully achieved, say so with the completion line below.`;

function checkGoal({ id, goal }: SprintState): void {
  if (goal.trim() !== "") return;
  throw new RalphError("data", `The sprint ${id} has no goal, and ralph mode needs one`, {
    hint: "Add a line `goal: …` to PROGRESS.yaml or SPRINT.yaml",
  });
}

function prompt(sprint: SprintState, parts: readonly string[]): string {
  checkGoal(sprint);
  return [
    `# Sprint: ${foreignLine(sprint.id)} | Iteration: ${sprint.iteration}`,
    `## Goal\n\n${foreignText(sprint.goal.trim())}`,
    position(sprint),
    ...parts,
    `## When the Goal Is Achieved\n\nWhen goal is FULLY achieved: RALPH_COMPLETE: [summary]`,
  ].join("\n\n");
}

const nextOf = ({ steps, current }: SprintState): SprintStep | undefined =>
  steps.find(({ id, status }) => (current === undefined ? status === "pending" : id === current));

function position(sprint: SprintState): string {
  const { steps } = sprint;
  const pending = steps.filter(({ status }) => status === "pending");
  const step = nextOf(sprint);
  const next = step ? `- Next step: **${foreignLine(step.id)}**` : "- Next step: none pending";
  return `## Current Position\n\n- Steps: ${steps.length - pending.length} of ${steps.length} completed\n${next}`;
}

function addingSteps({ directory, steps, iteration }: SprintState): string {
  const taken = new Set(steps.map(({ id }) => id));
  let number = steps.length;
  while (taken.has(`step-${number}`)) number += 1;
  const folder = shellWord(directory);
  const file = shellWord(`${directory}/PROGRESS.yaml`);
  return `## Adding a Step

Run one command for each step:

    ralphctl task add --sprint ${folder} "what to do in this step"

or add it to the file itself:

    yq -i '.dynamic-steps += [{"id": "step-${number}", "prompt": "...", "status": "pending", "added-at": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'", "added-in-iteration": ${iteration}}]' ${file}`;
}
