import { createHash } from "node:crypto";
import { constants, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { absolute } from "./git/hash.ts";
import { ioError } from "./io-error.ts";
import { lstatOf } from "./lstat.ts";

/** A folder whose files are named as git names them. */
export interface FilesFolder {
  readonly folder: string;
}

/** A file or a link, without following links; undefined if it is neither. */
export function fileState(
  place: FilesFolder,
  path: string,
): { readonly kind: "file"; readonly bytes: number } | { readonly kind: "link" } | undefined {
  const found = lstatOf(absolute(place, path));
  if (found?.isSymbolicLink() === true) return { kind: "link" };
  return found?.isFile() === true ? { kind: "file", bytes: found.size } : undefined;
}

/** Whether there is anything at a path, a link that leads nowhere included. */
export const isThere = (place: FilesFolder, path: string): boolean => lstatOf(absolute(place, path)) !== undefined;

/** Whether two folders have the same file at a path, its mode included. */
export function isSameFile(path: string, one: FilesFolder, other: FilesFolder): boolean {
  const [a, b] = [one, other].map((place) => lstatOf(absolute(place, path)));
  if (a?.isFile() !== true || b?.isFile() !== true || a.mode !== b.mode || a.size !== b.size) return false;
  return readFileSync(absolute(one, path)).equals(readFileSync(absolute(other, path)));
}

/** Whether a folder on the way to a path is a symbolic link. */
export function isBehindLink(place: FilesFolder, path: string): boolean {
  const steps = path.split("/").slice(0, -1);
  return steps.some((_, index) => fileState(place, steps.slice(0, index + 1).join("/"))?.kind === "link");
}

/** A name for what is in these files, their modes included, and for all the texts. */
export function fingerprintOf(
  texts: readonly string[],
  files: readonly { readonly in: FilesFolder; readonly path: string }[],
): string {
  const all = createHash("sha256");
  for (const text of texts) all.update(`${Buffer.byteLength(text)}:${text}`);
  for (const { in: place, path } of files) {
    try {
      const content = readFileSync(absolute(place, path));
      const mode = lstatSync(absolute(place, path)).mode;
      all.update(`${path}\0${mode}\0${createHash("sha256").update(content).digest("hex")}\0`);
    } catch (cause) {
      throw ioError(`read ${join(place.folder, path)}`, cause);
    }
  }
  return all.digest("hex");
}

/**
 * Copies files into another folder, each whole or not at all, with its mode. `drafts`: a folder on the same device that
 * is of no use to anybody else; a kill may leave a file there, which the next copy removes.
 */
export async function copyFiles(
  paths: readonly string[],
  { from, to, drafts }: { readonly from: FilesFolder; readonly to: FilesFolder; readonly drafts: string },
): Promise<void> {
  rmSync(drafts, { recursive: true, force: true });
  for (const path of paths) {
    try {
      mkdirSync(drafts, { recursive: true, mode: 0o700 });
      const draft = join(drafts, "file");
      await copyFile(absolute(from, path), draft, constants.COPYFILE_FICLONE);
      mkdirSync(absolute(to, dirname(path)), { recursive: true });
      renameSync(draft, absolute(to, path));
    } catch (cause) {
      throw ioError(`copy ${path} to ${to.folder}`, cause);
    } finally {
      rmSync(drafts, { recursive: true, force: true });
    }
  }
}
