import { buildSystemPrompt } from "./system-prompt.ts";
import { buildTaskContext, type TaskInfo } from "./task-context.ts";

export interface ClaudeArgsConfig {
  readonly promptFile: string;
  readonly specsDirs: readonly string[];
  readonly model?: string | undefined;
  readonly completionPromise?: string | undefined;
  /** Let the agent act without asking for permission. */
  readonly skipPermissions?: boolean | undefined;
}

/**
 * The arguments of one unattended Claude Code session: the prompt file by reference, the task as text after it.
 * Specs are named in the system prompt and never passed as files.
 */
export function buildClaudeArgs(config: ClaudeArgsConfig, task?: TaskInfo): string[] {
  return [
    "--print",
    "--output-format",
    "stream-json",
    "--verbose",
    ...(config.skipPermissions ? ["--dangerously-skip-permissions"] : []),
    ...(config.model === undefined ? [] : ["--model", config.model]),
    "--append-system-prompt",
    buildSystemPrompt(config),
    `@${config.promptFile}`,
    ...(task === undefined ? [] : [buildTaskContext(task)]),
  ];
}
