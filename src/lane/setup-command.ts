import { isAbsolute, join, normalize } from "node:path";
import { kindOf } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";

/** How a place is prepared, and the files whose content decides whether it has to be prepared again. */
export interface SetupCommand {
  readonly command: string;
  /** Relative to the workspace's folder. */
  readonly files: readonly string[];
}

/** The word in `lanes.setup` for "prepare nothing". */
const NOTHING = "none";

export interface Manager {
  readonly name: string;
  readonly locks: readonly string[];
  readonly manifest: string;
  readonly command: string;
}

const NODE_MANAGERS: readonly Manager[] = [
  {
    name: "npm",
    locks: ["npm-shrinkwrap.json", "package-lock.json"],
    manifest: "package.json",
    command: "npm ci --prefer-offline --no-audit --no-fund",
  },
  {
    name: "pnpm",
    locks: ["pnpm-lock.yaml"],
    manifest: "package.json",
    command: "pnpm install --frozen-lockfile --prefer-offline",
  },
  {
    name: "yarn",
    locks: ["yarn.lock"],
    manifest: "package.json",
    command: "yarn install --frozen-lockfile --prefer-offline",
  },
  { name: "bun", locks: ["bun.lock", "bun.lockb"], manifest: "package.json", command: "bun install --frozen-lockfile" },
];

const UV: Manager = { name: "uv", locks: ["uv.lock"], manifest: "pyproject.toml", command: "uv sync --frozen" };

/** For a command of the user's, which may install by any of these. */
const OTHER_LOCKS = [
  "poetry.lock",
  "pdm.lock",
  "Pipfile.lock",
  "requirements.txt",
  "requirements-dev.txt",
  "Cargo.lock",
  "go.sum",
  "Gemfile.lock",
  "composer.lock",
  "mix.lock",
];
/** A lock file does not show scripts of an installation. */
const MANIFESTS = ["package.json", "pyproject.toml", "setup.py", "setup.cfg", "environment.yml"];
/** Files with the recipes of commands such as `make deps`. */
const RECIPES = [
  "GNUmakefile",
  "makefile",
  "Makefile",
  "justfile",
  "Justfile",
  ".justfile",
  "Taskfile.yml",
  "Taskfile.yaml",
  "Rakefile",
];

/** L-04: the command that prepares a place: the user's, or the one of its lock files; undefined: there is nothing to do. */
export async function setupCommand(root: string, setting: string | null): Promise<SetupCommand | undefined> {
  if (setting?.trim() === NOTHING) return undefined;
  if (setting !== null) return { command: setting, files: await filesOf(root, setting) };
  const found = [await nodeManager(root), (await locksOf(root, UV)).length > 0 ? UV : undefined];
  const managers = found.filter((manager) => manager !== undefined);
  if (managers.length === 0) return undefined;
  const deciding = managers.flatMap(({ locks, manifest }) => [...locks, manifest]);
  const files = await locksOf(root, { locks: deciding });
  return { command: managers.map(({ command }) => command).join(" && "), files };
}

/** Several lock files of Node's in one folder: `packageManager` in package.json decides, then the order above. */
export async function nodeManager(root: string): Promise<Manager | undefined> {
  const present = await Promise.all(
    NODE_MANAGERS.map(async (manager) => ((await locksOf(root, manager)).length > 0 ? [manager] : [])),
  );
  const managers = present.flat();
  if (managers.length === 0) return undefined;
  const named = await packageManager(root);
  const chosen = managers.find(({ name }) => name === named.name) ?? managers[0];
  if (chosen?.name !== "yarn") return chosen;
  const isBerry = (named.name === "yarn" && named.major > 1) || (await kindOf(join(root, ".yarnrc.yml"))) === "file";
  return isBerry ? { ...chosen, command: "yarn install --immutable" } : chosen;
}

/** What `packageManager` in package.json says: `yarn@4.1.0`. */
export async function packageManager(root: string): Promise<{ readonly name: string; readonly major: number }> {
  const text = await readTextFile(join(root, "package.json"), {
    limitBytes: 5 * 1024 * 1024,
    what: `${root}/package.json`,
  });
  const [, name = "", major = "0"] = /"packageManager"\s*:\s*"([a-z]+)@(\d+)/.exec(text ?? "") ?? [];
  return { name, major: Number(major) };
}

const locksOf = async (root: string, { locks }: Pick<Manager, "locks">): Promise<string[]> => {
  const kinds = await Promise.all(locks.map(async (name) => await kindOf(join(root, name))));
  return locks.filter((_, index) => kinds[index] === "file");
};

/** The scripts that a command names, recipes, lock files and manifests. */
async function filesOf(root: string, command: string): Promise<string[]> {
  const words = command.split(/[\s;&|'"]+/).filter((word) => word !== "" && !isAbsolute(word));
  const inside = words.map((word) => normalize(word)).filter((path) => !path.startsWith(".."));
  const locks = [...NODE_MANAGERS, UV].flatMap((manager) => manager.locks).concat(OTHER_LOCKS);
  return await locksOf(root, { locks: [...new Set([...inside, ...RECIPES, ...locks, ...MANIFESTS])] });
}
