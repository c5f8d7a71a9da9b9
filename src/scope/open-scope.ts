import { join, resolve } from "node:path";
import { RalphError } from "../domain/error.ts";
import { nearest } from "../domain/nearest.ts";
import { checkScopeName } from "../domain/scope-name.ts";
import { shellWord } from "../domain/shell-word.ts";
import { entriesIn, foldersIn, kindOf } from "../system/folder.ts";
import { type FoundDocument, listChanges, readChange, readModule } from "./document.ts";
import type { Scope, ScopeChoice, ScopeSettings } from "./scope.ts";

/** Finds what belongs to the scope that was asked for; a name that nothing answers to is an error. */
export async function openScope(choice: ScopeChoice, settings: ScopeSettings): Promise<Scope> {
  const base =
    choice.project === undefined
      ? choice.change === undefined
        ? workspaceScope(settings)
        : await changeScope(choice.change, settings)
      : await projectScope(choice.project, settings);
  const module = choice.module === undefined ? undefined : await moduleOf(choice.module, settings);
  return {
    ...base,
    ...(settings.plan === "auto" ? {} : { planFiles: settings.plan }),
    ...(module?.document && { module: module.document }),
    warnings: await specsWarnings(settings.root, base.specsDirs),
  };
}

type BaseScope = Omit<Scope, "warnings" | "module">;

const PLAN_FILE = "IMPLEMENTATION_PLAN.md";

const workspaceScope = ({ specsDirs, prompts }: ScopeSettings): BaseScope => ({
  key: "workspace",
  prompts,
  specsDirs,
  planFiles: [PLAN_FILE],
});

async function projectScope(name: string, settings: ScopeSettings): Promise<BaseScope> {
  checkScopeName("project", name);
  const folder = `projects/${name}`;
  const kind = await kindOf(join(settings.root, folder));
  if (kind !== undefined && kind !== "folder") {
    throw new RalphError("config", `${folder} is not a folder, so it cannot be a project`, {
      hint: "Move it away, or choose another name",
    });
  }
  if (kind === undefined) {
    const meant = nearest(name, await foldersIn(join(settings.root, "projects")));
    throw new RalphError("config", `There is no project ${JSON.stringify(name)}: ${folder} does not exist`, {
      hint: `${meant ? `Did you mean --project ${meant}? To create it, run` : "Run"} ralphctl init --project ${shellWord(name)}`,
    });
  }
  return {
    key: `project/${name}`,
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
  const change = orUnknown(await readChange(settings, input), {
    noun: "change",
    input,
    known: await listChanges(settings),
  });
  const specs = `${change.folder}/specs`;
  const hasSpecs = (await kindOf(join(settings.root, specs))) === "folder";
  return {
    key: `change/${change.id}`,
    ...(change.document && { change: change.document }),
    prompts: settings.prompts,
    specsDirs: [...(hasSpecs ? [specs] : []), ...settings.specsDirs],
    planFiles: [`${change.folder}/tasks.md`],
  };
}

const moduleOf = async (input: string, settings: ScopeSettings): Promise<FoundDocument> =>
  orUnknown(await readModule(settings, input), { noun: "module", input, known: [] });

interface Unknown {
  readonly noun: string;
  readonly input: string;
  readonly known: readonly string[];
}

function orUnknown(found: FoundDocument | undefined, { noun, input, known }: Unknown): FoundDocument {
  if (found) return found;
  const meant = nearest(input, known);
  const hint = meant
    ? `Did you mean --${noun} ${meant}?`
    : known.length > 0
      ? `Choose one of: ${known.slice(0, 8).join(", ")}`
      : `Create openspec/${noun}s/<id>/${noun === "change" ? "proposal" : "module"}.md, or set layouts in the configuration`;
  throw new RalphError("usage", `There is no ${noun} ${JSON.stringify(input)}`, { hint });
}

const ownOr = async (root: string, own: string, other: string): Promise<string> =>
  (await kindOf(join(root, own))) === "file" ? own : other;

async function specsWarnings(root: string, dirs: readonly string[]): Promise<string[]> {
  const warnings = await Promise.all(
    dirs.map(async (dir) => {
      if ((await kindOf(resolve(root, dir))) !== "folder") return `The specs directory ${dir} does not exist`;
      const specs = (await entriesIn(resolve(root, dir))).filter((name) => !name.startsWith("."));
      return specs.length === 0 ? `The specs directory ${dir} is empty` : undefined;
    }),
  );
  return warnings.filter((warning) => warning !== undefined);
}
