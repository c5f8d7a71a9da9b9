import { isAbsolute, join, normalize } from "node:path";
import { folderLook, installFiles, LOCK_FILES, resolveGate, type SetupCommand, setupOf } from "../gate/gate.ts";
import { kindOf } from "../system/folder.ts";

/** The word in `lanes.setup` for "prepare nothing". */
const NOTHING = "none";

/** For a command of the user's, which may install by any of these. */
const LOCKS = [...LOCK_FILES, "requirements.txt", "requirements-dev.txt"];
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
  const found =
    setting === null ? await setupOf(folderLook(root)) : { command: setting, files: await filesOf(root, setting) };
  if (found === undefined) return undefined;
  // Scripts may start others.
  const { decides } = await resolveGate(found.command, folderLook(root));
  const started = await existing(root, decides.map(({ path }) => path).toSorted());
  return { ...found, files: [...new Set([...found.files, ...started])] };
}

/** The scripts that a command names, recipes, lock files, manifests and settings. */
async function filesOf(root: string, command: string): Promise<string[]> {
  const words = command.split(/[\s;&|'"]+/).filter((word) => word !== "" && !isAbsolute(word));
  const inside = words.map((word) => normalize(word)).filter((path) => !path.startsWith(".."));
  const paths = [
    ...new Set([...inside, ...RECIPES, ...LOCKS, ...MANIFESTS, ...(await installFiles(folderLook(root)))]),
  ];
  return await existing(root, paths);
}

async function existing(root: string, paths: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(paths.map(async (name) => await kindOf(join(root, name))));
  return paths.filter((_, index) => kinds[index] === "file");
}
