import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository, repositoryAt } from "../../test/git-place.ts";
import { git as run, temporaryFolder, write } from "../../test/temporary-folder.ts";
import { mendLocks } from "./git-trouble.ts";

test("P-41 a run in a linked working tree leaves the locks of the main one's index and HEAD alone", async () => {
  const main = await newRepository({ "a.txt": "1" });
  const folder = join(temporaryFolder(), "linked");
  run(main.folder, "worktree", "add", "--quiet", "-b", "side", folder);
  const linked = await repositoryAt(folder);
  const theirs = ["index.lock", "HEAD.lock", "next-index-123.lock"];
  const locks = [...theirs, "packed-refs.lock", "refs/heads/side.lock", "worktrees/linked/index.lock"];
  write(main.gitFolder, Object.fromEntries(locks.map((name) => [name, ""])));
  expect((await mendLocks(linked)).sort()).toEqual(
    ["packed-refs.lock", "refs/heads/side.lock", "worktrees/linked/index.lock"].map(
      (name) => `The lock ${name}, which nobody held, was removed`,
    ),
  );
  expect(locks.filter((name) => existsSync(join(main.gitFolder, name)))).toEqual(theirs);
});
