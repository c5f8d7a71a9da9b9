import { resolve } from "node:path";
import { chosenTasks, openLeaves } from "./chosen-tasks.ts";
import { adHocTasks, findOrCreateTask } from "./ad-hoc-task.ts";
import type { Workspace } from "../workspace.ts";
import { RalphError } from "../../domain/error.ts";
import type { RunFinished } from "../../domain/run/event.ts";
import { nothingKnown } from "../../domain/run/run-finished.ts";
import type { RunDeps } from "../../loop/run-deps.ts";
import { isTemplate, resolvePromptPlaceholders } from "../../domain/prompt/placeholders.ts";
import { titleFromPrompt, titleFromText } from "../../domain/run/task-title.ts";
import { describeScope, scopeFlag } from "../../domain/scope-name.ts";
import { formatSize } from "../../domain/size.ts";
import { isUnfinished, promptTaskSource, type TaskId } from "../../domain/task.ts";
import type { Scope } from "../../scope/scope.ts";
import type { ScopeCounts, Store } from "../../store/store.ts";
import { checkNamed, entriesIn, kindOf } from "../../system/folder.ts";
import { readTextFile } from "../../system/text-file.ts";

export interface WorkRequest extends Brief {
  readonly mode: "auto" | "plan" | "build";
  /** Ids of `--task`, or their beginnings. */
  readonly tasks?: readonly string[] | undefined;
  /** The last run was killed while planning, so the plan may be incomplete. */
  readonly planInterrupted?: boolean;
}

export interface WorkPlace {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly scope: Scope;
}

/** The work of a run. */
export type Work = { readonly kind: "plan"; readonly words?: string } | BuildWork | NothingToDo;

/** P-05, exit code 3: nothing to do, and the commands that would help. */
export interface NothingToDo {
  readonly kind: "nothing";
  readonly message: string;
  readonly help: readonly string[];
  /** Keys of scopes that have something to do. */
  readonly elsewhere?: readonly string[];
}

export interface BuildWork {
  readonly kind: "build";
  /** Undefined: every task of the scope. */
  readonly only: readonly TaskId[] | undefined;
  /** Open leaves at the start; `one` for words, a file or a prompt file (P-42). */
  readonly size: number | "one";
  /** A task that was made for this run. */
  readonly made?: TaskId | undefined;
  /** Notices for the user, such as that a requested task is already finished. */
  readonly notices: readonly string[];
}

/** Chooses the work of a run (P-01 … P-05). Call it after following the plan files. */
export async function chooseWork({ request, ...place }: WorkPlace & { readonly request: WorkRequest }): Promise<Work> {
  const { mode, tasks = [] } = request;
  checkRequest(request);
  const words = await briefText(request, place.workspace);
  if (mode === "plan") return { kind: "plan", ...(words !== undefined && { words }) };
  if (words !== undefined) return await workOfWords(place, words);
  return tasks.length > 0 ? await workOfTasks(place, tasks) : await workOfScope(place, request);
}

function checkRequest({ mode, words, file, tasks = [] }: WorkRequest): void {
  if (tasks.length === 0) return;
  if (words !== undefined || file !== undefined) {
    throw new RalphError(
      "usage",
      `${file === undefined ? "A description" : "--file"} and --task cannot be used together`,
      { hint: "Add the text to the task: ralphctl task edit ID --description TEXT" },
    );
  }
  if (mode === "plan") {
    throw new RalphError("usage", "--task cannot be used in plan mode, which assigns no task", {
      hint: "Run ralphctl run build --task ID, or remove --task",
    });
  }
}

async function workOfWords({ store, scope }: WorkPlace, text: string): Promise<Work> {
  await refuseId(store, text);
  const own = { scope: scope.key, title: titleFromText(text), description: text };
  const { task, isNew } = await findOrCreateTask(store, { text }, own);
  const only = await openLeaves(store, task);
  const made = isNew ? task.id : undefined;
  return { kind: "build", only, size: only.length > 1 ? only.length : "one", made, notices: [] };
}

