import { append } from "../../domain/append.ts";
import { posix } from "node:path";

interface PythonPlace {
  /** The folder of the file. */
  readonly at: string;
  /** The folder in which Python runs. */
  readonly folder: string;
}

const IMPORT = /^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([\w., \t*]*)|import[ \t]+([\w., \t]+))/gm;

/** The files that a module's name may mean. */
export const moduleFiles = (folder: string, name: string): string[] =>
  [".py", "/__init__.py"].map((ending) => posix.join(folder, name.replaceAll(".", "/") + ending));

/** The files that the imports of a Python text may mean: beside it, or below the folder in which Python runs. */
export function importedFiles(text: string, { at, folder }: PythonPlace): string[] {
  const found: string[] = [];
  for (const [, dots = "", module = "", names = "", plain] of text.matchAll(IMPORT)) {
    const inside = namesIn(names).map((name) => `${module}.${name}`.replace(/^\./, ""));
    const modules = plain === undefined ? [module, ...inside] : namesIn(plain);
    const folders = dots === "" ? [at, folder] : [posix.join(at, "../".repeat(dots.length - 1))];
    append(
      found,
      folders.flatMap((from) => modules.filter(Boolean).flatMap((name) => moduleFiles(from, name))),
    );
  }
  return [...new Set(found)].filter((path) => !path.startsWith("../"));
}

const namesIn = (list: string): string[] => list.split(",").flatMap((item) => /^[\w.]+/.exec(item.trim())?.[0] ?? []);
