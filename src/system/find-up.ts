import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The nearest folder, from `from` upwards and not above `top`, that holds a folder called `name`. */
export async function findUp(from: string, name: string, top?: string): Promise<string | undefined> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (isFolder(join(folder, name))) return folder;
    if (folder === top || folder === dirname(folder)) return undefined;
  }
}

/** False for a path that we may not access, such as a folder above ours. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing or closed: either way not what is looked for
  }
}
