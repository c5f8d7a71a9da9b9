import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Where git keeps a repository's things, as its own files tell. Read by hand: starting git takes as long as a command. */
export interface GitFolder {
  /** The working tree that a folder is in. */
  readonly top: string;
  /** What all working trees of the repository share. */
  readonly common: string;
  /** The first working tree, when the repository lies inside it as `.git`. */
  readonly mainTree: string | undefined;
}

/** The repository around a folder; undefined outside of one. */
export function gitFolder(from: string): GitFolder | undefined {
  for (let top = resolve(from); ; top = dirname(top)) {
    const own = gitDirectory(join(top, ".git"));
    if (own !== undefined) {
      const common = resolve(own, firstLine(join(own, "commondir")) ?? ".");
      return { top, common, mainTree: basename(common) === ".git" ? dirname(common) : undefined };
    }
    if (top === dirname(top)) return undefined;
  }
}

/** `.git` is the folder itself, or a file that says where it is (linked working trees, submodules). */
function gitDirectory(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return path;
  const target = found?.isFile() ? /^gitdir: (.*)$/.exec(firstLine(path) ?? "")?.[1] : undefined;
  return target === undefined ? undefined : resolve(dirname(path), target);
}

function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").split("\n")[0]!.trimEnd();
  } catch {
    return undefined; // no such file: it has nothing to say
  }
}
