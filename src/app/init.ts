import { checkNoUnfinishedOperation } from "../system/git/unfinished-operation.ts";
import { dirname, join, relative, resolve } from "node:path";
import { configJsonSchema, defaultConfigText, type FirstSettings } from "../config/config.ts";
import { RalphError } from "../domain/error.ts";
import { checkNewName } from "../domain/scope-name.ts";
import { BUILD_PROMPT, EMPTY_PLAN, PLAN_PROMPT } from "../domain/template/prompts.ts";
import { RALPH_WORKFLOW } from "../domain/template/workflow.ts";
import { keptGates } from "../domain/gate.ts";
import { type CiCommand, discoverGates } from "../gate/gate.ts";
import { checkInside, entriesIn, pathExists, kindOf, makeFolder, writeAtomic } from "../system/folder.ts";
import { commitPaths, committedPaths, git, type GitPlace, ignoredPaths, trackedPaths } from "../system/git/git.ts";
import { withRepository } from "../system/git/repository.ts";
import { snapshot } from "../system/git/snapshot.ts";
import { readTextFile } from "../system/text-file.ts";
import type { FoundItem } from "./found/found.ts";
import { findForInit } from "./init-found.ts";
import { initRoot, type InitRoot } from "./init-root.ts";
import { knownHarnesses } from "./known-harnesses.ts";
import { earlierSettings, type InitSettings } from "./init-settings.ts";
import { trustWritten } from "./trust/trust.ts";
import { uncommittedGates } from "./run/uncommitted-gates.ts";
import { AGENTS, DEFAULT_SPECS, findAgents, specsIn } from "./init-survey.ts";

export interface InitOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly project?: string | undefined;
  /** Overwrites existing files. */
  readonly force: boolean;
  /** This folder, and not the whole repository. */
  readonly isHere?: boolean | undefined;
  /** A person's decisions; default: earlier ones, or suggestions. */
  readonly settings?: InitSettings | undefined;
}

/** The plan of `init`. */
export interface InitPlan extends InitRoot {
  readonly files: readonly PlannedFile[];
  readonly specs: string;
  /** The agents that were found, in our order of preference. */
  readonly harnesses: readonly string[];
  /** B-08: what the chosen agent may do without asking. */
  readonly permissions: string | undefined;
  /** The commands that will decide whether work is done. */
  readonly checks: readonly string[];
  /** Commands of CI that the discovered ones do not cover. */
  readonly uncovered: readonly CiCommand[];
  /** `gates: auto`. */
  readonly isAuto: boolean;
  /** The files to commit: those that `init` wrote, now or earlier, and git does not have yet. */
  readonly uncommitted: readonly string[];
  /** Files of `init` that git ignores: no commit can have them. */
  readonly ignored: readonly string[];
  /** Things of the person and of other tools, and how they are used. */
  readonly found: readonly FoundItem[];
}

export interface PlannedFile {
  readonly path: string;
  readonly outcome: "created" | "kept" | "replaced";
  readonly text: string;
}

/** Sets up the repository as a workspace, and a project in it if one is named. */
export async function initWorkspace(options: InitOptions): Promise<InitPlan> {
  const plan = await planInit(options);
  await writeInit(plan, options.env);
  return plan;
}

/** Checks all files before writing any: a refusal leaves the repository as it was. */
export async function planInit(options: InitOptions): Promise<InitPlan> {
  const { env, project, force, settings } = options;
  if (project !== undefined) checkNewName("project", project);
  const about = await initRoot(options);
  const { root } = about;
  const place = { folder: root, env };
  checkNoUnfinishedOperation(root);
  const harnesses = await findAgents(env);
  const there = await findForInit(root, force || !pathExists(join(root, ".ralph/config.yaml")));
  const usual = await specsIn(root);
  const { harness, gates, specs }: InitSettings = settings ??
    (force ? undefined : await earlierSettings(root, usual)) ?? {
      harness: harnesses[0] ?? AGENTS[0]!,
      gates: undefined,
      specs: usual,
    };
  const discovered = await discoverGates(root);
  const checks = (gates ?? keptGates(discovered.gates)).map(({ run }) => run);
  const dirs = specs === there.specs[0] ? there.specs : [specs];
  const first: FirstSettings = {
    harness,
    gates,
    specs: dirs.join() === DEFAULT_SPECS ? undefined : dirs,
    plan: there.plan,
    limits: there.limits,
    example: checks[0],
  };
  const wanted = {
    ...(await workspaceFiles(first)),
    ...((await hasSpecs(root, specs)) ? {} : { [`${specs}/${KEEP}`]: "" }),
    ...SHIPPED,
    ...(project === undefined ? {} : projectFiles(project)),
  };
  const files: PlannedFile[] = [];
  for (const [path, text] of Object.entries(wanted)) files.push(await plan(root, { path, text, force }));
  const paths = files.map(({ path }) => path);
  const ignored = await ignoredPaths(place, paths);
  const committable = files.filter(({ path }) => !ignored.includes(path));
  const uncovered = gates === undefined ? discovered.uncovered : [];
  return {
    ...about,
    files,
    specs,
    harnesses,
    permissions: permissionsOf(harness),
    checks,
    uncovered,
    isAuto: gates === undefined,
    uncommitted: await uncommitted(place, committable),
    ignored,
    found: there.found,
  };
}

/** Of a harness of the user's, only a run knows. */
function permissionsOf(name: string): string | undefined {
  const known = knownHarnesses({ harnesses: {} });
  const { permissions } = Object.hasOwn(known, name) ? known[name]!.facts : {};
  return permissions && `${name} ${permissions({ permissions: "allow" })}`;
}

