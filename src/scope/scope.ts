import type { ScopeDocument } from "../domain/prompt/ralph-prompt.ts";
import type { SprintState } from "../domain/prompt/sprint.ts";
import type { FoundWorkflow, HookWorkflowPlace } from "./hook-workflow.ts";
import type { SprintDefinition } from "./sprint-definition.ts";
import type { SprintPlace } from "./sprint-files.ts";

export { listDocuments, readDocument } from "./document.ts";
export { openScope } from "./open-scope.ts";
export { findScopeKey } from "./scope-key.ts";
export type { HooksInFile, SprintDefinition } from "./sprint-definition.ts";
export {
  additionTo,
  appendContext,
  clearContext,
  type ContextPlace,
  listContexts,
  overwriteContext,
  readContext,
  readForeignContext,
  type ScopeContext,
} from "./context.ts";

/** See `readSprint` in sprint.ts. Loaded when it is called: YAML would double the start of every task command. */
export async function readSprint(place: SprintPlace): Promise<Omit<SprintState, "iteration">> {
  const { readSprint } = await import("./sprint.ts");
  return await readSprint(place);
}

/** See `readHookWorkflow` in hook-workflow.ts. Loaded when it is called, as above. */
export async function readHookWorkflow(name: string, place: HookWorkflowPlace): Promise<FoundWorkflow> {
  const { readHookWorkflow } = await import("./hook-workflow.ts");
  return await readHookWorkflow(name, place);
}

/** See `readSprintDefinition` in sprint-definition.ts. Loaded when it is called, as above. */
export async function readSprintDefinition(
  place: SprintPlace,
  options: { readonly isStrict: boolean },
): Promise<SprintDefinition> {
  const { readSprintDefinition } = await import("./sprint-definition.ts");
  return await readSprintDefinition(place, options);
}

/** The requested scope: at most one of project, change and sprint; a module alone or with a change. */
export interface ScopeChoice {
  readonly project?: string | undefined;
  readonly change?: string | undefined;
  readonly sprint?: string | undefined;
  readonly module?: string | undefined;
}

/** The paths of a scope, relative to the workspace unless they are outside. */
export interface ScopeSettings {
  readonly root: string;
  /** What a sprint's folder is relative to. */
  readonly cwd: string;
  readonly specsDirs: readonly string[];
  readonly plan: "auto" | readonly string[];
  readonly prompts: { readonly plan: string; readonly build: string };
  readonly layouts: readonly string[];
}

/** What a run is about: which prompts, specs, plan files and context belong to it. */
export interface Scope {
  /** `workspace`, `project/auth`, `change/014-01_add-docs`, `sprint/login`: the same in the store and in file names. */
  readonly key: string;
  readonly project?: string;
  readonly change?: ScopeDocument;
  /** Of a change: what else in its folder should be read, such as a design. */
  readonly documents?: readonly string[];
  readonly module?: ScopeDocument;
  /** Of a sprint: its folder. */
  readonly sprint?: string;
  /** Prompt files by mode. */
  readonly prompts: { readonly plan: string; readonly build: string };
  readonly specsDirs: readonly string[];
  readonly planFiles: readonly string[];
  /** Patterns that some of them were found by; absent without any. */
  readonly planPatterns?: readonly string[];
  /** For the user, such as an empty specs directory. */
  readonly warnings: readonly string[];
}
