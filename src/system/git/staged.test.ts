import { expect, test } from "vitest";
import { git, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { syncIndex } from "./staged.ts";
import { checkRepository, type Repository } from "./repository.ts";

/** A repository whose index is one commit behind: that commit changed `a`, added `b` and removed `c`. */
async function lagging(): Promise<{ repository: Repository; from: string; to: string }> {
  const folder = temporaryRepository({ a: "1\n", c: "1\n", own: "1\n" });
  const from = git(folder, "rev-parse", "HEAD");
  write(folder, { a: "2\n", "b ä": "2\n" });
  git(folder, "rm", "--quiet", "c");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "Ours");
  const to = git(folder, "rev-parse", "HEAD");
  git(folder, "read-tree", from);
  return { repository: await checkRepository({ folder, env: process.env }), from, to };
}

test("P-41 an index that is a commit behind is brought along, with what else is staged in it", async () => {
  const { repository, from, to } = await lagging();
  const { folder } = repository;
  write(folder, { own: "2\n" });
  git(folder, "add", "own");
  expect(await syncIndex(repository, from, to)).toBe(true);
  expect(git(folder, "status", "--porcelain")).toBe("M  own");
});

test("P-41 what somebody staged since for a path of that commit stays staged", async () => {
  const { repository, from, to } = await lagging();
  const { folder } = repository;
  write(folder, { a: "3\n" });
  git(folder, "add", "a");
  expect(await syncIndex(repository, from, to)).toBe(true);
  expect(git(folder, "status", "--porcelain")).toBe("M  a");
});

test("P-41 an index whose lock is held stays as it is, and that is said", async () => {
  const { repository, from, to } = await lagging();
  write(repository.folder, { ".git/index.lock": "" });
  expect(await syncIndex(repository, from, to)).toBe(false);
});
