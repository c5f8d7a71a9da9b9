import { join } from "node:path";
import { configJsonSchema, defaultConfigText } from "../config/config.ts";
import { checkScopeName } from "../domain/scope-name.ts";
import { BUILD_PROMPT, EMPTY_PLAN, PLAN_PROMPT } from "../domain/template/prompts.ts";
import { RALPH_WORKFLOW } from "../domain/template/workflow.ts";
import { checkInside, kindOf, makeFolder, writeWhole } from "../system/folder.ts";
import { commitPaths, ignoredPaths, workingTree } from "../system/git.ts";
import { programsOn } from "../system/programs.ts";

export interface InitOptions {
  readonly cwd: string;
  /** Where programs are searched. */
  readonly searchPath: string;
  readonly project?: string | undefined;
  /** Replaces files that are there already. */
  readonly force: boolean;
}

export interface InitReport {
  readonly root: string;
  readonly files: readonly InitFile[];
  /** The agents that were found, in our order of preference. */
  readonly harnesses: readonly string[];
}

export interface InitFile {
  readonly path: string;
  readonly outcome: "created" | "kept" | "replaced";
}

/** Agents that are looked for, the one to prefer first. */
const AGENTS: readonly string[] = ["claude", "codex", "opencode", "gemini", "pi", "copilot", "qwen"];

/** Makes the repository around the working directory a workspace, and a project in it where one is named. */
export async function initWorkspace({ cwd, searchPath, project, force }: InitOptions): Promise<InitReport> {
  if (project !== undefined) checkScopeName("project", project);
  const root = await workingTree(cwd);
  const harnesses = await programsOn(searchPath, AGENTS);
  const wanted = {
    ...(await workspaceFiles(harnesses[0] ?? AGENTS[0]!)),
    ...(project === undefined ? {} : projectFiles(project)),
  };

  // All are looked at before the first is written: a refusal leaves the repository as it was.
  const planned = await Promise.all(
    Object.entries(wanted).map(async ([path, text]) => {
      await checkInside(root, join(root, path));
      const exists = (await kindOf(join(root, path))) !== undefined;
      return { path, text, outcome: exists ? (force ? "replaced" : "kept") : "created" } as const;
    }),
  );
  await makeFolder(join(root, ".ralph"), { isPrivate: true });
  for (const { path, text, outcome } of planned) if (outcome !== "kept") await writeWhole(join(root, path), text);
  return { root, files: planned.map(({ path, outcome }) => ({ path, outcome })), harnesses };
}

const workspaceFiles = async (harness: string): Promise<Record<string, string>> => ({
  ".ralph/config.yaml": defaultConfigText({ harness }),
  ".ralph/config.schema.json": `${JSON.stringify(await configJsonSchema(), undefined, 2)}\n`,
  ".ralph/.gitignore": GITIGNORE,
  ".ralph/specs/.gitkeep": "",
  ".claude/workflows/ralph.yaml": RALPH_WORKFLOW,
  "PROMPT_plan.md": PLAN_PROMPT,
  "PROMPT_build.md": BUILD_PROMPT,
});

const projectFiles = (name: string): Record<string, string> => ({
  [`projects/${name}/specs/.gitkeep`]: "",
  [`projects/${name}/IMPLEMENTATION_PLAN.md`]: EMPTY_PLAN,
});

const GITIGNORE = `# What ralphctl keeps for itself. Configuration, specs and workflows are committed.
/ralph.db*
/backup/
/context/
/lock*
/runs/
*.tmp
`;

/** The written files that a commit would contain: those that no ignore rule of the repository names. */
export async function committable({ root, files }: InitReport): Promise<string[]> {
  const written = files.filter(({ outcome }) => outcome !== "kept").map(({ path }) => path);
  if (written.length === 0) return [];
  const ignored = await ignoredPaths(root, written);
  return written.filter((path) => !ignored.includes(path));
}

/** One commit of what `init` wrote, and of nothing else. Returns its short hash. */
export const commitInit = async (root: string, paths: readonly string[]): Promise<string> =>
  await commitPaths(root, paths, "Set up ralphctl");
