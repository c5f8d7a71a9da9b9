import { isMapping } from "../domain/mapping.ts";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Kind } from "./kinds.ts";
import { mapValues, rootFields, type Tree } from "./tree.ts";

/** The folder that relative paths of a configuration file start from: its own, or the one that holds `.ralph/` (cfg-R1). */
export function folderOfFile(file: string): string {
  const folder = dirname(file);
  return basename(folder) === ".ralph" ? dirname(folder) : folder;
}

/**
 * A path below a folder as seen from there, with forward slashes; any other as it is, absolute.
 * `undefined` for the folder: always absolute.
 */
export function pathFrom(folder: string | undefined, path: string): string {
  if (folder === undefined) return path;
  const inside = relative(folder, path);
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return path;
  return inside === "" ? "." : inside.replaceAll(sep, "/");
}

/** Makes what was written relative to `base` mean the same from the workspace. */
export function rebasePaths(tree: Tree, base: string, workspace: string | undefined): Tree {
  const rebase = (path: string): string => pathFrom(workspace, resolve(base, path));
  return mapValues(rootFields, tree, (value, kind) => rebased(value, kind, rebase));
}

function rebased(value: unknown, kind: Kind, rebase: (path: string) => string): unknown {
  if (kind.holds === undefined) return value;
  if (Array.isArray(value)) return value.map((entry: unknown) => rebased(entry, kind, rebase));
  if (isMapping(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, rebased(entry, kind, rebase)]));
  }
  if (typeof value !== "string" || kind.words?.includes(value) === true) return value;
  if (kind.holds === "paths") return rebase(value);
  if (!value.includes("/")) return value;
  const program = rebase(value);
  // Without a slash it would be looked for on the PATH.
  return program.includes("/") ? program : `./${program}`;
}