/** Words that are the id of a task are meant for `--task`; otherwise an agent would be asked to do "t-57bfffde". */
async function refuseId(store: Store, text: string): Promise<void> {
  const task = await store.get(text);
  if (task !== undefined) {
    throw new RalphError("usage", `${text} is the id of a task (${task.title}), not a description of work`, {
      hint: `Run ralphctl run --task ${text}${scopeFlag(task.scope)}`,
    });
  }
  if (!/^t-[0-9a-f]{4,}$/.test(text)) return;
  throw new RalphError("usage", `${text} looks like the id of a task, but there is no such task`, {
    hint: "Run ralphctl task list, and then ralphctl run --task ID",
  });
}

async function workOfTasks({ store, scope }: WorkPlace, texts: readonly string[]): Promise<Work> {
  const { open, notices, finished } = await chosenTasks(store, scope.key, texts);
  if (open.length > 0) return { kind: "build", only: open, size: open.length, notices };
  return {
    kind: "nothing",
    message: `Nothing to do: ${notices.join("; ")}`,
    help: finished.slice(0, 3).map((id) => `ralphctl task reset ${id}`),
  };
}

async function workOfScope(place: WorkPlace, { mode, planInterrupted = false }: WorkRequest): Promise<Work> {
  const { store, workspace, scope } = place;
  const [counts] = await store.counts([scope.key]);
  const { hasOthers, isPromptOpen, isOwnOpen, ownOpen } = await whose(store, scope.key, counts);
  const prompt = hasOthers || isOwnOpen ? undefined : await ownPrompt(place);
  if (prompt !== undefined) return await workOfPrompt(place, prompt);
  const isSpecified = await hasSpecs(workspace.root, scope.specsDirs);
  // A sprint has no plan mode: it plans on its own.
  const mayPlan = mode === "auto" && isSpecified && scope.sprint === undefined;
  if (mayPlan && planInterrupted) return { kind: "plan" };
  if (hasOthers || isOwnOpen || isPromptOpen) {
    const { leaves, retry } = counts!;
    const size = leaves.pending + leaves.in_progress + leaves.parked + retry;
    return { kind: "build", only: undefined, size: size === 1 && ownOpen === 1 ? "one" : size, notices: [] };
  }
  if (mayPlan) return { kind: "plan" };
  // Settled work is complete, whoever asked for it: the same end as of a run that has just done it.
  const isSettledWork = counts !== undefined && !isSpecified;
  return isSettledWork ? { kind: "build", only: undefined, size: 0, notices: [] } : nothing(scope, isSpecified);
}

/**
 * What a run made of words or of the prompt file is no plan: once finished, it must not keep the scope from being
 * planned, nor the prompt file from being worked on.
 */
async function whose(store: Store, scope: string, counts: ScopeCounts | undefined) {
  if (counts === undefined) return { hasOthers: false, isOwnOpen: false, isPromptOpen: false, ownOpen: 0 };
  const all = Object.values(counts.all).reduce((sum, count) => sum + count, 0);
  const { tasks, prompt } = await adHocTasks(store, scope);
  const open = tasks.filter(isUnfinished);
  return {
    hasOthers: all > tasks.length, // by hand, imported or from a plan file
    isOwnOpen: open.some(({ id }) => id !== prompt),
    isPromptOpen: open.some(({ id }) => id === prompt),
    ownOpen: open.length,
  };
}

/** The prompt file if a person wrote it: not missing, blank or the template. */
async function ownPrompt({ workspace: { root, config }, scope }: WorkPlace): Promise<string | undefined> {
  const file = scope.prompts.build;
  const path = resolve(root, file);
  await checkNamed(root, path);
  const text = await readTextFile(path, { limitBytes: config.limits.prompt, what: `The prompt file ${file}` });
  return text === undefined || text.trim() === "" || isTemplate(text) ? undefined : text;
}

async function workOfPrompt({ store, scope }: WorkPlace, prompt: string): Promise<Work> {
  const source = promptTaskSource(scope.prompts.build);
  const title = titleFromPrompt(resolvePromptPlaceholders(prompt, { project: scope.project }));
  const own = { scope: scope.key, title, description: "", source };
  const { task, isNew } = await findOrCreateTask(store, "prompt", own);
  return { kind: "build", only: [task.id], size: "one", made: isNew ? task.id : undefined, notices: [] };
}

