import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { isBelow, pathExists, textIn, writeAtomicUnsynced } from "../folder.ts";
import { ioError } from "../io-error.ts";
import { openFolders } from "../open-folders.ts";
import { gitBytes, gitRefused, mustBytes } from "./git.ts";
import { absolute } from "./hash.ts";
import { decodePath, encodePath, splitNul } from "./path.ts";
import { ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import { committedBetween } from "./snapshot.ts";

/** In a view: which folder it was made for. Somebody may put another in its place. */
const MARK = "place";

/** Whether the folder of a view is the one that it was made for. */
export function isOwnFolder({ gitFolder, folder }: Repository): boolean {
  const identity = identityOf(folder);
  const mark = join(gitFolder, MARK);
  return identity !== undefined && pathExists(mark) && readFileSync(mark, "utf8") === identity;
}

/** Names a folder by what stays the same for as long as it exists. */
export function identityOf(folder: string): string | undefined {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() ? `${found.dev}:${found.ino}:${Math.floor(found.birthtimeMs)}` : undefined;
}

export const markFolder = ({ gitFolder }: Repository, folder: string): void =>
  writeAtomicUnsynced(join(gitFolder, MARK), identityOf(folder) ?? "");

/** Gives a finished folder the name of its place. Marked first: it is then either there and ours, or made again. */
export function installFolder(view: Repository, draft: string): void {
  markFolder(view, draft);
  try {
    rmSync(view.folder, { recursive: true, force: true });
    renameSync(draft, view.folder);
  } catch (cause) {
    throw ioError(`replace ${view.folder}`, cause);
  }
}

/** Makes the folder of a place again where a session removed it, or put something else there. */
export function remakeFolder(view: Repository): void {
  if (identityOf(view.folder) !== undefined) return;
  rmSync(view.folder, { force: true });
  mkdirSync(view.folder);
  markFolder(view, view.folder);
}

/** Puts an empty folder in the place of what is there, which must be saved before. */
export function emptyPlace(view: Repository): void {
  rmSync(view.folder, { recursive: true, force: true });
  remakeFolder(view);
}

/** What lies at the path of a place: the names in a folder, git's aside, or what else it is. */
export function contentAt(folder: string): readonly string[] | "file" | "nothing" {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return readdirSync(folder).filter((name) => name !== ".git");
  // Behind a link are other files, which stay.
  return found?.isFile() ? "file" : "nothing";
}

/** Whether a folder has a `.git` that is not of a clone of ours. */
export function hasForeignGit(folder: string): boolean {
  const own = join(folder, ".git");
  if (!pathExists(own)) return false;
  const config = join(own, "config");
  const isFile = lstatSync(config, { throwIfNoEntry: false })?.isFile() === true;
  return !isFile || !/^\[ralphctl\]$/m.test(readFileSync(config, "utf8"));
}

/** Refuses a folder in which a reset could reach a person's files. */
export function checkPlaceFolder({ folder: tree, commonFolder }: Repository, folder: string): void {
  const real = join(realpathSync(dirname(folder)), basename(folder));
  for (const own of [tree, commonFolder].map((path) => realpathSync(path))) {
    if (!isBelow(own, real) && !isBelow(real, own)) continue;
    throw new RalphError("config", `A lane cannot be in ${folder}: your repository is in ${own}`, {
      hint: "Set lanes.folder to a folder outside the repository",
    });
  }
}

/** Makes the tracked files those of a tree, whatever lies in their place. Our index is at the tree then. */
export async function putTree(view: Repository, tree: string): Promise<void> {
  rmSync(`${ownIndex(view)}.lock`, { recursive: true, force: true });
  await forgetAttributes(view, await changedAttributes(view, tree));
  rmSync(treeFile(view), { force: true });
  await onFiles(view, ["read-tree", "--reset", "-u", tree]);
  writeAtomicUnsynced(treeFile(view), tree);
  // If ours is damaged one day, this one still knows which files a sparse checkout leaves out.
  const spare = join(view.gitFolder, "index");
  rmSync(spare, { recursive: true, force: true });
  linkSync(ownIndex(view), spare);
}

/** Names the tree by which the files were written last, so that nobody has to ask git. */
const treeFile = ({ gitFolder }: Repository): string => join(gitFolder, "written-tree");

/** Files of attributes that the tree has otherwise than the one by which the files were written. */
async function changedAttributes(view: Repository, tree: string): Promise<string[]> {
  if (!pathExists(ownIndex(view))) return [];
  const before = textIn(treeFile(view));
  // Somebody may have pruned it.
  const changed = before === undefined ? undefined : await committedBetween(view, before, tree).catch(() => undefined);
  return [...(changed ?? (await changedInIndex(view, tree))).keys()].filter((path) => basename(path) === ATTRIBUTES);
}

const ATTRIBUTES = ".gitattributes";

/**
 * Git takes a file for current if only the attributes are others, by which it would write it; so it forgets them all. And
 * it would write them by the attributes that still lie there.
 */
async function forgetAttributes(view: Repository, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await onFiles(view, ["read-tree", "--empty"]);
  const isFolder = foldersByName(view);
  for (const path of paths.map((each) => encodePath(each).toString("latin1"))) {
    if (isFolder(dirname(path)))
      rmSync(inside(view.folder, Buffer.from(path, "latin1")), { recursive: true, force: true });
  }
}

async function changedInIndex(view: Repository, tree: string): Promise<ReadonlySet<string>> {
  const look = [...QUIET, "diff-index", "--cached", "--name-only", "-z", tree];
  const { stdout } = await gitBytes(view, look, withIndex(ownIndex(view)));
  return new Set(splitNul(stdout).map(decodePath));
}

/** Fills our index with the entries of a tree; no file changes. */
export const fillIndex = async (view: Repository, tree: string): Promise<void> =>
  await onFiles(view, ["read-tree", "--reset", tree]);

/** Has the next look read every file, and not only those whose size or time differ. */
export async function forgetTimes(view: Repository): Promise<void> {
  // Git reads a file again that is not older than its index.
  if (pathExists(ownIndex(view))) await utimes(ownIndex(view), 1, 1);
}

/** Patterns of ignored files that stay, as `.gitignore` has them; false: all of them stay. */
export type IgnoredFiles = false | { readonly keep: readonly string[] };

/** Removes files and repositories that git does not know, and empty folders. No link is followed. */
export const removeUnknown = async (view: Repository): Promise<void> => await onFiles(view, ["clean", "-ffdq"]);

/** Removes ignored files too. */
export const removeIgnored = async (view: Repository, keep: readonly string[]): Promise<void> =>
  await onFiles(view, ["clean", "-ffdxq", ...keep.flatMap((pattern) => ["-e", pattern])]);

/** Runs git on the files; once more where folders without the right to write were in its way. */
async function onFiles(view: Repository, words: readonly string[]): Promise<void> {
  const args = [...QUIET, ...words];
  const answer = await gitBytes(view, args, withIndex(ownIndex(view)));
  if (answer.code === 0) return;
  openFolders(Buffer.from(view.folder));
  const again = await gitBytes(view, args, withIndex(ownIndex(view)));
  if (again.code !== 0) throw gitRefused(args, again);
}

/** The folders of a tree, each as bytes. All places of a run begin with the same tree, so it is asked for once. */
export async function foldersOf(view: Repository, tree: string): Promise<readonly Buffer[]> {
  const latest = LATEST_FOLDERS.get(view.trees);
  if (latest?.tree === tree) return await latest.folders;
  const folders = readFolders(view, tree);
  LATEST_FOLDERS.set(view.trees, { tree, folders });
  // One that failed is asked again.
  folders.catch(() => LATEST_FOLDERS.delete(view.trees));
  return await folders;
}

/** By what all views of a repository share. */
const LATEST_FOLDERS = new WeakMap<
  Repository["trees"],
  { readonly tree: string; readonly folders: Promise<readonly Buffer[]> }
>();

async function readFolders(view: Repository, tree: string): Promise<readonly Buffer[]> {
  const { stdout } = await mustBytes(view, ["ls-tree", "-r", "-d", "-z", tree]);
  return splitNul(stdout).flatMap((field) => {
    const tab = field.indexOf(0x09);
    return field.toString("latin1", 0, tab).includes(" tree ") ? [field.subarray(tab + 1)] : [];
  });
}

/** The folders of a checkout in which nothing else lies, each as bytes. */
export function foldersIn(folder: string): Buffer[] {
  const found: Buffer[] = [];
  const look = (path: Buffer): void => {
    for (const entry of readdirSync(inside(folder, path), { withFileTypes: true, encoding: "buffer" })) {
      if (!entry.isDirectory() || entry.name.equals(GIT)) continue;
      const below = path.length === 0 ? entry.name : Buffer.concat([path, SLASH, entry.name]);
      found.push(below);
      look(below);
    }
  };
  look(Buffer.alloc(0));
  return found;
}

const [GIT, SLASH] = [Buffer.from(".git"), Buffer.from("/")];

const inside = (folder: string, ...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(folder), ...parts.flatMap((part) => [SLASH, part])]);

