import { LAYOUTS } from "../domain/layouts.ts";
import { assemblePrompt, type PromptLayout } from "../domain/prompt/ralph-prompt.ts";
import { textOf } from "../domain/prompt/section.ts";
import { readDocument } from "../scope/scope.ts";

export interface RalphPromptOptions {
  readonly changeId?: string | undefined;
  readonly moduleId?: string | undefined;
  /** Without it: the task alone, no preamble. */
  readonly iteration?: number | undefined;
  /** Absent or 0: unlimited. */
  readonly maxIterations?: number | undefined;
  readonly minIterations?: number | undefined;
  readonly completionPromise?: string | undefined;
  readonly contextContent?: string | null | undefined;
  readonly validationFailure?: string | null | undefined;
  readonly layout?: PromptLayout | undefined;
  /** The workspace that contains change and module; default: the working directory. */
  readonly root?: string | undefined;
  /** The folders of the workspace that may contain changes and modules. */
  readonly layouts?: readonly string[] | undefined;
}

/**
 * The prompt of one iteration: preamble, change, module and user prompt. A change or module that does not exist is left
 * out; an ambiguous one is an error.
 */
export async function buildRalphPrompt(userPrompt: string, options: RalphPromptOptions = {}): Promise<string> {
  const { changeId, moduleId, root = ".", layouts = LAYOUTS, ...rest } = options;
  const place = { root, layouts };
  const change = changeId === undefined ? undefined : await readDocument(place, "change", changeId);
  const module = moduleId === undefined ? undefined : await readDocument(place, "module", moduleId);
  return textOf(
    assemblePrompt({
      ...rest,
      change: change?.document,
      module: module?.document,
      body: [{ name: "prompt", text: userPrompt }],
    }),
  );
}