/** Writes what was planned. Settings that were there before are not vouched for. */
export async function writeInit({ root, files }: InitPlan, env: InitOptions["env"]): Promise<void> {
  await makeFolder(join(root, ".ralph"), { isPrivate: true });
  for (const { path, text, outcome } of files) if (outcome !== "kept") await writeAtomic(join(root, path), text);
  const isOurs = files.some(({ path, outcome }) => path === ".ralph/config.yaml" && outcome !== "kept");
  if (isOurs) await trustWritten({ cwd: root, env });
}

/** A folder with files needs no `.gitkeep`, and one outside the repository gets none. */
async function hasSpecs(root: string, specs: string): Promise<boolean> {
  const folder = resolve(root, specs);
  if (relative(root, folder).startsWith("..")) return true;
  if ((await kindOf(folder)) !== "folder") return false;
  const entries = await entriesIn(folder);
  return entries.length > 0 && !entries.includes(KEEP);
}

async function plan(
  root: string,
  { path, text, force }: { readonly path: string; readonly text: string; readonly force: boolean },
): Promise<PlannedFile> {
  const full = join(root, path);
  await checkInside(root, full);
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const kind = await kindOf(join(root, folder));
    if (kind !== undefined && kind !== "folder") throw inTheWay(folder, "a folder");
  }
  if (!pathExists(full)) return { path, text, outcome: "created" };
  const kind = await kindOf(full);
  if (kind === "folder" || kind === "other") throw inTheWay(path, "a file");
  return { path, text, outcome: force ? "replaced" : "kept" };
}

const inTheWay = (path: string, needed: string): RalphError =>
  new RalphError("config", `${path} is in the way: ${needed} must be there`, {
    hint: `Move it away: mv ${path} ${path}.old`,
  });

const workspaceFiles = async (settings: FirstSettings): Promise<Record<string, string>> => ({
  ".ralph/config.yaml": defaultConfigText(settings),
  ".ralph/config.schema.json": formatted(await configJsonSchema()),
  ".ralph/.gitignore": GITIGNORE,
});

/** As Prettier has it: a project's check of its format must not fail because of our files. */
const formatted = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2)}\n`.replaceAll(
    /^([^\n]*)\[\n([^[\]{}]*)\n *\],?$/gm,
    (list: string, start: string, items: string) => {
      const line = `${start}[${items.trim().replaceAll(/\n */g, " ")}]${list.endsWith(",") ? "," : ""}`;
      return line.length > PRETTIER_WIDTH ? list : line;
    },
  );
const PRETTIER_WIDTH = 80;

const SHIPPED: Readonly<Record<string, string>> = {
  ".claude/workflows/ralph.yaml": RALPH_WORKFLOW,
  "PROMPT_plan.md": PLAN_PROMPT,
  "PROMPT_build.md": BUILD_PROMPT,
};

const projectFiles = (name: string): Record<string, string> => ({
  [`projects/${name}/specs/${KEEP}`]: "",
  [`projects/${name}/IMPLEMENTATION_PLAN.md`]: EMPTY_PLAN,
});

const KEEP = ".gitkeep";

const GITIGNORE = `# ralphctl's own state. Configuration, specs and workflows are committed.
/ralph.db*
/backup/
/context/
/lock*
/runs/
*.tmp
`;

/** Files written now, or by an earlier init and never committed. */
async function uncommitted(place: GitPlace, planned: readonly PlannedFile[]): Promise<string[]> {
  const paths = planned.map(({ path }) => path);
  const tracked = new Set(await trackedPaths(place, paths));
  const ours = await Promise.all(
    planned.map(async ({ path, text, outcome }) => {
      if (outcome !== "kept") return true;
      return !tracked.has(path) && (await isAsWritten(join(place.folder, path), text));
    }),
  );
  return paths.filter((_, index) => ours[index]);
}

const isAsWritten = async (path: string, text: string): Promise<boolean> =>
  (await readTextFile(path, { limitBytes: 1024 * 1024, what: path }).catch(() => undefined)) === text;

/** L-03: says what agents would not see, or the first run would not check with, because no commit has it yet. */
export async function notCommitted(plan: InitPlan, env: InitOptions["env"]): Promise<readonly string[]> {
  return await withRepository({ folder: plan.root, env }, async (home) => {
    const ours = new Set(plan.files.map(({ path }) => path));
    const list = await git(home, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"]);
    const committed = list.stdout.split("\0").filter(Boolean);
    const isOnlyOurs = committed.length > 0 && plan.root === plan.top && committed.every((path) => ours.has(path));
    if (isOnlyOurs && (await snapshot(home)).changed.length > 0)
      return [
        'Agents do not see your own files, because no commit has them. To commit them: git add --all && git commit --message "Begin"',
      ];
    return plan.isAuto ? await uncommittedGates(home, plan.root) : [];
  });
}

/** Commits only the files of `init`. Returns the short hash; undefined if there is nothing to commit. */
export async function commitInit(
  { root, uncommitted: paths }: InitPlan,
  env: InitOptions["env"],
): Promise<string | undefined> {
  const place = { folder: root, env };
  const commit = await commitPaths(place, paths, "Set up ralphctl");
  const there = await committedPaths(place, paths);
  const missing = paths.filter((path) => !there.includes(path));
  if (missing.length === 0) return commit;
  throw new RalphError("io", `The last commit does not have ${missing.join(", ")}`, {
    hint: "Run git status to see why git leaves them out",
  });
}
