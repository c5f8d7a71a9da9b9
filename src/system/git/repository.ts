import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { pathExists, textIn } from "../folder.ts";
import { createMemory, type Memory } from "../memory.ts";
import { git, gitEnvironment, mustBytes, workingTree, type GitInput, type GitPlace } from "./git.ts";
import { readHead } from "./ref-files.ts";
import { type GitShells, openGitShells } from "./shell.ts";

/** A repository with a working tree, as everything below needs it: asked once, at the start of a run. */
export interface Repository extends GitPlace {
  /** The top of the working tree. */
  readonly folder: string;
  /** The git folder of this working tree: HEAD, index, our own index. */
  readonly gitFolder: string;
  /** What all working trees of the repository share. */
  readonly commonFolder: string;
  readonly objectFormat: "sha1" | "sha256";
  /** Whether the file system keeps the mark of a program. */
  readonly hasFileMode: boolean;
  /** Whether links are links in the file system, and not files with the name of their target. */
  readonly hasLinks: boolean;
  /** Whether objects may be written as git writes them by default: no setting asks for other rights or more patience. */
  readonly writesObjects: boolean;
  /** The fingerprint of git's configuration files when they were read. */
  readonly settings: string;
  /** What git said then, by `config --list -z`. */
  readonly config: Buffer;
  /** Whether settings outside the working tree have git convert what it stores. */
  readonly convertsAll: boolean;
  /** Ignore rules outside the working tree when they were read. A session can change them without a trace in git. */
  readonly excludes: string;
  /** Where they are. */
  readonly excludeFiles: readonly string[];
  /** Trees by name, commits' trees among them. They never change, so what was read once is known. */
  readonly trees: Memory<TreeObject>;
  /** Small files by name, for the same reason. */
  readonly files: Memory<Buffer>;
  /** The parents of commits that we made. */
  readonly parents: Memory<readonly string[]>;
  /** The duration of the last status. */
  readonly pace: { lookMs: number };
  /** Warnings before a run, such as a detached HEAD. */
  readonly warnings: readonly string[];
}

export interface TreeObject {
  readonly name: string;
  readonly content: Buffer;
}

const MEGABYTE = 1024 * 1024;

/** A merge may be unfinished. */
export async function openRepository(place: GitPlace): Promise<Repository> {
  const shells = place.shells ?? openGitShells(gitEnvironment(place.env));
  try {
    return await askRepository({ ...place, shells });
  } catch (error) {
    if (place.shells === undefined) await shells.close();
    throw error;
  }
}

/** Opens a repository for an action, and ends its shells afterwards. */
export async function withRepository<Result>(
  place: GitPlace,
  action: (repository: Repository) => Promise<Result>,
): Promise<Result> {
  const repository = await openRepository(place);
  try {
    return await action(repository);
  } finally {
    await repository.shells?.close();
  }
}

/**
 * A repository that was copied from a file system where `A` and `a` are one name: git would not see a new `A` beside, or in
 * the place of, an `a` that it has.
 */
const correctionsFor = (
  { commonFolder }: { readonly commonFolder: string },
  config: ReadonlyMap<string, string>,
): string[] =>
  config.get("core.ignorecase") === "true" && !pathExists(join(commonFolder, "OBJECTS"))
    ? ["-c", "core.ignoreCase=false"]
    : [];

async function askRepository(place: GitPlace & { readonly shells: GitShells }): Promise<Repository> {
  const { format, ...found } = (await askFolders(place)) ?? (await askEachFolder(place));
  const folders = { ...found, env: place.env, shells: place.shells };
  const listed = await mustBytes(folders, CONFIG);
  const config = new Map(listed.stdout.toString().split("\0").map(keyAndValue));
  const excludeFiles = excludeFilesOf(folders, config);
  const { ref, commit } = await readHead(folders);
  return {
    ...folders,
    settings: settingsNow(folders),
    config: listed.stdout,
    objectFormat: format === "sha256" ? "sha256" : "sha1",
    corrections: correctionsFor(folders, config),
    hasFileMode: config.get("core.filemode") !== "false",
    hasLinks: config.get("core.symlinks") !== "false",
    writesObjects:
      ["core.fsync", "core.fsyncobjectfiles", "core.sharedrepository"].every((key) => !config.has(key)) &&
      !hasIncludes(config),
    convertsAll: hasConversion(config) || attributeFiles(folders).some(pathExists),
    excludes: readExcludes(excludeFiles),
    excludeFiles,
    // The trees of 100,000 files are 6 MB.
    trees: createMemory(16 * MEGABYTE, ({ content }) => content.length),
    files: createMemory(8 * MEGABYTE, ({ length }) => length),
    parents: createMemory(MEGABYTE, (parents) => 50 * parents.length),
    pace: { lookMs: Infinity },
    warnings:
      ref !== undefined ? [] : [`HEAD is detached at ${commit?.slice(0, 10)}: commits will belong to no branch`],
  };
}

const CONFIG = ["config", "--list", "-z"];

const keyAndValue = (field: string): readonly [string, string] => {
  const end = field.indexOf("\n");
  return end < 0 ? [field, ""] : [field.slice(0, end), field.slice(end + 1)];
};

