import { statSync } from "node:fs";
import { join } from "node:path";
import { gitBytes } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";

/** Names the state of each file in a working tree by its times and its size; absent: there is none. */
export function stampsOf({ folder }: Repository, paths: readonly string[]): ReadonlyMap<string, string> {
  const stamps = new Map<string, string>();
  for (const path of paths) {
    const found = statSync(join(folder, path), { throwIfNoEntry: false });
    if (found?.isFile()) stamps.set(path, `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`);
  }
  return stamps;
}

/** Of these files those that differ from the last commit, or that it does not have. */
export async function uncommitted(repository: Repository, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const how = [
    "--no-optional-locks",
    "--literal-pathspecs",
    "status",
    "--porcelain",
    "-z",
    "--ignored",
    "-uall",
    "--no-renames",
  ];
  const { stdout } = await gitBytes(repository, [...QUIET, ...how, "--", ...paths]);
  const found = new Set(splitNul(stdout).map((entry) => decodePath(entry.subarray(3))));
  return paths.filter((path) => found.has(path));
}
