import { foreignText } from "./foreign-text.ts";
import { type Section, textOf } from "./section.ts";

export interface PreambleOptions {
  readonly iteration: number;
  /** Absent or 0: unlimited. */
  readonly maxIterations?: number | undefined;
  /** The first iteration whose promise counts. */
  readonly minIterations?: number | undefined;
  readonly completionPromise: string;
  /** Undefined: the task, by the promise. */
  readonly claim?: PreambleClaim | undefined;
  /** The tool of the agent's todo list; undefined: TodoWrite; null: it is not known. */
  readonly todoTool?: string | null | undefined;
  /** A person works with the agent, in its own interface. */
  readonly isAttended?: boolean | undefined;
  readonly contextContent?: string | null | undefined;
  readonly validationFailure?: string | null | undefined;
  readonly task: string;
}

/** What the agent may say to be complete, and how. */
export interface PreambleClaim {
  readonly what: "task" | "goal";
  readonly text: string;
}

/** The rules of the loop around one iteration's task. */
export function buildPromptPreamble(options: PreambleOptions): string {
  return textOf(wrappedSections(options, [{ name: "task", text: options.task }]));
}

/** The same as sections, around a task that has sections of its own. */
export function wrappedSections(options: Omit<PreambleOptions, "task">, task: readonly Section[]): Section[] {
  return [
    { name: "preamble", text: opening(options) },
    ...contextSections(options).map(({ name, text }) => ({ name, text: `\n${text}\n\n---\n` })),
    { name: "preamble", text: "## Your Task\n\n" },
    ...task,
    { name: "preamble", text: `\n\n${rules(options)}` },
  ];
}

/** The preamble by itself, for the layout in which the task follows it. */
export const standalonePreamble = (options: Omit<PreambleOptions, "task">): string =>
  `${opening(options)}\n${rules(options)}`;

/** The user's context and the reason of the last rejection, if there are any. */
export function contextSections(options: Pick<PreambleOptions, "contextContent" | "validationFailure">): Section[] {
  const context = options.contextContent?.trim() ?? "";
  const failure = options.validationFailure?.trim() ?? "";
  return [
    { name: "context", body: context, heading: CONTEXT_HEADING },
    { name: "validation-failure", body: failure, heading: FAILURE_HEADING },
  ]
    .filter(({ body }) => body !== "")
    .map(({ name, body, heading }) => ({ name, text: `${heading}\n\n${foreignText(body)}` }));
}

const CONTEXT_HEADING = "## Additional Context (added by user mid-loop)";

const FAILURE_HEADING = `## Validation Failure (completion rejected)

Ralph detected a completion promise, but it was rejected because validation failed. Fix the issues below and try again.`;

const opening = ({
  iteration,
}: Pick<PreambleOptions, "iteration">): string => `# Ralph Wiggum Loop - Iteration ${iteration}

You are in an iterative development loop. Work on the task below until you can genuinely complete it.

Important: Ralph validates completion promises before exiting (tasks + project checks/tests).
`;

const AUTONOMY = `## AUTONOMY REQUIREMENTS (CRITICAL)

- **DO NOT ASK QUESTIONS** - This is an autonomous loop with no human interaction
- **DO NOT USE THE QUESTION TOOL** - Work independently without prompting for input
- Make reasonable assumptions when information is missing
- Use your best judgment to resolve ambiguities
- If multiple approaches exist, choose the most reasonable one and proceed
- The orchestrator cannot respond to questions - you must be self-sufficient
- Trust your training and make decisions autonomously`;

const COMPANY = `## A person works with you

- They see what you do, and can answer: ask when something is unclear
- What they say comes before what is written here`;

const rules = (options: Omit<PreambleOptions, "task">): string => {
  const { iteration, maxIterations, minIterations, completionPromise, isAttended = false } = options;
  const { what, text } = options.claim ?? { what: "task", text: `<promise>${completionPromise}</promise>` };
  const { todoTool = "TodoWrite" } = options;
  const track = todoTool === null ? "Track" : `Use the ${todoTool} tool to track`;
  return `## Instructions

1. Read the current state of files to understand what's been done
2. **Update your todo list** - ${track} progress and plan remaining work
3. Make progress on the task
4. Run tests/verification if applicable
5. When the ${what} is GENUINELY COMPLETE, output:
   ${text}

## Critical Rules

- ONLY output ${text} when the ${what} is truly done
- Do NOT lie or output false promises to exit the loop
- If stuck, try a different approach
- Check your work before claiming completion
- The loop will continue until you succeed
- **IMPORTANT**: Update your todo list at the start of each iteration to show progress

${isAttended ? COMPANY : AUTONOMY}

## Current Iteration: ${iteration}${maxIterations ? ` / ${maxIterations}` : " (unlimited)"} (min: ${minIterations ?? 1})

Now, work on the task${isAttended ? "" : " autonomously"}. Good luck!`;
};
