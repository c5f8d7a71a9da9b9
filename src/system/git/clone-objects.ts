import { linkSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathExists } from "../folder.ts";
import type { Repository } from "./repository.ts";

/** Where the objects of a place are kept: beside our index, where none of its programs works. */
export const keptObjects = ({ gitFolder }: Repository): string => join(gitFolder, "clone-objects");

/** The same for its submodules. */
export const keptModules = ({ gitFolder }: Repository): string => join(gitFolder, "clone-modules");

const objectsOf = ({ commonFolder }: Repository): string => join(commonFolder, "objects");

/** Whether objects of the repository are elsewhere. */
export const borrowsObjects = (home: Repository): boolean => pathExists(join(objectsOf(home), "info/alternates"));

/**
 * Links the objects into a folder, as `git clone --local` does. False where that needs git, and the folder is empty:
 * objects elsewhere, another device, a file that went away.
 */
export function keepObjects(home: Repository, folder: string): boolean {
  const draft = `${folder}.draft`;
  rmSync(folder, { recursive: true, force: true });
  // A file of `home` may go away while it is linked, because somebody packs objects.
  const isKept = !borrowsObjects(home) && (linkAll(objectsOf(home), draft) || linkAll(objectsOf(home), draft));
  if (!isKept) rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  renameSync(draft, folder);
  return isKept;
}

function linkAll(from: string, to: string): boolean {
  rmSync(to, { recursive: true, force: true });
  try {
    linkFolder(from, to);
    return true;
  } catch {
    return false; // git says why, if it cannot either
  }
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory()) linkFolder(join(from, name), join(to, name));
    else if (!entry.isFile()) throw new Error(`${join(from, name)} is not a file`);
    else if (!name.startsWith("tmp_") && !name.endsWith(".lock")) linkSync(join(from, name), join(to, name));
  }
}
