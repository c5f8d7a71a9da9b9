import type { Config } from "../../config/config.ts";
import type { Task } from "../../domain/task.ts";
import type { NewTask } from "../../domain/task-input.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { addContext, emptyContext, showContext } from "../context.ts";
import { type PromptView, showPrompt } from "../prompt.ts";
import type { Run } from "../run/start-run.ts";
import { addTask } from "../task/add-task.ts";
import type { Caller } from "../task/caller.ts";
import { listTasks, readyTasks } from "../task/list-tasks.ts";
import { showTask, type TaskView } from "../task/show-task.ts";
import { openWorkspace, type ScopeChoice } from "../workspace.ts";
import {
  checkId,
  checkMode,
  checkScope,
  checkTask,
  checkTaskQuery,
  checkText,
  checkWorkspaceOptions,
} from "./check-options.ts";
import { type RunOptions, runIn, surroundingsOf, type WorkspaceOptions, type World } from "./run.ts";

/** A workspace for programs. It keeps nothing open: every call reads the current state. */
export interface OpenWorkspace {
  /** The folder that holds `.ralph/`. */
  readonly root: string;
  /** At the time when the workspace was opened. */
  readonly config: Config;
  readonly tasks: WorkspaceTasks;
  readonly context: WorkspaceContext;
  /** Exactly what an agent would get next. Starts nothing. */
  readonly prompt: (mode: "plan" | "build", scope?: ScopeChoice) => Promise<PromptView>;
  readonly run: (options?: Omit<RunOptions, keyof WorkspaceOptions>) => Run;
}

/** Follows the rules of `ralphctl task`: in an agent's session, a program may do what the agent may. */
export interface WorkspaceTasks {
  /** Oldest first; in all scopes unless you name one. */
  readonly list: (filter?: TaskQuery) => AsyncIterable<Task>;
  /** Tasks that can start now, in order. */
  readonly ready: (scope?: ScopeChoice, limit?: number) => Promise<readonly Task[]>;
  /** One task with its attempts and its log, by id or its beginning. */
  readonly get: (id: string) => Promise<TaskView>;
  /** `needs` and `parent` accept beginnings of ids. */
  readonly add: (task: Omit<NewTask, "scope" | "id">, scope?: ScopeChoice) => Promise<Task>;
}

export interface TaskQuery {
  readonly scope?: ScopeChoice;
  readonly states?: readonly TaskState[];
  readonly tag?: string;
  /** In title or description. */
  readonly text?: string;
}

/** Text for the agents of a scope, from the next iteration on. */
export interface WorkspaceContext {
  readonly read: (scope?: ScopeChoice) => Promise<string>;
  readonly add: (text: string, scope?: ScopeChoice) => Promise<void>;
  readonly clear: (scope?: ScopeChoice) => Promise<void>;
}

/** Opens the workspace around a folder. Throws a RalphError if there is none or its configuration is invalid. */
export async function openWorkspaceIn(world: World, options: WorkspaceOptions): Promise<OpenWorkspace> {
  checkWorkspaceOptions(options);
  const around = surroundingsOf(world, options);
  const { root, config } = await openWorkspace(around);
  const caller: Caller = { ...around, notice: () => undefined };
  return {
    root,
    config,
    tasks: {
      list: (query) => eachTask(query ?? {}, caller),
      ready: async (scope, limit = 100) => (await readyTasks({ scope: scopeOf(scope), limit }, caller)).tasks,
      get: async (id) => {
        checkId(id);
        return await showTask(id, caller);
      },
      add: async (task, scope) => {
        checkTask(task);
        return await addTask({ task, scope: scopeOf(scope) }, caller);
      },
    },
    context: {
      read: async (scope) => (await showContext(scopeOf(scope), around)).text,
      add: async (text, scope) => {
        checkText(text);
        await addContext(text, scopeOf(scope), around);
      },
      clear: async (scope) => void (await emptyContext(scopeOf(scope), around)),
    },
    prompt: async (mode, scope) => {
      checkMode(mode);
      return await showPrompt({ mode, scope: scopeOf(scope), iteration: 1 }, around);
    },
    run: (asked = {}) => runIn(world, { ...options, ...asked }),
  };
}

function scopeOf(scope: ScopeChoice = {}): ScopeChoice {
  checkScope(scope);
  return scope;
}

async function* eachTask(query: TaskQuery, caller: Caller): AsyncIterable<Task> {
  checkTaskQuery(query);
  const { scope = {}, ...filter } = query;
  for await (const { tasks } of listTasks({ scope, ...filter }, caller)) yield* tasks;
}
