import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { appendFile, chmod, mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { RalphError } from "../domain/error.ts";
import { codeOf } from "./error-code.ts";
import { ioError, orWriteError } from "./io-error.ts";
import { inMadeFolder, whileInMadeFolder } from "./made-folder.ts";

/** The kind of a path, links followed; undefined if it does not exist. */
export async function kindOf(path: string): Promise<"file" | "folder" | "other" | undefined> {
  return orMissing(path, undefined, () => {
    const found = statSync(path);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  });
}

/**
 * Whether a path exists, dangling links included. Synchronous, like all file access of an iteration: it takes a few
 * microseconds, and many times that by way of another thread.
 */
export const pathExists = (path: string): boolean =>
  orMissing(path, false, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined);

/** The text of a file; undefined if there is none, or if it cannot be read. */
export function textIn(path: string, encoding: "utf8" | "latin1" = "utf8"): string | undefined {
  try {
    return readFileSync(path, encoding);
  } catch {
    return undefined;
  }
}

/** How many bytes a file has; undefined when there is none. */
export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/** The names of the folders in a folder, in order; none when it does not exist. */
export async function foldersIn(path: string): Promise<string[]> {
  const entries = await entriesIn(path);
  const kinds = await Promise.all(entries.map((name) => kindOf(join(path, name))));
  return entries.filter((_, index) => kinds[index] === "folder").sort();
}

/** All names in a folder, in order; none when it does not exist. */
export const entriesIn = async (path: string): Promise<string[]> => orMissing(path, [], () => readdirSync(path).sort());

/** The paths of everything below a folder, at any depth; none when it does not exist. */
export const filesBelow = async (path: string): Promise<string[]> =>
  orMissing(path, [], () => readdirSync(path, { encoding: "utf8", recursive: true }).sort()).map((name) =>
    join(path, name),
  );

/** Creates a folder and its parents. `isPrivate`: only for this user. */
export async function makeFolder(path: string, { isPrivate = false } = {}): Promise<void> {
  await orIoError(`create the folder ${path}`, async () => {
    await mkdir(path, { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
    if (isPrivate) await chmod(path, 0o700);
  });
}

/** Creates a new folder and returns its path: `name`, or `name.2` if that exists. */
export async function makeUniqueFolder(path: string): Promise<string> {
  let made = path;
  await orIoError(`create the folder ${path}`, async () => {
    for (let number = 2; !(await whileInMadeFolder(path, () => isMade(made))); number += 1) made = `${path}.${number}`;
  });
  return made;
}

async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false;
    throw cause;
  }
}

/** Writes a whole file or nothing: a crash leaves the old one or the new one, never half of it. */
export async function writeAtomic(path: string, text: string | AsyncIterable<string>, mode = 0o666): Promise<void> {
  const draft = draftFor(path);
  await orIoError(`write ${path}`, async () => {
    const write = async (): Promise<void> => {
      await writeFile(draft, text, { flag: "wx", flush: true, mode });
      await rename(draft, path);
    };
    try {
      await mkdir(dirname(path), { recursive: true });
      // What comes bit by bit comes only once.
      await (typeof text === "string" ? whileInMadeFolder(path, write) : write());
    } finally {
      await rm(draft, { force: true });
    }
  });
}

/** The same for frequent records: atomic, but not synced to disk. */
export function writeAtomicUnsynced(path: string, text: string): void {
  const draft = draftFor(path);
  try {
    inMadeFolder(path, () => {
      writeFileSync(draft, text, { flag: "wx" });
      renameSync(draft, path);
    });
  } catch (cause) {
    rmSync(draft, { force: true });
    throw ioError(`write ${path}`, cause);
  }
}

/** Not atomic, for files that are written once, for people: a kill may leave half of one. */
export function writeOnce(path: string, text: string): void {
  orWriteError(path, () => inMadeFolder(path, () => writeFileSync(path, text)));
}

/** A name next to the file, so that the rename stays on one disk. Its pattern identifies leftovers of killed processes. */
const draftFor = (path: string): string =>
  join(dirname(path), `.ralphctl-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}.tmp`);

const DRAFT = /^\.ralphctl-[0-9a-z]+-[0-9a-z]+\.tmp$/;

/** Copies a file unless the other has its content. Returns true if it wrote. */
export async function copyIfDifferent(from: string, to: string): Promise<boolean> {
  // A git of the person's may be putting another in its place.
  const content = (await kindOf(from)) === "file" ? orMissing(from, undefined, () => readFileSync(from)) : undefined;
  if (content === undefined) return false;
  if ((await kindOf(to)) === "file" && content.equals(readFileSync(to))) return false;
  await makeFolder(dirname(to));
  writeFileSync(to, content, { mode: orMissing(from, 0o644, () => statSync(from).mode) });
  return true;
}

/** Removes links on the way to a file that lead out of a folder: writing would follow them. */
export function removeLinksOut(root: string, file: string): void {
  const real = realPathOf(root);
  let path = root;
  for (const name of relative(root, join(root, file)).split(sep)) {
    path = join(path, name);
    if (linkTarget(path) !== undefined && !isBelow(real, realPathOf(path))) rmSync(path);
  }
}

/** The device of a folder, or of the nearest one above it that exists. */
export function deviceOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined && dirname(path) !== path ? deviceOf(dirname(path)) : (found?.dev ?? 0);
}

