import { resolve } from "node:path";
import { RalphError } from "../domain/error.ts";
import { type PlaceholderOptions, resolvePromptPlaceholders } from "../domain/prompt/placeholders.ts";
import { assemblePrompt } from "../domain/prompt/ralph-prompt.ts";
import { type Section, textOf } from "../domain/prompt/section.ts";
import { buildPlanSystemPrompt, buildSystemPrompt } from "../domain/prompt/system-prompt.ts";
import { formatSize } from "../domain/size.ts";
import { readContext, type Scope, type ScopeChoice } from "../scope/scope.ts";
import { checkNamed } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import { firstHarness, openWorkspace, openWorkspaceScope, type Surroundings, type Workspace } from "./workspace.ts";

export interface PromptRequest {
  readonly mode: "plan" | "build";
  readonly scope: ScopeChoice;
  readonly iteration: number;
}

/** Exactly what an agent would be sent. */
export interface PromptView {
  readonly system: string;
  readonly sections: readonly Section[];
  readonly warnings: readonly string[];
}

/** How often a mode goes round when nobody said so (P-42); in build mode that depends on the tasks. */
const DEFAULT_ITERATIONS: Readonly<Record<PromptRequest["mode"], number | undefined>> = { plan: 3, build: undefined };

/** Assembles the prompt of an iteration without starting anything. */
export async function showPrompt(request: PromptRequest, surroundings: Surroundings): Promise<PromptView> {
  const workspace = await openWorkspace(surroundings);
  const { root, config } = workspace;
  const scope = await openWorkspaceScope(workspace, request.scope);
  const file = scope.prompts[request.mode];
  const prompt = promptText(await readPrompt(workspace, file), file, {
    project: scope.project,
    specs: scope.specsDirs.join(", ") || "the repository",
    plan: scope.planFiles.join(", ") || "IMPLEMENTATION_PLAN.md",
    ...modelNames(workspace, surroundings),
  });
  const sections = assemblePrompt({
    iteration: request.iteration,
    maxIterations: config.limits.iterations ?? DEFAULT_ITERATIONS[request.mode],
    minIterations: config.limits.minIterations,
    completionPromise: config.promise,
    contextContent: await readContext({ root, scope: scope.key, limitBytes: config.limits.context }),
    change: scope.change,
    module: scope.module,
    body: [{ name: "prompt", text: prompt }],
    layout: config.prompts.layout,
    template: await preambleTemplate(workspace),
    preamble: firstHarness(workspace).preamble,
  });
  const bytes = Buffer.byteLength(textOf(sections));
  if (bytes > config.limits.prompt) {
    throw new RalphError(
      "data",
      `The prompt has ${bytes} bytes, and limits.prompt is ${formatSize(config.limits.prompt)}`,
      {
        hint: "Shorten the texts that ralphctl prompt shows, or raise limits.prompt",
      },
    );
  }
  return { system: systemPrompt(workspace, scope, request.mode), sections, warnings: scope.warnings };
}

function systemPrompt({ config }: Workspace, scope: Scope, mode: PromptRequest["mode"]): string {
  const options = { specsDirs: scope.specsDirs, completionPromise: config.promise };
  return mode === "plan"
    ? buildPlanSystemPrompt({ ...options, planFiles: scope.planFiles })
    : buildSystemPrompt(options);
}

/** A prompt file with its placeholders filled. */
function promptText(content: string, file: string, options: PlaceholderOptions): string {
  const prompt = resolvePromptPlaceholders(content, options);
  if (prompt.trim() !== "") return prompt;
  throw new RalphError("data", `The prompt file ${file} is empty`, {
    hint: "Write into it what the agent shall do, or remove it and run ralphctl init",
  });
}

function modelNames(workspace: Workspace, { smartModel, fastModel }: Surroundings): PlaceholderOptions {
  const { smart, fast } = firstHarness(workspace);
  return { smart: smartModel ?? smart ?? "your strongest model", fast: fastModel ?? fast ?? "your fastest model" };
}

async function readPrompt({ root, config }: Workspace, file: string): Promise<string> {
  const content = await readPromptFile(root, file, config.limits.prompt);
  if (content !== undefined) return content;
  throw new RalphError("config", `The prompt file ${file} does not exist`, { hint: "Run ralphctl init" });
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
  return await readTextFile(path, { limitBytes, what: `The prompt file ${file}` });
}
