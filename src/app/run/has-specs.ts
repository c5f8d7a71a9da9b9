import { resolve } from "node:path";
import { entriesIn, kindOf } from "../../system/folder.ts";

/** Links may lead in a circle, and nobody keeps specs deeper than this. */
const DEEPEST = 6;

/** Whether one of the specs directories holds a file, at any depth, that is not hidden (P-04). */
export async function hasSpecs(root: string, dirs: readonly string[]): Promise<boolean> {
  for (const dir of dirs) if (await hasFile(resolve(root, dir), DEEPEST)) return true;
  return false;
}

async function hasFile(folder: string, deepest: number): Promise<boolean> {
  if (deepest === 0 || (await kindOf(folder)) !== "folder") return false;
  const paths = (await entriesIn(folder)).filter((name) => !name.startsWith(".")).map((name) => resolve(folder, name));
  for (const path of paths) if ((await kindOf(path)) === "file") return true;
  for (const path of paths) if (await hasFile(path, deepest - 1)) return true;
  return false;
}
