import { resolve } from "node:path";
import { RalphError } from "../domain/error.ts";
import { type IterationBrief, iterationBody, shorterBriefs } from "../domain/prompt/iteration-body.ts";
import { resolvePromptPlaceholders, TEMPLATE_LINE, unfilled } from "../domain/prompt/placeholders.ts";
import type { PreambleClaim } from "../domain/prompt/preamble.ts";
import { assemblePrompt, type PromptParts } from "../domain/prompt/ralph-prompt.ts";
import { type Section, textOf } from "../domain/prompt/section.ts";
import { buildGoalSystemPrompt, buildPlanSystemPrompt, buildSystemPrompt } from "../domain/prompt/system-prompt.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import { formatSize } from "../domain/size.ts";
import { type ContextPlace, readContext, type Scope } from "../scope/scope.ts";
import { checkNamed } from "../system/folder.ts";
import { expectFile } from "../system/git/expected-file.ts";
import { checkNoUnfinishedOperation } from "../system/git/unfinished-operation.ts";
import { readTextFile } from "../system/text-file.ts";
import { contextPlace } from "./context.ts";
import { knownHarnesses } from "./known-harnesses.ts";
import type { HarnessFlags } from "./run/check-harnesses.ts";
import type { Surroundings, Workspace } from "./workspace.ts";

/** Which iteration a prompt is for, and what the loop knows about it. */
export interface IterationPromptRequest extends IterationBrief {
  readonly iteration: number;
  /** Undefined: no limit is known. */
  readonly maxIterations: number | undefined;
  /** Its settings decide about the preamble and name the models. */
  readonly harness: string;
  /** Undefined: what the configuration says. */
  readonly minIterations?: number | undefined;
  /** In a sprint: stands in place of the prompt file. */
  readonly body?: string | undefined;
  /** In a sprint: no step is assigned, the goal itself is looked at. */
  readonly isAboutGoal?: boolean | undefined;
}

/** The exact prompt of an agent. */
export interface IterationPrompt {
  readonly system: string;
  readonly sections: readonly Section[];
  /** The sections put together. */
  readonly text: string;
}

/** Makes the prompts of one scope. */
export type PromptMaker = (request: IterationPromptRequest) => Promise<IterationPrompt>;

/** Reads prompt file, template and context anew each time: people change them during a run (S004-D5). */
export function createPromptMaker(
  workspace: Workspace,
  scope: Scope,
  surroundings: Surroundings & Pick<HarnessFlags, "harnesses"> & { readonly attend?: object | undefined },
): PromptMaker {
  const isAttended = surroundings.attend !== undefined;
  const harnesses = knownHarnesses(workspace.config, surroundings.harnesses);
  let place: Promise<ContextPlace> | undefined; // beside the store, which stays where it is
  return async (request) => {
    const { config } = workspace;
    const prompt = request.body ?? (await promptOf({ workspace, scope, surroundings }, request));
    const parts = {
      iteration: request.iteration,
      maxIterations: request.maxIterations,
      minIterations: request.minIterations ?? config.limits.minIterations,
      completionPromise: config.promise,
      claim: claimOf(request),
      todoTool: harnesses[request.harness]?.facts.todoTool ?? null,
      isAttended,
      contextContent: await readContext(await (place ??= contextPlace(workspace, scope.key))),
      change: scope.change,
      module: scope.module,
      layout: config.prompts.layout,
      template: await preambleTemplate(workspace),
      preamble: workspace.harness(request.harness).preamble,
    };
    const sections = fittingSections({ prompt, parts, limitBytes: config.limits.prompt }, request);
    return { system: systemPrompt(workspace, scope, { ...request, isAttended }), sections, text: textOf(sections) };
  };
}

/** P-12: in the words of the mode's system prompt. Undefined: a promise is the only claim. */
function claimOf({ task, isAboutGoal = false }: IterationPromptRequest): PreambleClaim | undefined {
  if (isAboutGoal) return { what: "goal", text: "RALPH_COMPLETE: [summary]" };
  return task && { what: "task", text: `<task-done>${task.taskId}</task-done>` };
}

