import { statfs } from "node:fs/promises";

/** The free bytes for this user on the disk of a folder. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
