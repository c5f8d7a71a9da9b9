import {
  type Stats,
  chmodSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { TOOL_FOLDERS } from "../../domain/build-output.ts";
import type { FileState } from "../../domain/change.ts";
import { isBehindLink } from "../copy-file.ts";
import { codeOf } from "../error-code.ts";
import { filesBelow, pathExists } from "../folder.ts";
import { lstatOf } from "../lstat.ts";
import { mustBytes } from "./git.ts";
import { absolute, hashFiles } from "./hash.ts";
import { decodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import { nameTree, storeTree } from "./tree.ts";

/** An ignored file whose bytes git has, whatever filters say: it is never part of a commit of the project. */
export interface IgnoredFile {
  readonly path: string;
  readonly hash: string;
  readonly isLink: boolean;
  /** Who may read it: git keeps only whether it is a program. */
  readonly permissions: number;
  /** Size, times and number of the file: the same again means the same content. */
  readonly stat: string;
}

const LARGEST = 1024 * 1024;
const MOST = 20 * LARGEST;

/** Ours and git's keep their files themselves. */
const isMade = (path: string): boolean =>
  path.split("/").some((part) => TOOL_FOLDERS.has(part) || part === ".ralph" || part === ".git");

/** Everything that git ignores; a folder ends in a slash. */
export async function ignoredPaths(repository: Repository): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  return splitNul((await mustBytes(repository, [...QUIET, ...args])).stdout).map(decodePath);
}

/** Whether a path is one of these, or in a folder that is. */
export const isAmong = (paths: readonly string[], path: string): boolean =>
  paths.some((one) => one === path || (one.endsWith("/") && path.startsWith(one)));

/** Ignored files such as `.env`, as long as they are small. */
export async function smallIgnored(repository: Repository): Promise<string[]> {
  const found = await ignoredPaths(repository);
  const lists = await Promise.all(
    found
      .filter((path) => !isMade(path))
      .map(async (path) => (path.endsWith("/") ? await filesIn(repository, path) : [path])),
  );
  let total = 0;
  return lists.flat().filter((path) => {
    const stat = lstatOf(absolute(repository, path));
    const isKept = stat?.isFile() === true || stat?.isSymbolicLink() === true;
    if (!isKept || stat.size >= LARGEST || total + stat.size > MOST || isMade(path)) return false;
    total += stat.size;
    return true;
  });
}

/** None of a repository: it keeps its files itself. */
async function filesIn({ folder }: Repository, path: string): Promise<string[]> {
  if (pathExists(join(folder, path, ".git"))) return [];
  return (await filesBelow(join(folder, path))).map((file) => relative(folder, file));
}

/** What is at these paths, stored in git. Those that are gone, or that nobody may read, are left out. */
export async function storeIgnored(repository: Repository, paths: readonly string[]): Promise<IgnoredFile[]> {
  const there = paths.flatMap((path) => {
    const stat = lstatOf(absolute(repository, path));
    const isLink = stat?.isSymbolicLink() === true;
    const isFile = stat?.isFile() === true && !isBehindLink(repository, path);
    return isFile || isLink ? [{ path, isLink, permissions: stat.mode & 0o777, stat: stampOf(stat) }] : [];
  });
  const files = there.filter(({ isLink }) => !isLink).map(({ path }) => path);
  const hashes = await hashFiles(repository, files, ["-w", "--no-filters"]);
  const named = new Map(files.map((path, at) => [path, hashes[at]]));
  for (const { path } of there.filter(({ isLink }) => isLink)) named.set(path, await storeLink(repository, path));
  return there.flatMap((one) => {
    const hash = named.get(one.path);
    return hash === undefined ? [] : [{ ...one, hash }];
  });
}

/** Those of the files that are others now, or gone. */
export async function changedIgnored(repository: Repository, files: readonly IgnoredFile[]): Promise<IgnoredFile[]> {
  const touched = files.filter(({ path, stat }) => {
    const now = lstatOf(absolute(repository, path));
    return now === undefined || stampOf(now) !== stat;
  });
  const paths = touched.map(({ path }) => path);
  const now = new Map((await storeIgnored(repository, paths)).map((file) => [file.path, file]));
  return touched.filter((file) => !isSameIgnored(file, now.get(file.path)));
}

const isSameIgnored = (one: IgnoredFile, other: IgnoredFile | undefined): boolean =>
  one.path === other?.path &&
  one.hash === other.hash &&
  one.isLink === other.isLink &&
  one.permissions === other.permissions;

const stampOf = ({ size, mtimeMs, ctimeMs, ino }: Stats): string => `${size}:${mtimeMs}:${ctimeMs}:${ino}`;

async function storeLink(repository: Repository, path: string): Promise<string> {
  const stdin = readlinkSync(absolute(repository, path), { encoding: "buffer" });
  const { stdout } = await mustBytes(repository, [...QUIET, "hash-object", "-w", "--stdin"], { stdin });
  return stdout.toString().trim();
}

/** The tree with these files on top. */
export async function withIgnored(
  repository: Repository,
  tree: string,
  files: readonly IgnoredFile[],
): Promise<string> {
  const states = files.map((file) => ({ path: file.path, head: undefined, now: stateOf(file), stat: undefined }));
  const named = await nameTree(repository, tree, states);
  await storeTree(repository, named);
  return named.tree;
}

const stateOf = ({ isLink, permissions, hash }: IgnoredFile): FileState => ({
  mode: isLink ? "120000" : (permissions & 0o100) === 0 ? "100644" : "100755",
  hash,
});

/** Puts it back whole or not at all. False if a folder is in its place, or a link on the way to it. */
export async function putBackIgnored(repository: Repository, file: IgnoredFile): Promise<boolean> {
  if (isBehindLink(repository, file.path)) return false;
  const { stdout: content } = await mustBytes(repository, ["cat-file", "blob", file.hash]);
  const path = absolute(repository, file.path);
  const draft = Buffer.concat([path, Buffer.from(`.${process.pid}.ralphctl`)]);
  try {
    mkdirSync(absolute(repository, dirname(file.path)), { recursive: true });
    if (file.isLink) symlinkSync(content, draft);
    else {
      writeFileSync(draft, content, { mode: 0o600 });
      chmodSync(draft, file.permissions);
    }
    renameSync(draft, path);
    return true;
  } catch (cause) {
    rmSync(draft, { force: true });
    if (["EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY"].includes(codeOf(cause))) return false;
    throw cause;
  }
}
