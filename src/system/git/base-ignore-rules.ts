import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileChange } from "../../domain/change.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { gitBytes, gitRefused, mustBytes, type GitPlace } from "./git.ts";
import { absolute } from "./hash.ts";
import { decodePath, encodePath, encodePaths, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";

export const isIgnoreFile = (path: string): boolean => /(?:^|\/)\.gitignore$/.test(path);

interface BaseRules {
  readonly base: Snapshot;
  /** The files that the base's commit has. */
  readonly tracked: readonly string[];
  /** What changed since, by path. */
  readonly changes: ReadonlyMap<string, FileChange>;
  /** Ignore files that were there before and that git does not list, because they ignore themselves. */
  readonly earlier: readonly string[];
}

/**
 * Calls `action` with a function that tells which paths the ignore rules of the base do not cover. The rules are put
 * into a repository of their own, because git reads rules only from files in their places. Folders end in a slash.
 */
export async function withBaseRules<Result>(
  repository: Repository,
  rules: BaseRules,
  action: (uncovered: (paths: readonly string[]) => Promise<string[]>) => Promise<Result>,
): Promise<Result> {
  return await inTemporaryFolder("ignore-rules", async (folder) => {
    const place: GitPlace = { folder, env: repository.env };
    await mustBytes(place, [...QUIET, "init", "--quiet", "--template="]);
    await mkdir(join(folder, ".git/info"), { recursive: true });
    await writeFile(join(folder, ".git/info/exclude"), repository.excludes, "latin1");
    for (const path of ignoreFilesOf(rules)) {
      const content = await contentInBase(repository, path, rules.changes.get(path));
      if (content === undefined) continue;
      await mkdir(at(folder, dirname(path)), { recursive: true });
      await writeFile(at(folder, path), content);
    }
    return await action(async (paths) => await uncoveredPaths(place, paths));
  });
}

const at = (folder: string, path: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), encodePath(path)]);

function ignoreFilesOf({ base, tracked, earlier }: BaseRules): Set<string> {
  const paths = new Set([...tracked, ...earlier].filter(isIgnoreFile));
  for (const { path, now } of base.changed.filter((state) => isIgnoreFile(state.path))) {
    if (now === undefined) paths.delete(path);
    else paths.add(path);
  }
  return paths;
}

/** Undefined if git does not have it: nobody committed it, and a session changed it. */
async function contentInBase(
  repository: Repository,
  path: string,
  change: FileChange | undefined,
): Promise<Buffer | undefined> {
  if (change === undefined) return await readFile(absolute(repository, path));
  const answer = await gitBytes(repository, ["cat-file", "blob", change.before?.hash ?? ""]);
  return answer.code === 0 ? answer.stdout : undefined;
}

async function uncoveredPaths(place: GitPlace, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  // A rule for folders alone needs a folder to see.
  for (const path of paths) if (path.endsWith("/")) await mkdir(at(place.folder, path), { recursive: true });
  const args = [...QUIET, "-c", "core.excludesFile=/dev/null", "check-ignore", "-z", "--no-index", "--stdin"];
  // A name may begin with a colon, which means something else to git.
  const answer = await gitBytes(place, args, { stdin: encodePaths(paths.map((path) => `./${path}`)) });
  if (answer.code > 1) throw gitRefused(args, answer);
  const covered = new Set(splitNul(answer.stdout).map(decodePath));
  return paths.filter((path) => !covered.has(`./${path}`));
}
