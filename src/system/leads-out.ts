import { closeSync, openSync, readdirSync, readlinkSync, readSync, realpathSync, type Dirent } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isBelow } from "./folder.ts";
import { lstatOf } from "./lstat.ts";

/** A file of a place that leads to files of another. */
export interface WayOut {
  /** Relative to the place. */
  readonly path: string;
  readonly how: "link" | "program" | "import path";
  /** The path outside. */
  readonly to: string;
}

const MAX_FOUND = 10;
const MAX_DEPTH = 6;
const MAX_ENTRIES = 20_000;
const READ_BYTES = 64 * 1024;
const PROGRAM_FOLDERS = new Set(["bin", ".bin", "Scripts"]);
/** Files by which Python finds packages elsewhere. */
const IMPORT_PATHS = /\.(?:pth|egg-link)$|^__editable__.*\.py$/;

/**
 * L-21: up to ten links, programs and import paths in set-up's products that lead into `foreign` folders: gates would
 * see those files instead of the place's own. A foreign folder may contain the place.
 */
export function leadsOut(place: string, products: readonly string[], foreign: readonly string[]): readonly WayOut[] {
  const own = [place, realpathSync.native(place)];
  const isForeign = (path: string): boolean =>
    !own.some((folder) => isBelow(folder, path)) && foreign.some((folder) => isBelow(folder, path));
  const found: WayOut[] = [];
  const open = products.map((path) => ({ path: path.replace(/\/$/, ""), depth: 0 }));
  for (let at = 0; at < open.length && at < MAX_ENTRIES && found.length < MAX_FOUND; at += 1) {
    const { path, depth } = open[at]!;
    const full = join(place, path);
    const kind = lstatOf(full);
    if (kind?.isDirectory() === true && depth < MAX_DEPTH) {
      for (const name of namesIn(full)) open.push({ path: `${path}/${name}`, depth: depth + 1 });
    } else if (kind !== undefined) {
      const named = kind.isSymbolicLink() ? linked(full) : kind.isFile() ? namedIn(full) : undefined;
      const to = named?.paths.find(isForeign);
      if (named !== undefined && to !== undefined) found.push({ path, how: named.how, to });
    }
  }
  return found;
}

/** Packages themselves are not looked into: there are too many files, and links to packages are beside them. */
function namesIn(folder: string): string[] {
  const parent = basename(folder);
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const isPackage = (entry: Dirent): boolean =>
      parent === "site-packages" || (parent === "node_modules" && !/^[.@]/.test(entry.name));
    return entries.filter((entry) => !(entry.isDirectory() && isPackage(entry))).map(({ name }) => name);
  } catch {
    return []; // closed to us
  }
}

interface NamedPaths {
  readonly how: WayOut["how"];
  readonly paths: readonly string[];
}

const linked = (link: string): NamedPaths => ({ how: "link", paths: [targetOf(link)] });

function namedIn(file: string): NamedPaths | undefined {
  if (IMPORT_PATHS.test(basename(file))) return { how: "import path", paths: pathsIn(beginningOf(file)) };
  if (!PROGRAM_FOLDERS.has(basename(dirname(file)))) return undefined;
  const [line = ""] = beginningOf(file).split("\n", 1);
  return line.startsWith("#!") ? { how: "program", paths: pathsIn(line.slice(2)) } : undefined;
}

/** A link that leads nowhere, as to a package that has moved, is judged by the path that it names. */
function targetOf(link: string): string {
  try {
    return realpathSync.native(link);
  } catch {
    return resolve(dirname(link), readlinkSync(link));
  }
}

/** Absolute paths, of which one may contain blanks: each line and each word. */
const pathsIn = (text: string): string[] =>
  text
    .split("\n")
    .flatMap((line) => [line.trim(), ...line.split(/[\s'",;:()[\]{}]+/)].filter((word) => word.startsWith("/")));

function beginningOf(file: string): string {
  const buffer = Buffer.alloc(READ_BYTES);
  let opened: number | undefined;
  try {
    opened = openSync(file, "r");
    return buffer.toString("utf8", 0, readSync(opened, buffer));
  } catch {
    return ""; // closed to us, and so to gates
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
