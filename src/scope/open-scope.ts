import { join, resolve } from "node:path";
import { entriesIn, kindOf } from "../system/folder.ts";
import { documentOf } from "./document.ts";
import { findProject, findSprint } from "./scope-key.ts";
import type { Scope, ScopeChoice, ScopeSettings } from "./scope.ts";

/** Opens the scope that the user asked for; an unknown name is an error. */
export async function openScope(choice: ScopeChoice, settings: ScopeSettings): Promise<Scope> {
  const base = await baseScope(choice, settings);
  const module = choice.module === undefined ? undefined : await documentOf(settings, "module", choice.module);
  return {
    ...base,
    // A sprint without its file would be none.
    ...(settings.plan === "auto" || base.sprint !== undefined ? {} : { planFiles: settings.plan }),
    ...(module?.document && { module: module.document }),
    warnings: await specsWarnings(settings.root, base.specsDirs),
  };
}

type BaseScope = Omit<Scope, "warnings" | "module">;

const PLAN_FILE = "IMPLEMENTATION_PLAN.md";

async function baseScope({ project, change, sprint }: ScopeChoice, settings: ScopeSettings): Promise<BaseScope> {
  if (project !== undefined) return await projectScope(project, settings);
  if (change !== undefined) return await changeScope(change, settings);
  return sprint === undefined ? workspaceScope(settings) : await sprintScope(sprint, settings);
}

const workspaceScope = ({ specsDirs, prompts }: ScopeSettings): BaseScope => ({
  key: "workspace",
  prompts,
  specsDirs,
  planFiles: [PLAN_FILE],
});

async function projectScope(name: string, settings: ScopeSettings): Promise<BaseScope> {
  const { key, folder } = await findProject(name, settings.root);
  return {
    key,
    project: name,
    prompts: {
      plan: await ownOr(settings.root, `${folder}/PROMPT_plan.md`, settings.prompts.plan),
      build: await ownOr(settings.root, `${folder}/PROMPT_build.md`, settings.prompts.build),
    },
    specsDirs: [`${folder}/specs`],
    planFiles: [`${folder}/${PLAN_FILE}`],
  };
}

async function changeScope(input: string, settings: ScopeSettings): Promise<BaseScope> {
  const change = await documentOf(settings, "change", input);
  return {
    key: `change/${change.id}`,
    ...(change.document && { change: change.document }),
    documents: await documentsOf(change.folder, settings.root),
    prompts: settings.prompts,
    specsDirs: await changeSpecs(change.folder, settings),
    planFiles: [`${change.folder}/tasks.md`],
  };
}

/**
 * The specs of the change, the current ones (OpenSpec keeps them in `specs/` next to `changes/`), and the workspace's.
 * Empty folders are left out, unless all are.
 */
async function changeSpecs(folder: string, { root, specsDirs }: ScopeSettings): Promise<readonly string[]> {
  const layout = folder.split("/").slice(0, -2).join("/");
  const candidates = [...new Set([`${folder}/specs`, `${layout}/specs`, ...specsDirs])];
  const hasSpecs = await Promise.all(candidates.map(async (dir) => (await specsIn(root, dir)).length > 0));
  const found = candidates.filter((_, index) => hasSpecs[index]);
  return found.length > 0 ? found : specsDirs;
}

/** OpenSpec's design document of a change. */
const documentsOf = async (folder: string, root: string): Promise<string[]> =>
  (await kindOf(join(root, folder, "design.md"))) === "file" ? [`${folder}/design.md`] : [];

async function sprintScope(directory: string, settings: ScopeSettings): Promise<BaseScope> {
  const { key, folder } = await findSprint(directory, settings);
  return {
    key,
    sprint: folder,
    prompts: settings.prompts,
    specsDirs: settings.specsDirs,
    planFiles: [join(folder, "PROGRESS.yaml")],
  };
}

const ownOr = async (root: string, own: string, other: string): Promise<string> =>
  (await kindOf(join(root, own))) === "file" ? own : other;

async function specsWarnings(root: string, dirs: readonly string[]): Promise<string[]> {
  const warnings = await Promise.all(
    dirs.map(async (dir) => {
      if ((await kindOf(resolve(root, dir))) !== "folder") return `The specs directory ${dir} does not exist`;
      return (await specsIn(root, dir)).length === 0 ? `The specs directory ${dir} is empty` : undefined;
    }),
  );
  return warnings.filter((warning) => warning !== undefined);
}

const specsIn = async (root: string, dir: string): Promise<string[]> =>
  (await entriesIn(resolve(root, dir))).filter((name) => !name.startsWith("."));
