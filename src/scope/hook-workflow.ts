import { resolve } from "node:path";
import * as z from "zod/mini";
import { problemsError, writtenKey } from "../domain/data-problem.ts";
import type { HookPhase } from "../domain/hook.ts";
import { findProblems } from "../system/check-data.ts";
import { checkNamed } from "../system/folder.ts";
import { type WorkflowPlace, workflowPaths } from "./sprint-files.ts";
import { readYamlFile, type YamlFile } from "./yaml-file.ts";

/** The folders that may hold workflows. */
export interface HookWorkflowPlace extends WorkflowPlace {
  /** The folder of each plugin. */
  readonly plugins: Readonly<Record<string, string>>;
}

/** The sessions of a workflow that runs as a hook, or where it was looked for. */
export type FoundWorkflow =
  | { readonly kind: "found"; readonly phases: readonly HookPhase[] }
  | { readonly kind: "missing"; readonly places: readonly string[] };

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Reads a workflow by its name, `PLUGIN:NAME` for one of a plugin: its phases, or its goal as the only one. */
export async function readHookWorkflow(name: string, place: HookWorkflowPlace): Promise<FoundWorkflow> {
  const { folders, file } = placesOf(name, place);
  for (const shown of NAME.test(file) ? workflowPaths(folders, file) : []) {
    const path = resolve(place.root, shown);
    await checkNamed(place.root, path);
    const workflow = await readYamlFile(path, shown);
    if (workflow !== undefined) return { kind: "found", phases: phasesOf(workflow) };
  }
  return { kind: "missing", places: folders };
}

function placesOf(name: string, { workflows, plugins }: HookWorkflowPlace) {
  const colon = name.indexOf(":");
  if (colon === -1) return { folders: workflows, file: name };
  const plugin = name.slice(0, colon);
  const folder = Object.hasOwn(plugins, plugin) ? plugins[plugin] : undefined;
  return { folders: folder === undefined ? [] : [folder], file: name.slice(colon + 1) };
}

const EXAMPLE = "Write `phases: [{ id: look, prompt: … }]`";
const TEXT = `must be text that is not empty\n${EXAMPLE}`;
const PHASES = `must be a list with at least one phase, unless there is a goal-prompt\n${EXAMPLE}`;

const text = z.string(TEXT).check(z.regex(/\S/, TEXT));
const phase = z.looseObject({ prompt: text }, `must have a prompt\n${EXAMPLE}`);
const withPhases = z.looseObject({ phases: z.array(phase, PHASES).check(z.minLength(1, PHASES)) });

function phasesOf({ data, file, locate }: YamlFile): readonly HookPhase[] {
  const goal = text.safeParse(data["goal-prompt"]);
  if (goal.success && data["phases"] === undefined) return [{ id: "goal", prompt: goal.data }];
  const hints = { value: () => EXAMPLE, key: () => EXAMPLE };
  const [problem] = findProblems(withPhases, data, { nameOf: writtenKey, locate, whole: file, hints });
  if (problem !== undefined) throw problemsError("data", [problem], file);
  const { phases } = withPhases.parse(data);
  return phases.map(({ id, prompt }, index) => ({ id: text.safeParse(id).data ?? `phase-${index + 1}`, prompt }));
}
