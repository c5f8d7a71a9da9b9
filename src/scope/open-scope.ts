import { join, resolve } from "node:path";
import { entriesIn, isBelow, kindOf, realPathOf } from "../system/folder.ts";
import { matches } from "../domain/glob.ts";
import { SPEC_KIT_FEATURES } from "../domain/layouts.ts";
import { documentOf, isFeature } from "./document.ts";
import { findProject, findSprint } from "./scope-key.ts";
import type { Scope, ScopeChoice, ScopeSettings } from "./scope.ts";

/** Opens the scope that the user asked for; an unknown name is an error. */
export async function openScope(choice: ScopeChoice, settings: ScopeSettings): Promise<Scope> {
  const base = await baseScope(choice, settings);
  const module = choice.module === undefined ? undefined : await documentOf(settings, "module", choice.module);
  return {
    ...base,
    ...(await chosenPlans(base, settings)),
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

/** A list is the workspace's: other scopes have files of their own. `[]` is for all but sprints, which are nothing without theirs. */
async function chosenPlans(
  { key, sprint }: BaseScope,
  { plan, root }: ScopeSettings,
): Promise<Pick<Scope, "planFiles" | "planPatterns"> | undefined> {
  if (plan === "auto" || sprint !== undefined || (plan.length > 0 && key !== WORKSPACE)) return undefined;
  const lists = await Promise.all(plan.map(async (written) => await filesOf(written, root)));
  const planPatterns = plan.filter(isPattern);
  return { planFiles: [...new Set(lists.flat())], ...(planPatterns.length > 0 && { planPatterns }) };
}

/** `backlog/tasks/*.md` is every such file; a name without `*` and `?` is itself, were it not there yet. */
async function filesOf(written: string, root: string): Promise<string[]> {
  const slash = written.lastIndexOf("/");
  const [folder, name] = [written.slice(0, Math.max(slash, 0)), written.slice(slash + 1)];
  if (!isPattern(written)) return [written];
  const names = (await entriesIn(resolve(root, folder))).filter((each) => matches(name, each));
  return names.map((each) => (folder === "" ? each : `${folder}/${each}`));
}

/** Only the name of a file can be one. */
const isPattern = (written: string): boolean => /[*?][^/]*$/.test(written);

const WORKSPACE = "workspace";

const workspaceScope = ({ specsDirs, prompts }: ScopeSettings): BaseScope => ({
  key: WORKSPACE,
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
  const candidates = [...new Set([...ownSpecs(folder), ...specsDirs.filter((dir) => !isAbove(dir, folder))])];
  const hasSpecs = await Promise.all(candidates.map(async (dir) => (await specsIn(root, dir)).length > 0));
  const found = candidates.filter((_, index) => hasSpecs[index]);
  return found.length > 0 ? found : specsDirs;
}

/** A feature of spec-kit is a folder of specs itself, beside those of other features. */
const ownSpecs = (folder: string): string[] =>
  isFeature(folder) ? [folder] : [`${folder}/specs`, `${folder.split("/").slice(0, -2).join("/")}/specs`];

const isAbove = (dir: string, folder: string): boolean => isFeature(folder) && dir === SPEC_KIT_FEATURES;

/** OpenSpec's design document of a change; of a feature of spec-kit, how it is to be built. */
async function documentsOf(folder: string, root: string): Promise<string[]> {
  const names = isFeature(folder) ? ["plan.md", "research.md", "data-model.md", "quickstart.md"] : ["design.md"];
  const files = names.map((name) => `${folder}/${name}`);
  const kinds = await Promise.all(files.map(async (file) => await kindOf(join(root, file))));
  return files.filter((_, index) => kinds[index] === "file");
}

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
      const folder = resolve(root, dir);
      if ((await kindOf(folder)) !== "folder") return `The specs directory ${dir} does not exist`;
      if (isBelow(root, folder) && !isBelow(realPathOf(root), realPathOf(folder))) {
        return `The specs directory ${dir} is a link that leads out of the workspace: lanes do not get its files`;
      }
      return (await specsIn(root, dir)).length === 0 ? `The specs directory ${dir} is empty` : undefined;
    }),
  );
  return warnings.filter((warning) => warning !== undefined);
}

const specsIn = async (root: string, dir: string): Promise<string[]> =>
  (await entriesIn(resolve(root, dir))).filter((name) => !name.startsWith("."));
