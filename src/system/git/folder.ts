import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { textIn } from "../folder.ts";

/** The folders of a repository, read from its own files: starting git would take as long as a whole command. */
export interface GitFolder {
  /** The working tree that a folder is in. */
  readonly top: string;
  /** The git folder of that working tree. */
  readonly own: string;
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
      return { top, own, common, mainTree: mainTreeOf({ top, own, common }) };
    }
    if (top === dirname(top)) return undefined;
  }
}

/** All working trees of a repository that are there, the one that was asked from first. */
export function workingTrees({ top, common, mainTree }: GitFolder): string[] {
  const linked = namesIn(join(common, "worktrees")).flatMap((name) => {
    const told = firstLine(join(common, "worktrees", name, "gitdir"));
    return told === undefined ? [] : [dirname(resolve(common, "worktrees", name, told))];
  });
  const all = [top, ...(mainTree === undefined ? [] : [mainTree]), ...linked];
  return [...new Set(all)].filter((tree) => statSync(tree, { throwIfNoEntry: false })?.isDirectory());
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return []; // no other working tree was ever made
  }
}

/**
 * The folder around `.git`, unless the repository was put apart from its working tree: then a main tree is elsewhere,
 * as is seen in that tree itself, whose `.git` is a file, or where the configuration says so.
 */
function mainTreeOf({ top, own, common }: { top: string; own: string; common: string }): string | undefined {
  const around = dirname(common);
  if (basename(common) !== ".git" || (own === common && top !== around)) return undefined;
  const told = /^\s*worktree\s*=\s*"?(.*?)"?\s*$/m.exec(textIn(join(common, "config")) ?? "")?.[1];
  return told === undefined || resolve(common, told) === around ? around : undefined;
}

/** `.git` is the folder itself, or a file that says where it is (linked working trees, submodules). */
function gitDirectory(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return path;
  const target = found?.isFile() ? /^gitdir: (.*)$/.exec(firstLine(path) ?? "")?.[1] : undefined;
  return target === undefined ? undefined : resolve(dirname(path), target);
}

const firstLine = (path: string): string | undefined => textIn(path)?.split("\n")[0]!.trimEnd();

/** What HEAD of a git folder names: a branch, or a commit. Neither: there is no such folder. */
export function headOf(folder: string): { readonly branch: string | undefined; readonly commit: string | undefined } {
  const text = firstLine(join(folder, "HEAD")) ?? "";
  const commit = /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
  return { branch: /^ref: refs\/heads\/(.+)$/.exec(text)?.[1], commit };
}
