import { lstatSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { ioError } from "./io-error.ts";

/**
 * Makes folders below a root safe to write again after an agent had access. Removes anything in the place of a folder,
 * or of one above it, that is not a folder inside the root, and anything in it that is neither file nor folder. So we
 * never write through a link (W-05), nor into a pipe, which would block forever. Returns the removed paths, relative to
 * the root. Folders outside the root are left alone.
 */
export function reclaimFolders(root: string, folders: readonly string[]): string[] {
  const ours = new Set<string>();
  return folders.flatMap((folder) => reclaimFolder(root, folder, ours));
}

/** `ours`: what was looked at already, for another. */
function reclaimFolder(root: string, folder: string, ours: Set<string>): string[] {
  const names = relative(root, folder).split(sep);
  if (names[0] === ".." || names[0] === "") return [];
  try {
    const places = names.map((_, index) => join(root, ...names.slice(0, index + 1)));
    const foreign = places.find((path) => !ours.has(path) && isForeign(root, path));
    if (foreign === undefined) for (const path of places) ours.add(path);
    const removed = foreign === undefined ? foreignIn(folder) : [foreign];
    // A link itself is removed, never what it leads to.
    for (const path of removed) rmSync(path, { recursive: true });
    return removed.map((path) => relative(root, path));
  } catch (cause) {
    throw ioError(`look after ${folder}`, cause);
  }
}

function isForeign(root: string, path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // A real folder is inside the folder above it, which was checked before.
  return found !== undefined && !found.isDirectory() && !isFolderInside(root, path);
}

function isFolderInside(root: string, path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  return `${realpathSync.native(path)}${sep}`.startsWith(`${realpathSync.native(root)}${sep}`);
}

function foreignIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => !entry.isFile() && !entry.isDirectory()).map(({ name }) => join(folder, name));
}
