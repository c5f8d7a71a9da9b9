import { realpathSync } from "node:fs";
import type { Environment } from "../domain/environment.ts";
import { isBelow } from "./folder.ts";

/**
 * The paths by which an environment may name a folder: as it is given, without links, and as seen from the home folder
 * and the current one, which may be links (`/home/me` for `/var/home/me`).
 */
export function folderSpellings(folder: string, env: Environment): [string, ...string[]] {
  const real = realPath(folder) ?? folder;
  const throughLinks = [env["HOME"], env["PWD"]].flatMap((named) => {
    const target = named === undefined ? undefined : realPath(named);
    if (named === undefined || target === undefined) return [];
    if (isBelow(target, real)) return [named + real.slice(target.length)];
    // The current folder is below: its path without its last steps.
    const rest = target.slice(real.length);
    return isBelow(real, target) && named.endsWith(rest) ? [named.slice(0, named.length - rest.length)] : [];
  });
  return [folder, ...new Set([real, ...throughLinks].filter((path) => path !== folder && path !== ""))];
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // it does not exist
  }
}