/** The prompt file of a mode, with its placeholders filled. */
async function promptOf(
  { workspace, scope, surroundings: { smartModel, fastModel } }: PromptPlace,
  { mode, harness }: IterationPromptRequest,
): Promise<string> {
  const { smart, fast } = workspace.harness(harness);
  const prompt = resolvePromptPlaceholders(await readScopePrompt(workspace, scope, mode), {
    project: scope.project,
    specs: scope.specsDirs.join(", ") || "the repository",
    plan: namesInLine(scope.planFiles) || "IMPLEMENTATION_PLAN.md",
    smart: smartModel ?? smart ?? "your strongest model",
    fast: fastModel ?? fast ?? "your fastest model",
  });
  if (prompt.trim() !== "") return prompt;
  throw new RalphError("data", `The prompt file ${scope.prompts[mode]} is empty`, {
    hint: "Describe the agent's work in it, or remove it and run ralphctl init",
  });
}

interface PromptPlace {
  readonly workspace: Workspace;
  readonly scope: Scope;
  readonly surroundings: Surroundings;
}

/** The prompt file of a mode as it was written; an error where there is none. */
export async function readScopePrompt(
  { root, config }: Workspace,
  scope: Scope,
  mode: IterationBrief["mode"],
): Promise<string> {
  const file = scope.prompts[mode];
  const content = await readPromptFile(root, file, config.limits.prompt);
  if (content !== undefined) return content;
  throw new RalphError("config", `The prompt file ${file} does not exist`, { hint: "Run ralphctl init" });
}

/** D-01: placeholders of ours that an agent would read as they are. */
export async function promptWarnings(
  workspace: Workspace,
  scope: Scope,
  modes: readonly IterationBrief["mode"][],
): Promise<string[]> {
  if (scope.sprint !== undefined) return []; // it has prompts of its own
  const files = modes.map(async (mode) => {
    const names = unfilled(await readScopePrompt(workspace, scope, mode).catch(() => ""));
    const [file, all] = [scope.prompts[mode], names.join(", ")];
    return names.length === 0
      ? []
      : [`${file}: agents read ${all} as it is written, because the first line is not ${TEMPLATE_LINE}`];
  });
  return (await Promise.all(files)).flat();
}

interface Frame {
  readonly prompt: string;
  readonly parts: Omit<PromptParts, "body" | "validationFailure">;
  readonly limitBytes: number;
}

function fittingSections({ prompt, parts, limitBytes }: Frame, whole: IterationBrief): Section[] {
  let bytes = 0;
  for (const brief of shorterBriefs(whole)) {
    const body = iterationBody(prompt, brief);
    const sections = assemblePrompt({ ...parts, validationFailure: brief.validationFailure, body });
    bytes = Buffer.byteLength(textOf(sections));
    if (bytes <= limitBytes) return sections;
  }
  throw new RalphError(
    "data",
    `The prompt has ${bytes} bytes, more than limits.prompt allows (${formatSize(limitBytes)})`,
    { hint: "Shorten the texts that ralphctl prompt shows, or raise limits.prompt" },
  );
}

function systemPrompt(
  { config, harness: settingsOf }: Workspace,
  { specsDirs, planFiles }: Scope,
  about: IterationPromptRequest & { readonly isAttended: boolean },
): string {
  const { mode, harness, isAboutGoal, isAttended } = about;
  const { models } = settingsOf(harness);
  const options = { specsDirs, planFiles, completionPromise: config.promise, models, isAttended };
  if (isAboutGoal === true) return buildGoalSystemPrompt(options);
  return mode === "plan" ? buildPlanSystemPrompt(options) : buildSystemPrompt(options);
}

async function preambleTemplate({ root, config }: Workspace): Promise<string | undefined> {
  const file = config.prompts.template;
  if (file === null) return undefined;
  const template = await readPromptFile(root, file, config.limits.prompt);
  if (template !== undefined) return template;
  throw new RalphError("config", `The preamble template ${file} does not exist`, {
    hint: "Correct prompts.template, or --preamble-template",
  });
}

async function readPromptFile(root: string, file: string, limitBytes: number): Promise<string | undefined> {
  const path = resolve(root, file);
  await checkNamed(root, path);
  const text = await expectFile(path, () => readTextFile(path, { limitBytes, what: `The prompt file ${file}` }));
  if (text === undefined) checkNoUnfinishedOperation(root);
  return text;
}
