import { gitBytes, gitRefused, mustBytes } from "./git.ts";
import { decodePath, encodePath, splitNul } from "./path.ts";
import { QUIET, type Repository } from "./repository.ts";

/** Git looks for each text by itself, in each file. */
const MOST = 100;
const NONE_FOUND = 1;

/** The text files of a commit that contain one of these texts, and maybe others: of very many texts, all files. */
export async function filesNaming(repository: Repository, commit: string, texts: readonly string[]): Promise<string[]> {
  const lines = [...new Set(texts.flatMap((text) => text.split("\n")))];
  if (lines.length > MOST) {
    const { stdout } = await mustBytes(repository, [
      ...QUIET,
      "ls-tree",
      "-r",
      "-z",
      "--name-only",
      "--full-tree",
      commit,
    ]);
    return splitNul(stdout).map(decodePath);
  }
  const args = [...QUIET, "grep", "-l", "-z", "-I", "-F", "--full-name", "-f", "-", commit, "--"];
  const answer = await gitBytes(repository, args, { stdin: encodePath(lines.join("\n")) });
  if (answer.code > NONE_FOUND) throw gitRefused(args, answer);
  return splitNul(answer.stdout).map((name) => decodePath(name).slice(commit.length + 1));
}
