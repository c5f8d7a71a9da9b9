import { join } from "node:path";
import { kindOf } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import { folderLook, NODE_LOCKS, nodeManager, nodeSetup, setupByLock } from "../gate/gate.ts";
import { setupCommand } from "./setup-command.ts";

export interface SetupClues {
  /** The person's workspace. */
  readonly root: string;
  /** Whether git ignores a path of the workspace, and it is there. */
  readonly isIgnored: (path: string) => boolean;
  /** The command of the lock files did not work. */
  readonly hasFailed: boolean;
}

/** The command that would make what the person has and a fresh checkout has not; undefined: the files do not tell. */
export async function proposedSetup(clues: SetupClues): Promise<string | undefined> {
  const usual = (await setupCommand(clues.root, null))?.command;
  const parts = [await node(clues), await python(clues), ...(await others(clues))].filter((part) => part !== undefined);
  const command = parts.length > 0 ? parts.join(" && ") : await ownCommand(clues);
  return command === usual ? undefined : command;
}

async function node({ root, isIgnored, hasFailed }: SetupClues): Promise<string | undefined> {
  if (!isIgnored("node_modules") || !(await isFile(root, "package.json"))) return undefined;
  const manager = await nodeManager(folderLook(root));
  // A lock file that git ignores is not in a checkout.
  if (manager.locks.length > 0 && !hasFailed && !NODE_LOCKS.some(isIgnored)) return nodeSetup(manager);
  const { name } = manager;
  return name === "npm" ? "npm install --no-audit --no-fund" : `${name} install`;
}

const VENVS = [".venv", "venv", "env"];
const REQUIREMENTS = ["requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements/dev.txt"];

const PYTHON_LOCKS = ["uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"];

async function python({ root, isIgnored }: SetupClues): Promise<string | undefined> {
  const venv = VENVS.find(isIgnored);
  if (venv === undefined) return undefined;
  for (const lock of PYTHON_LOCKS) {
    if ((await isFile(root, lock)) && !isIgnored(lock)) return await setupByLock(folderLook(root), lock);
  }
  const files = await filesAmong(root, REQUIREMENTS);
  const isPackage = (await filesAmong(root, ["pyproject.toml", "setup.py"])).length > 0;
  const wanted = files.length > 0 ? files.map((file) => `-r ${file}`).join(" ") : isPackage ? "-e ." : undefined;
  return wanted && `python3 -m venv ${venv} && ${venv}/bin/pip install ${wanted}`;
}

/** The file that lists what is needed, the folder that it is put into, and the command that does so. */
const OTHERS = [
  ["composer.json", "vendor", "composer install --no-interaction"],
  ["Gemfile", "vendor", "bundle install"],
  ["mix.exs", "deps", "mix deps.get"],
] as const;

async function others({ root, isIgnored }: SetupClues): Promise<string[]> {
  const found = await Promise.all(
    OTHERS.map(async ([file, folder, command]) => (isIgnored(folder) && (await isFile(root, file)) ? [command] : [])),
  );
  return found.flat();
}

/** `make install` is not among them: it may install into the machine. */
const TARGET = /^(deps|setup|bootstrap)[ \t]*:(?!=)/m;
const SCRIPTS = ["bin/setup", "script/setup", "script/bootstrap"];

async function ownCommand({ root }: SetupClues): Promise<string | undefined> {
  for (const name of await filesAmong(root, ["GNUmakefile", "makefile", "Makefile"])) {
    const text = await readTextFile(join(root, name), { limitBytes: 5 * 1024 * 1024, what: name });
    const target = TARGET.exec(text ?? "")?.[1];
    if (target !== undefined) return `make ${target}`;
  }
  return (await filesAmong(root, SCRIPTS))[0];
}

const isFile = async (root: string, path: string): Promise<boolean> => (await kindOf(join(root, path))) === "file";

async function filesAmong(root: string, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(async (path) => await isFile(root, path)));
  return paths.filter((_, index) => found[index]);
}
