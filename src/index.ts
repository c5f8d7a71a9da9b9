export { buildRalphPrompt, type RalphPromptOptions } from "./app/ralph-prompt.ts";
export { RalphError, type ErrorDetails, type ErrorKind } from "./domain/error.ts";
export { buildClaudeArgs, type ClaudeArgsConfig } from "./domain/prompt/claude-args.ts";
export { resolvePromptPlaceholders, type PlaceholderOptions } from "./domain/prompt/placeholders.ts";
export { buildPromptPreamble, type PreambleOptions } from "./domain/prompt/preamble.ts";
export type { PromptLayout } from "./domain/prompt/ralph-prompt.ts";
export {
  buildExecutingPrompt,
  buildPlanningPrompt,
  buildReflectingPrompt,
  type SprintMode,
  type SprintState,
  type SprintStep,
} from "./domain/prompt/sprint.ts";
export {
  buildPlanSystemPrompt,
  buildSystemPrompt,
  type PlanSystemPromptOptions,
  type SystemPromptOptions,
} from "./domain/prompt/system-prompt.ts";
export {
  buildTaskContext,
  type BlockerContext,
  type ParentContext,
  type TaskInfo,
} from "./domain/prompt/task-context.ts";
export { parseNextModelHint, parsePromise, parseTaskDone, parseTaskFailed } from "./domain/sigil/plain.ts";
export { readSigils, type Sigils } from "./domain/sigil/read-sigils.ts";
