import { HINT_MODELS } from "../sigil/plain.ts";
import { namesInLine } from "../verdict-report.ts";
import { oneLine } from "./foreign-text.ts";

export interface SystemPromptOptions {
  readonly specsDirs: readonly string[];
  /** The word of the promise that the preamble asks for. */
  readonly completionPromise?: string | undefined;
  /** The models that the agent may recommend; undefined: those of Claude Code. */
  readonly models?: readonly string[] | undefined;
  /** A person works with the agent, and answers. */
  readonly isAttended?: boolean | undefined;
}

/** How to work and what to say at the end, for iterations in which a task is assigned. */
export function buildSystemPrompt(options: SystemPromptOptions): string {
  const { specsDirs, completionPromise = "COMPLETE", isAttended = false } = options;
  return `${opening(specsDirs)}
- Ralph assigns one task per iteration in a task context block ("Assigned Task"). ONE TASK PER LOOP.
- Work on the assigned task only. Do not pick another task and do not reorder tasks.
- Do not assume code exists, and do not assume it is missing: search before you write.
- Do not implement placeholders, stubs or simplified versions. Implement the task in full.
- If tests fail, fix them, including those that failed before you started.
- Commit changes when the task is finished, with a message that says what changed and why.
- Update AGENTS.md when you learn something that the next session needs: how to build, run and test. Keep it short.

## Your final message

Ralph reads only your final message. A sigil counts only on a line of its own, outside code blocks and quotes.
Ralph checks every claim itself, and sends a false one back to you.

In every iteration, end with one of these two, with the ID of the assigned task:

- <task-done>{task_id}</task-done>: the assigned task is completed and its checks pass.
- <task-failed>{task_id}</task-failed>: the assigned task cannot be completed; say why in your text.
${isAttended ? "" : PARK}
Only when it applies:

- <promise>${completionPromise}</promise>: the entire project is done, with every task. Ralph verifies this against its database.
- <promise>FAILURE</promise>: an unrecoverable failure; no further iteration could help. The loop stops.
${modelLine(options)}`;
}

export interface PlanSystemPromptOptions extends SystemPromptOptions {
  /** The plan files. */
  readonly planFiles: readonly string[];
}

/** The same for plan mode: no task is assigned, and the plan is the work. */
export function buildPlanSystemPrompt(options: PlanSystemPromptOptions): string {
  const { specsDirs, planFiles, completionPromise = "COMPLETE" } = options;
  const file = planFiles.length > 0 ? namesInLine(planFiles) : "IMPLEMENTATION_PLAN.md";
  return `${opening(specsDirs, "In this iteration you plan. Do not implement.")}
- Write the plan to: ${file}
- Change nothing but the plan. Add a new spec file if one is missing. Ralph sets all other changes aside.
- Do not assume code exists, and do not assume it is missing: search before you write an entry.
- One entry is one task: small enough for one session, with a result that a check can prove.
${assume(options, "entry")}
## Your final message

Ralph reads only your final message. A sigil counts only on a line of its own, outside code blocks and quotes.

- <promise>${completionPromise}</promise>: the plan is written. Ralph reads the plan file to verify it.
- <promise>FAILURE</promise>: no plan can be written; say why in your text. The loop stops.
${modelLine(options)}`;
}

/** The same for an iteration about a sprint's goal: steps are the work, and the goal is the only claim (D-12). */
export function buildGoalSystemPrompt(options: PlanSystemPromptOptions): string {
  const { specsDirs, planFiles, completionPromise = "COMPLETE" } = options;
  return `${opening(specsDirs, GOAL)}
- Add the missing steps, with the command in the prompt or in ${planFiles.map(oneLine).join(", ")}.
- Change nothing else. Ralph sets all other changes aside.
- Do not assume code exists, and do not assume it is missing: search before you add a step.
- One step is one task: small enough for one session, with a result that a check can prove.
${assume(options, "step")}
## Your final message

Ralph reads only your final message. A claim counts only on a line of its own, outside code blocks and quotes.
Ralph checks every claim itself, and sends a false one back to you.

- RALPH_COMPLETE: and a summary, on one line: the goal is fully achieved, and no step is missing. <promise>${completionPromise}</promise> means the same.
- <promise>FAILURE</promise>: an unrecoverable failure; no further iteration could help. The loop stops.
${modelLine(options)}

If you added steps, end with a short summary and without a claim: they come next.`;
}

/** W-01: the only way to a person from inside a session. */
const PARK = `
Nobody answers during a session: decide what you can decide. Only if a person must decide before anybody can go on, end without either of them:

- Run ralphctl task park {task_id} "QUESTION" first. A person answers the question later, and Ralph goes on with other tasks.
`;

const assume = ({ isAttended = false }: SystemPromptOptions, where: "entry" | "step"): string =>
  isAttended ? "" : `- Nobody answers during a session: decide, and write what you assumed into the ${where}.\n`;

function modelLine({ models = HINT_MODELS }: SystemPromptOptions): string {
  const [names, rule] =
    models.length === 0
      ? ["NAME", "Ralph uses it if its configuration lists it."]
      : [models.map(oneLine).join("|"), "Name one."];
  return `- <next-model>${names}</next-model>: the model you recommend for the next iteration. ${rule}`;
}

const specsLines = (specsDirs: readonly string[]): string =>
  specsDirs.length === 0
    ? ""
    : `- Read all specs, every file in each of these directories:
${specsDirs.map((directory) => `  - ${oneLine(directory)}`).join("\n")}
- Specs are read-only: do not modify a spec file, ever.
`;

const GOAL =
  "In this iteration no step of the sprint is pending. " +
  "Find the next steps, or establish that the goal is achieved. Do not implement.";

/** The same for every mode; `mode` says what an iteration without a task is for. */
const opening = (specsDirs: readonly string[], mode?: string): string => `# How you work here

Ralph runs you in a loop, in a new session each time. You remember nothing of earlier sessions: the repository is the only record.
${mode === undefined ? "" : `${mode}\n`}
## Before you start

- Read AGENTS.md first, if it exists.
${specsLines(specsDirs)}
## Your task
`;