function nothing({ key, specsDirs, prompts }: Scope, isSpecified: boolean): Work {
  const flag = scopeFlag(key);
  if (isSpecified) {
    return {
      kind: "nothing",
      message: `Nothing to build: ${describeScope(key)} has specs but no tasks yet`,
      help: [`ralphctl run plan${flag}`, `ralphctl task add "TITLE"${flag}`],
    };
  }
  const specs = specsDirs.length === 0 ? "no specs" : `no specs in ${specsDirs.join(", ")}`;
  return {
    kind: "nothing",
    message: `Nothing to do: ${describeScope(key)} has no open tasks and ${specs}, and ${prompts.build} is not a prompt of your own`,
    help: [`ralphctl run "What to do"${flag}`, `ralphctl task add "TITLE"${flag}`, `ralphctl run plan${flag}`],
  };
}

/** The end of a run that never began (P-05). */
export function nothingToDo({ emit }: Pick<RunDeps, "emit">, { message, help, elsewhere }: NothingToDo): RunFinished {
  const finished: RunFinished = {
    ...nothingKnown,
    ending: "nothing",
    mode: "build",
    reason: message,
    help,
    ...(elsewhere !== undefined && { elsewhere }),
  };
  emit(finished);
  return finished;
}

/** The work described on the command line or in a file (P-02). */
export interface Brief {
  readonly words?: string | undefined;
  /** Relative to the working directory. */
  readonly file?: string | undefined;
}

/** The description; undefined without one. */
export async function briefText({ words, file }: Brief, workspace: Workspace): Promise<string | undefined> {
  if (words !== undefined && file !== undefined) {
    throw new RalphError("usage", "A description and --file cannot be used together", {
      hint: "Put the description into the file",
    });
  }
  if (file !== undefined) return usable(await textOfFile(file, workspace), `The file ${file}`, workspace);
  return words === undefined ? undefined : usable(words, "The description of the work", workspace);
}

async function textOfFile(file: string, { root, cwd, config }: Workspace): Promise<string> {
  if (file === "") throw new RalphError("usage", "--file is blank", { hint: "Write --file brief.md" });
  const path = resolve(cwd, file);
  await checkNamed(root, path);
  const text = await readTextFile(path, { limitBytes: config.limits.prompt, what: `The file ${file}` });
  if (text !== undefined) return text;
  throw new RalphError("usage", `The file ${file} does not exist`, {
    hint: "Name a text file that describes the work, relative to the current folder",
  });
}

function usable(given: string, what: string, { config }: Workspace): string {
  const text = given.replaceAll("\r\n", "\n").trim();
  if (text === "")
    throw new RalphError("usage", `${what} is empty`, { hint: 'Describe the work: ralphctl run "Add a login page"' });
  if (Buffer.byteLength(text) <= config.limits.prompt) return text;
  throw new RalphError("data", `${what} is larger than ${formatSize(config.limits.prompt)}`, {
    hint: "Put the details into a file that it names, or raise limits.prompt",
  });
}

/** Links may form a cycle, and specs are not nested deeper than this. */
const DEEPEST = 6;

/** Whether one of the specs directories holds a file, at any depth, that is not hidden (P-04). */
export async function hasSpecs(root: string, dirs: readonly string[]): Promise<boolean> {
  for (const dir of dirs) if (await hasFile(resolve(root, dir), DEEPEST)) return true;
  return false;
}

async function hasFile(folder: string, deepest: number): Promise<boolean> {
  if (deepest === 0 || (await kindOf(folder)) !== "folder") return false;
  const paths = (await entriesIn(folder)).filter((name) => !name.startsWith(".")).map((name) => resolve(folder, name));
  for (const path of paths) if ((await kindOf(path)) === "file") return true;
  for (const path of paths) if (await hasFile(path, deepest - 1)) return true;
  return false;
}
