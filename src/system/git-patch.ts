import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { GIT_START } from "./git.ts";
import { emptyTree, QUIET, type Repository } from "./git-repository.ts";

/**
 * Writes what lies between a commit and a tree into a file, for people. Git writes it itself, so that its size does not
 * matter. What cannot be written is no reason to stop: the commit has it all.
 */
export async function writePatch(
  repository: Repository,
  { from, to, file }: { readonly from: string | undefined; readonly to: string; readonly file: string },
): Promise<void> {
  const output = await open(file, "w").catch(() => undefined);
  if (output === undefined) return;
  const args = [...QUIET, "diff-tree", "-p", "--binary", "--no-ext-diff", from ?? emptyTree(repository), to];
  await new Promise<void>((resolve) => {
    const git = spawn("git", args, {
      cwd: repository.folder,
      env: repository.env,
      stdio: ["ignore", output.fd, "ignore"],
      ...GIT_START,
    });
    git.once("error", () => resolve());
    git.once("close", () => resolve());
  });
  await output.close().catch(() => undefined); // as above: nobody waits for it
}
