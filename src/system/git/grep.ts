import { gitBytes } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";

/** The text files of a commit that contain these characters. */
export async function filesNaming(repository: Repository, commit: string, text: string): Promise<string[]> {
  const args = [...QUIET, "grep", "-l", "-z", "-I", "-F", "--full-name", "-e", text, commit, "--"];
  const { stdout } = await gitBytes(repository, args); // fails if there are none
  return splitNul(stdout).map((name) => decodePath(name).slice(commit.length + 1));
}
