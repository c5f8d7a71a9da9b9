import { constants, realpathSync, statSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Those of the programs that the search path leads to. */
export async function programsOn(searchPath: string, names: readonly string[]): Promise<string[]> {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== "");
  const found = await Promise.all(names.map((name) => isOnPath(folders, name)));
  return names.filter((_, index) => found[index]);
}

async function isOnPath(folders: readonly string[], name: string): Promise<boolean> {
  const hits = await Promise.all(folders.map((folder) => isProgram(join(folder, name))));
  return hits.includes(true);
}

/** Whether a file can be started by us. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not for us: that is the answer
  }
}

/** What changes when a program is installed anew: where its file really is, and when that was written; undefined: there is none. */
export function stampOf(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    const { mtimeMs, size } = statSync(real);
    return `${real} ${mtimeMs} ${size}`;
  } catch {
    return undefined;
  }
}
