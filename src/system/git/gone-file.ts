import { gitBytes, type GitPlace } from "./git.ts";
import { QUIET } from "./repository.ts";

/**
 * Whether a file that is not in the working tree was taken away here. Not if only other branches have it: then this one
 * never had it.
 */
export async function isTakenAway(place: GitPlace, path: string): Promise<boolean> {
  const isIn = async (...commits: readonly string[]): Promise<boolean> => {
    const { stdout } = await gitBytes(place, [
      ...QUIET,
      "--literal-pathspecs",
      "rev-list",
      "-1",
      "--full-history",
      ...commits,
      "--",
      path,
    ]);
    return stdout.length > 0;
  };
  // Git does not know it: a person removed a file of theirs.
  return (await isIn("HEAD")) || !(await isIn("--all"));
}
