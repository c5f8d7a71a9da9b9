import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { git as run, write } from "../../../test/temporary-folder.ts";
import { committing } from "../../../test/waiting-commit.ts";
import { repairLocks } from "./locks.ts";
import { repairDamage } from "./repo-damage.ts";

test("P-34 P-41 the lock of a commit that waits for its editor is left alone, and said to be held", async () => {
  const repository = await newRepository({ "a.txt": "1" });
  const { folder, gitFolder } = repository;
  const stand = { head: run(folder, "rev-parse", "HEAD"), branch: "main" };
  write(folder, { "a.txt": "2" });
  const commit = await committing(folder);
  const why = `git commit --all (process ${commit.pid}) may hold the lock index.lock`;
  const hint = "Finish that command or end it, then run this one again";
  const damage = { kind: "lock", file: "index.lock" };
  expect(await repairDamage(repository, stand)).toEqual([{ damage, done: undefined, why, hint }]);
  await expect(repairLocks(repository)).rejects.toMatchObject({
    kind: "busy",
    message: why,
    hint,
  });
  expect(existsSync(join(gitFolder, "index.lock"))).toBe(true);
  expect(await commit.finish()).toBe(0);
  expect(run(folder, "log", "-1", "--format=%s")).toBe("By hand");
});
