import { isMapping } from "../../domain/mapping.ts";
import { plainPartsOf, valueAt } from "../resolve/plain-parts.ts";
import type { Look } from "../source.ts";
import { filesAmong, NODE_LOCKS, type NodeManager, nodeManager } from "./node-manager.ts";
import { memberFolders } from "./node-members.ts";

/** How a fresh checkout is prepared, and the files whose content decides whether it has to be prepared again. */
export interface SetupCommand {
  readonly command: string;
  /** Relative to the workspace's folder. */
  readonly files: readonly string[];
}

interface Entry {
  readonly lock: string;
  readonly manifest: string;
  readonly command: string | ((look: Look) => Promise<string>);
  /** With this path there is nothing to do. */
  readonly unless?: string;
}

export const NODE_SETUP: Readonly<Record<NodeManager["name"] | "berry", string>> = {
  npm: "npm ci --prefer-offline --no-audit --no-fund",
  pnpm: "pnpm install --frozen-lockfile --prefer-offline",
  yarn: "yarn install --frozen-lockfile --prefer-offline",
  berry: "yarn install --immutable",
  bun: "bun install --frozen-lockfile",
};

/** By lock file: each command installs exactly what that says. */
const ENTRIES: readonly Entry[] = [
  { lock: "uv.lock", manifest: "pyproject.toml", command: uvSync },
  // In the project, so that the room has one of its own.
  { lock: "poetry.lock", manifest: "pyproject.toml", command: "POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install" },
  { lock: "pdm.lock", manifest: "pyproject.toml", command: "pdm sync" },
  { lock: "Pipfile.lock", manifest: "Pipfile", command: "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev" },
  { lock: "Gemfile.lock", manifest: "Gemfile", command: "bundle install" },
  { lock: "composer.lock", manifest: "composer.json", command: "composer install --no-interaction" },
  { lock: "mix.lock", manifest: "mix.exs", command: "mix deps.get" },
  // Copies of the modules may be in the repository.
  { lock: "go.sum", manifest: "go.mod", command: "go mod download", unless: "vendor/modules.txt" },
  { lock: "Cargo.lock", manifest: "Cargo.toml", command: "cargo fetch", unless: "vendor" },
];

/** All lock files that set-up knows. */
export const LOCK_FILES: readonly string[] = [...NODE_LOCKS, ...ENTRIES.map(({ lock }) => lock)];

/** Settings of package managers: they decide where packages go and which, and no lock file shows them. */
const SETTINGS = [
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  "pnpm-workspace.yaml",
  ".pnpmfile.cjs",
  "bunfig.toml",
  "uv.toml",
  ".python-version",
  "poetry.toml",
];

/** The settings, and the manifests of a workspace's packages: the lock file of yarn 1 does not tell of a new package. */
export const installFiles = async (look: Look): Promise<readonly string[]> => [
  ...(await filesAmong(look, SETTINGS)),
  ...(await memberFolders(look)).map((folder) => `${folder}/package.json`).toSorted(),
];

/** Lock files of Python, each with its command. */
export const setupByLock = async (look: Look, lock: string): Promise<string | undefined> => {
  const command = ENTRIES.find((entry) => entry.lock === lock)?.command;
  return typeof command === "function" ? await command(look) : command;
};

/** L-04: the command of the lock files; undefined: there is nothing to do. */
export async function setupOf(look: Look): Promise<SetupCommand | undefined> {
  const commands: string[] = [];
  const files: string[] = [];
  const manager = await nodeManager(look);
  if (manager.locks.length > 0) {
    commands.push(nodeSetup(manager));
    files.push(...manager.locks, ...(await filesAmong(look, ["package.json"])));
  }
  const there = await filesAmong(look, LOCK_FILES);
  for (const { lock, manifest, command, unless } of ENTRIES) {
    if (!there.includes(lock) || (unless !== undefined && (await look.has(unless)))) continue;
    commands.push(typeof command === "string" ? command : await command(look));
    files.push(lock, ...(await filesAmong(look, [manifest])));
  }
  if (commands.length === 0) return undefined;
  return { command: commands.join(" && "), files: [...files, ...(await installFiles(look))] };
}

export const nodeSetup = ({ name, isBerry }: NodeManager): string => NODE_SETUP[isBerry ? "berry" : name];

/** All members of a workspace, and the group or extra with pytest, which need not be installed by default. */
async function uvSync(look: Look): Promise<string> {
  const pyproject = plainPartsOf("pyproject.toml", (await look.text("pyproject.toml")) ?? "") ?? {};
  const all = isMapping(valueAt(pyproject, "tool.uv.workspace")) ? " --all-packages" : "";
  const usual = valueAt(pyproject, "tool.uv.default-groups") ?? ["dev"];
  const has = (list: unknown): boolean => /"pytest\b/.test(JSON.stringify(list) ?? "");
  const groups = nameOf(pyproject["dependency-groups"], has);
  const extra = nameOf(valueAt(pyproject, "project.optional-dependencies"), has);
  const isUsual = groups.some((name) => usual === "all" || (Array.isArray(usual) && usual.includes(name)));
  const more = isUsual
    ? ""
    : groups[0] !== undefined
      ? ` --group ${groups[0]}`
      : extra[0] === undefined
        ? ""
        : ` --extra ${extra[0]}`;
  return `uv sync --locked${all}${more}`;
}

const nameOf = (lists: unknown, has: (list: unknown) => boolean): string[] =>
  isMapping(lists) ? Object.entries(lists).flatMap(([name, list]) => (has(list) ? [name] : [])) : [];
