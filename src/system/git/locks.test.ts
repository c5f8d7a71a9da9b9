import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository, repositoryAt } from "../../../test/git-place.ts";
import { git as run, temporaryFolder, write } from "../../../test/temporary-folder.ts";
import { committing } from "../../../test/waiting-commit.ts";
import { removeMaintenanceLocks, repairLocks } from "./locks.ts";

test("P-41 a run in a linked working tree leaves the locks of the main one's index and HEAD alone", async () => {
  const main = await newRepository({ "a.txt": "1" });
  const folder = join(temporaryFolder(), "linked");
  run(main.folder, "worktree", "add", "--quiet", "-b", "side", folder);
  const linked = await repositoryAt(folder);
  const theirs = ["index.lock", "HEAD.lock", "next-index-123.lock"];
  const locks = [...theirs, "packed-refs.lock", "refs/heads/side.lock", "worktrees/linked/index.lock"];
  write(main.gitFolder, Object.fromEntries(locks.map((name) => [name, ""])));
  expect((await repairLocks(linked)).sort()).toEqual(
    ["packed-refs.lock", "refs/heads/side.lock", "worktrees/linked/index.lock"].map(
      (name) => `Removed the stale lock ${name}`,
    ),
  );
  expect(locks.filter((name) => existsSync(join(main.gitFolder, name)))).toEqual(theirs);
});

test("P-34 a git that works in another repository holds no lock of this one", async () => {
  const [repository, other] = [await newRepository({ "a.txt": "1" }), await newRepository({ "a.txt": "1" })];
  write(other.folder, { "a.txt": "2" });
  const commit = await committing(other.folder);
  write(repository.folder, { ".git/index.lock": "" });
  expect(await repairLocks(repository)).toEqual(["Removed the stale lock index.lock"]);
  expect(await commit.finish()).toBe(0);
});

const MAINTENANCE_LOCKS = [
  "gc.pid.lock",
  "objects/info/commit-graph.lock",
  "objects/info/commit-graphs/commit-graph-chain.lock",
  "objects/maintenance.lock",
  "objects/pack/multi-pack-index.lock",
];

test("P-34 P-41 what a git leaves that was ended while it tidied is removed, and nobody need be told", async () => {
  const { gitFolder, ...repository } = await newRepository({ "a.txt": "1" });
  const left = () => MAINTENANCE_LOCKS.filter((name) => existsSync(join(gitFolder, name)));
  for (const clear of [removeMaintenanceLocks, repairLocks]) {
    write(gitFolder, Object.fromEntries(MAINTENANCE_LOCKS.map((name) => [name, ""])));
    expect(left()).toEqual(MAINTENANCE_LOCKS);
    expect((await clear({ gitFolder, ...repository })) ?? []).toEqual([]);
    expect(left()).toEqual([]);
  }
});

test("P-34 P-41 a git that may still tidy keeps its lock, and nobody is refused for it", async () => {
  const repository = await newRepository({ "a.txt": "1" });
  const { folder, gitFolder } = repository;
  write(folder, { "a.txt": "2" });
  const commit = await committing(folder);
  write(gitFolder, { "objects/maintenance.lock": "" });
  await removeMaintenanceLocks(repository);
  expect(existsSync(join(gitFolder, "objects/maintenance.lock"))).toBe(true);
  expect(await commit.finish()).toBe(0);
});

test("P-34 P-41 what cannot be removed stays, and only what keeps git from writing is said", async () => {
  const repository = await newRepository({ "a.txt": "1" });
  write(repository.gitFolder, { "objects/maintenance.lock/a": "" });
  await removeMaintenanceLocks(repository);
  expect(await repairLocks(repository)).toEqual([]);
  write(repository.gitFolder, { "index.lock/a": "" });
  await expect(repairLocks(repository)).rejects.toMatchObject({
    kind: "busy",
    message: "Cannot remove the stale lock index.lock: ERR_FS_EISDIR",
    hint: `Remove ${join(repository.gitFolder, "index.lock")}, then run this command again`,
  });
});