/** What `config --list -z` says now. */
export async function listConfig(repository: Repository): Promise<Buffer> {
  const isSame =
    settingsNow(repository) === repository.settings && !/(?:^|\0)include/.test(repository.config.toString());
  return isSame ? repository.config : (await mustBytes(repository, CONFIG)).stdout;
}

interface AskedFolders {
  readonly folder: string;
  readonly gitFolder: string;
  readonly commonFolder: string;
  readonly format: string | undefined;
}

/** All at once. Undefined if git refuses, or if the name of a folder contains a line break. */
async function askFolders(place: GitPlace): Promise<AskedFolders | undefined> {
  const names = ["--show-toplevel", "--git-dir", "--git-common-dir", "--show-object-format"];
  const answer = await git(place, ["rev-parse", "--path-format=absolute", ...names]);
  const [folder = "", gitFolder = "", commonFolder = "", format, ...more] = answer.stdout.split("\n");
  return answer.code === 0 && more.join() === "" ? { folder, gitFolder, commonFolder, format } : undefined;
}

async function askEachFolder(place: GitPlace): Promise<AskedFolders> {
  const folder = await workingTree(place);
  const asked = ["rev-parse", "--git-dir", "--git-common-dir", "--show-object-format"];
  const answer = await mustBytes({ folder, env: place.env }, asked);
  const lines = answer.stdout.toString().replace(/\n$/, "").split("\n");
  const format = lines.pop();
  const half = lines.length / 2;
  const at = (path: string): string => (isAbsolute(path) ? path : join(folder, path));
  const [gitFolder, commonFolder] = [lines.slice(0, half), lines.slice(half)].map((parts) => at(parts.join("\n")));
  return { folder, gitFolder: gitFolder!, commonFolder: commonFolder!, format };
}

/** Settings in files that we do not watch. */
const hasIncludes = (config: ReadonlyMap<string, string>): boolean =>
  [...config.keys()].some((key) => key.startsWith("include"));

const hasConversion = (config: ReadonlyMap<string, string>): boolean =>
  (config.get("core.autocrlf") ?? "false") !== "false" || config.has("core.eol") || config.has("core.attributesfile");

/** Attributes that hold for every file: the repository's, the user's, the machine's. */
const attributeFiles = ({ env, commonFolder }: Folders): string[] => [
  join(commonFolder, "info/attributes"),
  join(usersFolder(env), "attributes"),
  "/etc/gitattributes",
];

const usersFolder = (env: GitPlace["env"]): string =>
  join(env["XDG_CONFIG_HOME"] ?? join(env["HOME"] ?? "/", ".config"), "git");

type Folders = Pick<Repository, "env" | "gitFolder" | "commonFolder">;

/** A fingerprint of git's configuration files: it differs if one of them changed. */
export function settingsNow(folders: Folders): string {
  const { env, gitFolder, commonFolder } = folders;
  const files = [
    join(commonFolder, "config"),
    join(gitFolder, "config.worktree"),
    join(env["HOME"] ?? "/", ".gitconfig"),
    join(usersFolder(env), "config"),
    "/etc/gitconfig",
    ...attributeFiles(folders),
  ];
  return files.map(stateOfFile).join(" ");
}

function stateOfFile(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? "-" : `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`;
  } catch {
    return "-"; // closed to us, and to git
  }
}

/** Whether an object that we write now is what git would write: settings may have changed since the run began. */
export const mayWriteObjects = (repository: Repository): boolean =>
  repository.writesObjects && settingsNow(repository) === repository.settings;

/** The user's rules, then the repository's: of two rules git follows the last. */
const excludeFilesOf = ({ env, commonFolder }: Folders, config: ReadonlyMap<string, string>): string[] => [
  config.get("core.excludesfile")?.replace(/^~(?=\/)/, env["HOME"] ?? "") ?? join(usersFolder(env), "ignore"),
  join(commonFolder, "info/exclude"),
];

/** One that is closed to us is closed to git, too. */
const readExcludes = (files: readonly string[]): string =>
  files.map((file) => `${textIn(file, "latin1") ?? ""}\n`).join("");

/** Whether ignore rules outside the working tree are as they were; settings may name another file since. */
export const hasSameExcludes = (repository: Repository): boolean =>
  readExcludes(repository.excludeFiles) === repository.excludes && settingsNow(repository) === repository.settings;

/** Our own index, apart from the user's: git's view of HEAD with file times. */
export const ownIndex = (repository: Repository): string => join(repository.gitFolder, "ralphctl-index");

/** A name for no commit and no object. */
export const noObject = ({ objectFormat }: Repository): string => "0".repeat(objectFormat === "sha1" ? 40 : 64);

/** The tree without files: git knows it without being told. */
export const emptyTree = ({ objectFormat }: Repository): string =>
  objectFormat === "sha1"
    ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/** Settings of our git: no hooks, no file monitor, no split index. */
export const QUIET: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.splitIndex=false",
].flatMap((setting) => ["-c", setting]);

/** Git with one index in place of the user's. */
export const withIndex = (index: string, stdin: string | Uint8Array = ""): GitInput => ({
  stdin,
  env: { GIT_INDEX_FILE: index },
});
