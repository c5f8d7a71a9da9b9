import { isAbsolute, join } from "node:path";
import { isTaken } from "./folder.ts";
import { checkNothingHalfDone, git, mustBytes, workingTree, type GitInput, type GitPlace } from "./git.ts";

/** A repository with a working tree, as everything below needs it: asked once, at the start of a run. */
export interface Repository extends GitPlace {
  /** The top of the working tree. */
  readonly folder: string;
  /** What this working tree has for itself: HEAD, index, our own index. */
  readonly gitFolder: string;
  /** What all working trees of the repository share. */
  readonly commonFolder: string;
  readonly objectFormat: "sha1" | "sha256";
  /** Whether the file system keeps the mark of a program. */
  readonly hasFileMode: boolean;
  /** Whether settings outside the working tree have git convert what it stores. */
  readonly convertsAll: boolean;
  /** Trees by name, commits' trees among them. They never change, so what was read once is known. */
  readonly trees: Map<string, TreeObject>;
  /** What somebody should know before a run, such as a detached HEAD. */
  readonly warnings: readonly string[];
}

export interface TreeObject {
  readonly name: string;
  readonly content: Buffer;
}

/** P-30: refuses what a run cannot work on (bare, half-done merge), with the command that helps. */
export async function checkRepository(place: GitPlace): Promise<Repository> {
  const folder = await workingTree(place);
  const here = { folder, env: place.env };
  await checkNothingHalfDone(here);
  const asked = ["rev-parse", "--git-dir", "--git-common-dir", "--show-object-format"];
  const [answer, settings, branch, head] = await Promise.all([
    mustBytes(here, asked),
    git(here, ["config", "-z", "--get-regexp", "^core\\.(filemode|autocrlf|eol|attributesfile)$"]),
    git(here, ["symbolic-ref", "--quiet", "HEAD"]),
    git(here, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
  ]);
  // A folder's name may contain a line break; the format comes last.
  const lines = answer.stdout.toString().replace(/\n$/, "").split("\n");
  const format = lines.pop();
  const half = lines.length / 2;
  const at = (path: string): string => (isAbsolute(path) ? path : join(folder, path));
  const commonFolder = at(lines.slice(half).join("\n"));
  const config = new Map(settings.stdout.split("\0").map((line) => [line.split("\n")[0]!, line.split("\n")[1] ?? ""]));
  return {
    ...here,
    gitFolder: at(lines.slice(0, half).join("\n")),
    commonFolder,
    objectFormat: format === "sha256" ? "sha256" : "sha1",
    hasFileMode: config.get("core.filemode") !== "false",
    convertsAll: hasConversion(config) || hasAttributes(here, commonFolder),
    trees: new Map(),
    warnings:
      branch.code === 0 ? [] : [`HEAD is detached at ${head.stdout.slice(0, 10)}: commits will belong to no branch`],
  };
}

const hasConversion = (config: ReadonlyMap<string, string>): boolean =>
  (config.get("core.autocrlf") ?? "false") !== "false" || config.has("core.eol") || config.has("core.attributesfile");

/** Attributes that hold for every file: the repository's, the user's, the machine's. */
function hasAttributes({ env }: GitPlace, commonFolder: string): boolean {
  const home = env["XDG_CONFIG_HOME"] ?? join(env["HOME"] ?? "/", ".config");
  const files = [join(commonFolder, "info/attributes"), join(home, "git/attributes"), "/etc/gitattributes"];
  return files.some(isTaken);
}

/** Where our own index lies: git's view of HEAD, with what it knows of the files, apart from the user's. */
export const ownIndex = (repository: Repository): string => join(repository.gitFolder, "ralphctl-index");

/** A name for no commit and no object. */
export const noObject = ({ objectFormat }: Repository): string => "0".repeat(objectFormat === "sha1" ? 40 : 64);

/** The tree without files: git knows it without being told. */
export const emptyTree = ({ objectFormat }: Repository): string =>
  objectFormat === "sha1"
    ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/** What our git never does: run hooks, ask a monitor, spread an index over two files. */
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
