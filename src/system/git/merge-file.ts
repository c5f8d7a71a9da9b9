import { join } from "node:path";
import { writeAtomic } from "../folder.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { git, type GitPlace } from "./git.ts";

export interface TextMerge {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Merges two edits of one text, line by line. Undefined if they conflict. */
export async function mergeTexts(
  { env }: Pick<GitPlace, "env">,
  { base, ours, theirs }: TextMerge,
): Promise<string | undefined> {
  if (ours === base || ours === theirs) return theirs;
  if (theirs === base) return ours;
  return await inTemporaryFolder("merge", async (folder) => {
    const names = { ours: join(folder, "ours"), base: join(folder, "base"), theirs: join(folder, "theirs") };
    await Promise.all([
      writeAtomic(names.ours, ours),
      writeAtomic(names.base, base),
      writeAtomic(names.theirs, theirs),
    ]);
    const answer = await git({ folder, env }, ["merge-file", "-p", names.ours, names.base, names.theirs]);
    return answer.code === 0 ? answer.stdout : undefined;
  });
}
