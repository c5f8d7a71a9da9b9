import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { RalphError } from "../domain/error.ts";

/** Identifies a file independent of its name; undefined if there is none. */
export function fileKey(path: string): string | undefined {
  const found = lookAt(path);
  return found && `${found.dev}:${found.ino}`;
}

/** A file that cannot be read counts as missing. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a folder on the way is a file, or closed
  }
}

export function fileFacts(path: string): { readonly size: number; readonly changedAt: number } | undefined {
  const found = lookAt(path);
  return found && { size: found.size, changedAt: found.mtimeMs };
}

/** The first bytes of a file, fewer if it is shorter. */
export function readHead(path: string, bytes: number): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/** The last bytes of a file, fewer if it is shorter. */
export function readTail(path: string, bytes: number): Buffer {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, bytes);
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, size - length));
  } finally {
    closeSync(file);
  }
}

/** Whether the disk has no room for a few more pages. */
export function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < 65_536;
  } catch {
    return false; // the folder is gone: that is another trouble
  }
}

/** Whether a database and its folder, where SQLite creates files, can be written. True if there is none yet. */
export function isWritable(path: string): boolean {
  try {
    for (const each of existsSync(path) ? [path, dirname(path)] : []) accessSync(each, constants.W_OK);
    return true;
  } catch {
    return false; // that it is refused is the answer
  }
}

export const fileExists = (path: string): boolean => existsSync(path);

export const removeFile = (path: string): void => rmSync(path, { force: true });

/**
 * Gives a finished file its name in one step that survives a crash of the machine. `clear` removes files that must not
 * be there then; it is called right before.
 */
export function moveIntoPlace(from: string, to: string, clear?: () => void): void {
  orIoError(`\`${to}\` could not be written`, () => {
    sync(from);
    clear?.();
    renameSync(from, to);
    sync(dirname(to));
  });
}

/** Gives a file a second name, which it keeps when another file takes the first. */
export function linkAs(from: string, to: string): void {
  orIoError(`\`${to}\` could not be written`, () => {
    linkSync(from, to);
    sync(dirname(to));
  });
}

export const copyInto = (from: string, to: string): void =>
  orIoError(`\`${from}\` could not be copied to \`${to}\``, () => copyFileSync(from, to));

export const ensureFolderOf = (path: string): void =>
  orIoError(`\`${dirname(path)}\` could not be made`, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  });

function orIoError(sentence: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    throw new RalphError("io", sentence, { cause });
  }
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
