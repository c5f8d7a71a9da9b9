import { statfs } from "node:fs/promises";

/** How many bytes whoever runs this may still write where a folder is. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