interface FoldersBefore {
  readonly before: string;
  readonly tree: string;
  readonly folders: readonly Buffer[];
}

/** The folders of a tree, and those that were there before. */
export async function foldersAfter(
  view: Repository,
  { before, tree, folders }: FoldersBefore,
): Promise<readonly Buffer[]> {
  const known = new Set(folders.map((folder) => folder.toString("latin1")));
  for (const path of (await committedBetween(view, before, tree)).keys()) {
    const parts = encodePath(path).toString("latin1").split("/").slice(0, -1);
    for (const [depth] of parts.entries()) known.add(parts.slice(0, depth + 1).join("/"));
  }
  return Array.from(known, (folder) => Buffer.from(folder, "latin1"));
}

/** Removes repositories that were begun in folders with tracked files: git itself does not see them there. */
export function removeHiddenRepositories(view: Repository, folders: readonly Buffer[]): void {
  const isFolder = foldersByName(view);
  for (const folder of folders.filter((path) => isFolder(path.toString("latin1")))) {
    const own = inside(view.folder, folder, GIT);
    if (lstatSync(own, { throwIfNoEntry: false }) !== undefined) rmSync(own, { recursive: true });
  }
}

/** Whether a path is a folder and no link leads there: a folder of an earlier tree may be a file or a link now. */
function foldersByName(view: Repository): (path: string) => boolean {
  const seen = new Map<string, boolean>([
    ["", true],
    [".", true],
  ]);
  const isFolder = (path: string): boolean => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const at = inside(view.folder, Buffer.from(path, "latin1"));
    const above = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    const found = isFolder(above) && lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
    seen.set(path, found);
    return found;
  };
  return isFolder;
}

/** Empties the folder of a registered repository whose files or commit changed: its set-up has to fill it again. */
export function emptyFolder(view: Repository, path: string): void {
  const folder = absolute(view, path);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
}
