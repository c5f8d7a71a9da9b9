import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository, repositoryAt } from "../../test/git-place.ts";
import { git as run, temporaryFolder, write } from "../../test/temporary-folder.ts";
import { committing } from "../../test/waiting-commit.ts";
import { mendLocks, mendTroubles } from "./git-trouble.ts";

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

test("P-34 P-41 the lock of a commit that waits for its editor is left alone, and said to be held", async () => {
  const repository = await newRepository({ "a.txt": "1" });
  const { folder, gitFolder } = repository;
  const stand = { head: run(folder, "rev-parse", "HEAD"), branch: "main" };
  write(folder, { "a.txt": "2" });
  const commit = await committing(folder);
  const why = `The lock index.lock may be held by git commit --all (process ${commit.pid})`;
  const trouble = { kind: "lock", file: "index.lock" };
  expect(await mendTroubles(repository, stand)).toEqual([{ trouble, done: undefined, why }]);
  await expect(mendLocks(repository)).rejects.toMatchObject({
    kind: "busy",
    message: why,
    hint: "Finish that command or end it, then run this one again",
  });
  expect(existsSync(join(gitFolder, "index.lock"))).toBe(true);
  expect(await commit.finish()).toBe(0);
  expect(run(folder, "log", "-1", "--format=%s")).toBe("By hand");
});

test("P-34 a git that works in another repository holds no lock of this one", async () => {
  const [repository, other] = [await newRepository({ "a.txt": "1" }), await newRepository({ "a.txt": "1" })];
  write(other.folder, { "a.txt": "2" });
  const commit = await committing(other.folder);
  write(repository.folder, { ".git/index.lock": "" });
  expect(await mendLocks(repository)).toEqual(["The lock index.lock, which nobody held, was removed"]);
  expect(await commit.finish()).toBe(0);
});