/** A folder, or the nearest one above it that exists. */
export const existingFolder = (path: string): string =>
  pathExists(path) || dirname(path) === path ? path : existingFolder(dirname(path));

/** Whether this user may make files in a folder. */
export function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false; // that it is refused is the answer
  }
}

/** Removes the drafts that killed processes left in a folder. */
export async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await entriesIn(folder)).filter((name) => DRAFT.test(name));
  for (const name of drafts) await removeAll(join(folder, name));
}

/**
 * Replaces one text by another, atomically, keeping the file's mode and links. `changed`: the file is no longer `from`,
 * because another process wrote or removed it; nothing was done. Between check and rename there are only microseconds.
 */
export async function replaceText(path: string, text: TextReplacement): Promise<"written" | "changed"> {
  try {
    return await replaceFile(path, text);
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return "changed";
    throw ioError(`write ${path}`, cause);
  }
}

interface TextReplacement {
  readonly from: string;
  readonly to: string;
  /** Asked at the last moment; no counts as a change. */
  readonly mayWrite?: () => boolean;
}

async function replaceFile(path: string, { from, to, mayWrite }: TextReplacement): Promise<"written" | "changed"> {
  const real = await realpath(path);
  const draft = draftFor(real);
  try {
    await writeFile(draft, to, { flag: "wx", flush: true });
    await chmod(draft, (await stat(real)).mode & 0o7777);
    if (!readFileSync(real).equals(Buffer.from(from)) || mayWrite?.() === false) return "changed";
    renameSync(draft, real);
    return "written";
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes a file, or a folder with its content, if it exists. */
export async function removeAll(path: string): Promise<void> {
  await orIoError(`remove ${path}`, async () => await rm(path, { recursive: true, force: true }));
}

/** Appends to a file in one write, so that concurrent additions both survive. */
export async function appendText(path: string, text: string): Promise<void> {
  await orIoError(`write ${path}`, async () => {
    await whileInMadeFolder(path, () => appendFile(path, text));
  });
}

/**
 * Refuses a path outside the workspace, also through a link: we write nothing outside, and nothing from outside enters a
 * prompt. A path that does not exist yet is judged by its folder.
 */
export async function checkInside(root: string, path: string): Promise<void> {
  const real = realPathOf(resolve(path));
  if (isBelow(realPathOf(resolve(root)), real)) return;
  throw new RalphError("data", `${relative(root, path) || path} points outside the workspace, to ${real}`, {
    hint: "Replace the link with a file inside the repository",
  });
}

/**
 * The same for a path from the configuration: a path that is written as outside is the user's decision, one that gets
 * there through a link is not.
 */
export async function checkNamed(root: string, path: string): Promise<void> {
  if (isBelow(resolve(root), resolve(path))) await checkInside(root, path);
}

/** Where a path leads, links followed. A path that does not exist is judged by its folder. */
export function realPathOf(path: string): string {
  // Most paths do not exist, and an exception takes ten times as long.
  if (!pathExists(path) && dirname(path) !== path) return join(realPathOf(dirname(path)), basename(path));
  try {
    return realpathSync.native(path);
  } catch (cause) {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(cause)) || dirname(path) === path) throw lookError(path, cause);
    // Writing would follow a dangling link.
    const target = linkTarget(path);
    if (target !== undefined) return realPathOf(resolve(dirname(path), target));
    return join(realPathOf(dirname(path)), basename(path));
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no link
  }
}

/** Whether a path is the root or beneath it, as they are written. */
export const isBelow = (root: string, path: string): boolean => {
  const inside = relative(root, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
};

async function orIoError(what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (cause) {
    throw ioError(what, cause);
  }
}

/** The result of a look, or `missing` if there is no such path. */
function orMissing<Result>(path: string, missing: Result, look: () => Result): Result {
  try {
    return look();
  } catch (cause) {
    // A link that leads in a circle leads to nothing.
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(cause))) return missing;
    throw lookError(path, cause);
  }
}

const lookError = (path: string, cause: unknown): RalphError =>
  new RalphError("io", `Cannot access ${path}: ${codeOf(cause)}`, {
    hint: "Check the path and its permissions",
    cause,
  });
