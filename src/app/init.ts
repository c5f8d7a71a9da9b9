import { dirname, join } from "node:path";
import { configJsonSchema, defaultConfigText } from "../config/config.ts";
import { RalphError } from "../domain/error.ts";
import { checkNewName } from "../domain/scope-name.ts";
import { BUILD_PROMPT, EMPTY_PLAN, PLAN_PROMPT } from "../domain/template/prompts.ts";
import { RALPH_WORKFLOW } from "../domain/template/workflow.ts";
import { checkInside, isTaken, kindOf, makeFolder, writeWhole } from "../system/folder.ts";
import {
  checkNothingHalfDone,
  commitPaths,
  type GitPlace,
  ignoredPaths,
  trackedPaths,
  workingTree,
} from "../system/git.ts";
import { programsOn } from "../system/programs.ts";
import { readTextFile } from "../system/text-file.ts";

export interface InitOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly project?: string | undefined;
  /** Replaces files that are there already. */
  readonly force: boolean;
}

export interface InitReport {
  readonly root: string;
  readonly files: readonly InitFile[];
  /** The agents that were found, in our order of preference. */
  readonly harnesses: readonly string[];
  /** What a commit would contain: files of ours as we wrote them, now or before, that git does not have yet. */
  readonly uncommitted: readonly string[];
}

export interface InitFile {
  readonly path: string;
  readonly outcome: "created" | "kept" | "replaced";
}

/** Agents that are looked for, the one to prefer first. */
const AGENTS: readonly string[] = ["claude", "codex", "opencode", "gemini", "pi", "copilot", "qwen"];

/** Makes the repository around the working directory a workspace, and a project in it where one is named. */
export async function initWorkspace({ cwd, env, project, force }: InitOptions): Promise<InitReport> {
  if (project !== undefined) checkNewName("project", project);
  const root = await workingTree({ folder: cwd, env });
  const place = { folder: root, env };
  await checkNothingHalfDone(place);
  const harnesses = await programsOn(env["PATH"] ?? "", AGENTS);
  const wanted = {
    ...(await workspaceFiles(harnesses[0] ?? AGENTS[0]!)),
    ...(project === undefined ? {} : projectFiles(project)),
  };

  // All are looked at before the first is written: a refusal leaves the repository as it was.
  const planned: Planned[] = [];
  for (const [path, text] of Object.entries(wanted)) planned.push(await plan(root, { path, text, force }));
  await makeFolder(join(root, ".ralph"), { isPrivate: true });
  for (const { path, text, outcome } of planned) if (outcome !== "kept") await writeWhole(join(root, path), text);
  return {
    root,
    files: planned.map(({ path, outcome }) => ({ path, outcome })),
    harnesses,
    uncommitted: await uncommitted(place, planned),
  };
}

interface Planned extends InitFile {
  readonly text: string;
}

async function plan(
  root: string,
  { path, text, force }: { readonly path: string; readonly text: string; readonly force: boolean },
): Promise<Planned> {
  const full = join(root, path);
  await checkInside(root, full);
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const kind = await kindOf(join(root, folder));
    if (kind !== undefined && kind !== "folder") throw inTheWay(folder, "a folder");
  }
  if (!isTaken(full)) return { path, text, outcome: "created" };
  const kind = await kindOf(full);
  if (kind === "folder" || kind === "other") throw inTheWay(path, "a file");
  return { path, text, outcome: force ? "replaced" : "kept" };
}

const inTheWay = (path: string, needed: string): RalphError =>
  new RalphError("config", `${path} is in the way: ${needed} must be there`, {
    hint: `Move it away: mv ${path} ${path}.old`,
  });

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

/** Written now, or kept as an earlier init wrote it and never committed. What the repository ignores is left out. */
async function uncommitted(place: GitPlace, planned: readonly Planned[]): Promise<string[]> {
  const tracked = new Set(
    await trackedPaths(
      place,
      planned.map(({ path }) => path),
    ),
  );
  const ignored = new Set(
    await ignoredPaths(
      place,
      planned.map(({ path }) => path),
    ),
  );
  const ours = await Promise.all(
    planned.map(async ({ path, text, outcome }) => {
      if (ignored.has(path)) return false;
      if (outcome !== "kept") return true;
      return !tracked.has(path) && (await isAsWritten(join(place.folder, path), text));
    }),
  );
  return planned.filter((_, index) => ours[index]).map(({ path }) => path);
}

const isAsWritten = async (path: string, text: string): Promise<boolean> =>
  (await readTextFile(path, { limitBytes: 1024 * 1024, what: path }).catch(() => undefined)) === text;

/** One commit of what `init` wrote, and of nothing else. Returns its short hash; undefined when git has it all. */
export const commitInit = async (
  { root, uncommitted: paths }: InitReport,
  env: InitOptions["env"],
): Promise<string | undefined> => await commitPaths({ folder: root, env }, paths, "Set up ralphctl");
