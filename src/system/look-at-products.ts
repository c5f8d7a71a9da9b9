import { createHash } from "node:crypto";
import { readdirSync, rmSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { FilesFolder } from "./copy-file.ts";
import { absolute } from "./git/hash.ts";
import { decodePath } from "./git/path.ts";
import { ioError } from "./io-error.ts";
import { lstatOf } from "./lstat.ts";

/** The products of set-up at one moment. */
export interface ProductsLook {
  /** Names all paths, sizes and times, caches aside. */
  readonly name: string;
  /** The time of the latest change, in milliseconds. */
  readonly newest: number;
}

export interface Products {
  /** As git names them; a folder ends in a slash. */
  readonly paths: readonly string[];
  /** Those of them, or in them, that do not count. */
  readonly except: readonly string[];
}

const MAX_ENTRIES = 500_000;
/** So many at once take about 20 ms. */
const PIECE = 4000;

/** Tools write these whenever they run. */
const CACHE =
  /(?:^|\/)(?:__pycache__(?:\/|$)|[^/]*\.pyc$|node_modules\/\.(?:cache|vite|vite-temp|vitest|turbo|tmp|temp|swc|parcel-cache|astro|nyc_output|mf|wrangler)(?:\/|$)|node_modules\/\.pnpm-workspace-state[^/]*$)/;

/** Looks at everything in the products, by their metadata only. No link is followed. `since`: an earlier look. */
export async function lookAtProducts(
  place: FilesFolder,
  { paths, except }: Products,
  since?: Pick<ProductsLook, "newest">,
): Promise<ProductsLook & Changes> {
  const hash = createHash("sha256");
  const isExcepted = new Set(except.map(withoutSlash));
  const caches: string[] = [];
  let newest = 0;
  let changed: string | undefined;
  const open = paths.map(withoutSlash);
  for (let at = 0; at < open.length && at < MAX_ENTRIES; at += 1) {
    if (at % PIECE === PIECE - 1) await setImmediate();
    const path = open[at]!;
    const found = isExcepted.has(path) ? undefined : lstatOf(absolute(place, path));
    if (found === undefined) continue;
    const isFolder = found.isDirectory();
    if (isFolder) for (const name of namesIn(place, path)) open.push(`${path}/${name}`);
    // A folder has none: each new cache changes its times.
    const time = isFolder ? 0 : timeOf(found);
    newest = Math.max(newest, time);
    const isNew = time > (since?.newest ?? Infinity);
    if (CACHE.test(path)) {
      if (isNew) caches.push(path);
      continue;
    }
    if (isNew) changed ??= path;
    hash.update(`${path}\0${time} ${isFolder ? "" : found.size}\0`);
  }
  return { name: hash.digest("hex"), newest, changed, caches };
}

/** What changed since an earlier look. */
interface Changes {
  /** The first file that is new or changed. */
  readonly changed: string | undefined;
  /** The files that tools wrote into their caches. */
  readonly caches: readonly string[];
}

/** Package managers link files to a store: one more link changes the time of the inode, and not the file. */
const timeOf = ({ nlink, mtimeMs, ctimeMs }: Stats): number => (nlink > 1 ? mtimeMs : ctimeMs);

/** Removes single files. */
export function removeFiles(place: FilesFolder, paths: readonly string[]): void {
  for (const path of paths) {
    try {
      rmSync(absolute(place, path), { force: true });
    } catch (cause) {
      throw ioError(`remove ${path} in ${place.folder}`, cause);
    }
  }
}

const withoutSlash = (path: string): string => path.replace(/\/$/, "");

function namesIn(place: FilesFolder, path: string): string[] {
  try {
    return readdirSync(absolute(place, path), { encoding: "buffer" }).map(decodePath).sort();
  } catch {
    return []; // closed to us, and so to gates
  }
}
