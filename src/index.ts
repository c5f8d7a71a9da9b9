import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type RunOptions, runIn, type WorkspaceOptions, type World } from "./app/library/run.ts";
import { type OpenWorkspace, openWorkspaceIn } from "./app/library/workspace.ts";
import type { SessionCommand } from "./app/run/run-door.ts";
import type { Run } from "./app/run/start-run.ts";
import { version } from "./domain/version.ts";

const world: World = {
  cwd: () => process.cwd(),
  env: process.env,
  // Agents call it as `ralphctl`, and the scripted one is a command of it.
  self: [process.execPath, fileURLToPath(new URL("../bin.js", import.meta.url))],
  isRoot: process.getuid?.() === 0,
  version,
  // The commands are in the program: a second copy of them would double the package.
  answer: async (command) => await (load("../chunks/door.js") as Commands).answerSession(command, world),
};

const load = createRequire(import.meta.url);

interface Commands {
  readonly answerSession: (command: SessionCommand, host: Pick<World, "self" | "isRoot">) => Promise<number>;
}

/**
 * Starts a run of the loop, like `ralphctl run`. `for await` yields its events, and `finished` resolves with how it ended.
 * A wrong option throws a RalphError at once.
 */
export function run(options: RunOptions = {}): Run {
  return runIn(world, options);
}

/** Opens the workspace around a folder: its tasks, its context, and runs in it. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<OpenWorkspace> {
  return await openWorkspaceIn(world, options);
}

export { version };
export type { OwnGate, RunOptions, WorkspaceOptions } from "./app/library/run.ts";
export type { OpenWorkspace, TaskQuery, WorkspaceContext, WorkspaceTasks } from "./app/library/workspace.ts";
export type { PromptView } from "./app/prompt.ts";
export type { Run } from "./app/run/start-run.ts";
export type { TaskView } from "./app/task/show-task.ts";
export type { ScopeChoice } from "./app/workspace.ts";
export type { Config, GateConfig, HarnessConfig, HookConfig, LimitsConfig } from "./config/config.ts";
export type { AgentEvent, AgentExit, AgentOutcome, AgentReader } from "./domain/agent-event.ts";
export type { CheckedPlace, GateAnswer, GateCheck } from "./domain/gate.ts";
export type { RunEvent, RunFinished } from "./domain/run/event.ts";
export type { NewTask } from "./domain/task-input.ts";
export type { Task } from "./domain/task.ts";
export type { Facts, Harness, HarnessSettings, Session } from "./harness/harness.ts";
export type { AgentCommand, StopStep } from "./system/process/agent-process.ts";
export { createPlainReader } from "./harness/command.ts";
export { buildRalphPrompt, type RalphPromptOptions } from "./app/ralph-prompt.ts";
export { RalphError, type ErrorDetails, type ErrorKind, type ErrorSubject } from "./domain/error.ts";
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
