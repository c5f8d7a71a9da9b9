import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface FolderSize {
  /** What its files take on the disk. Files that other folders share (hard links) take nothing more. */
  readonly bytes: number;
  /** False: it has more files than were looked at, so this is a minimum. */
  readonly isAll: boolean;
}

/** How much a folder takes on the disk, of at most so many entries. No link is followed. */
export async function folderSize(folder: string, most: number): Promise<FolderSize> {
  let [bytes, seen] = [0, 0];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await readdir(at, { withFileTypes: true }).catch((): Dirent[] => []); // gone meanwhile, or closed
    for (const entry of entries) {
      if (seen === most) return { bytes, isAll: false };
      seen += 1;
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined && (found.nlink === 1 || entry.isDirectory())) bytes += found.blocks * 512;
    }
  }
  return { bytes, isAll: true };
}
