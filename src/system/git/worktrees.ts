import { join } from "node:path";
import { entriesIn, textIn } from "../folder.ts";
import { mustBytes } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { readHead } from "./ref-files.ts";
import type { Repository } from "./repository.ts";

/** The working trees of the repository that have the branch checked out, whether or not their folders exist. */
export async function treesWithBranch(home: Repository, ref: string): Promise<string[]> {
  const isOnly = home.gitFolder === home.commonFolder && !(await hasLinked(home));
  if (isOnly) return (await readHead(home)).ref === ref ? [home.folder] : [];
  const { stdout } = await mustBytes(home, ["worktree", "list", "--porcelain", "-z"]);
  const folders: string[] = [];
  let folder = "";
  for (const line of splitNul(stdout).map(decodePath)) {
    if (line.startsWith("worktree ")) folder = line.slice("worktree ".length);
    if (line === `branch ${ref}`) folders.push(folder);
  }
  return folders;
}

const hasLinked = async ({ commonFolder }: Repository): Promise<boolean> =>
  (await entriesIn(join(commonFolder, "worktrees"))).length > 0;

/** Whether a rebase of the branch waits in some working tree. Git calls its HEAD detached, and moves the branch at the end. */
export async function isRebased({ commonFolder }: Repository, ref: string): Promise<boolean> {
  const linked = await entriesIn(join(commonFolder, "worktrees"));
  const folders = [commonFolder, ...linked.map((name) => join(commonFolder, "worktrees", name))];
  const files = folders.flatMap((folder) => [
    join(folder, "rebase-merge", "head-name"),
    join(folder, "rebase-apply", "head-name"),
  ]);
  return files.some((file) => textIn(file)?.trim() === ref);
}
