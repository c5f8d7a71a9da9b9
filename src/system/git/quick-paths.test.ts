import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commitDelta } from "../../../test/commit-delta.ts";
import { newRepository, repositoryAt } from "../../../test/git-place.ts";
import { git as run, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { writeCommit } from "./commit.ts";
import type { Repository } from "./repository.ts";
import { snapshot } from "./snapshot.ts";

function withoutShells(repository: Repository): Repository {
  const { shells: _, ...plain } = repository;
  return plain;
}
const withGitsObjects = (repository: Repository): Repository => ({ ...repository, writesObjects: false });

/** Changes of every kind, committed beside work of the user; all that git says of it afterwards. */
async function session(way: (repository: Repository) => Repository): Promise<readonly string[]> {
  const opened = await newRepository({ "a.txt": "1", "b/c.txt": "1", "b/d/e.txt": "1", "f.sh": "1", "users.txt": "1" });
  const repository = way(opened);
  const { folder } = repository;
  write(folder, { "users.txt": "2", "staged.txt": "1" });
  run(folder, "add", "staged.txt");
  const base = await snapshot(repository);
  write(folder, { "a.txt": "2\r\n", "b/ü/new": Buffer.from([0, 255]), "b c/it's": "1", "deep/er/est": "" });
  rmSync(join(folder, "b/d"), { recursive: true });
  chmodSync(join(folder, "f.sh"), 0o755);
  const now = await snapshot(repository, base);
  const rules = { maxFileBytes: 5_000_000, inputs: ["users.txt", "staged.txt"], allow: [] };
  const result = await commitDelta(repository, { base, now }, { rules, message: "Do it\n" });
  await opened.shells?.close();
  return [
    now.tree,
    result.kind,
    run(folder, "ls-tree", "-r", "-t", "HEAD"),
    run(folder, "status", "--porcelain"),
    run(folder, "fsck", "--full", "--strict", "--no-progress"),
  ];
}

test("P-32 P-30 a commit is the same whether shells start git or we do, and whether git writes its objects or we do", async () => {
  const quick = await session((repository) => repository);
  expect(quick.slice(1)).toEqual([
    "committed",
    expect.stringContaining("deep/er/est"),
    "M users.txt\n?? staged.txt",
    "",
  ]);
  expect([
    await session(withoutShells),
    await session(withGitsObjects),
    await session((repository) => withoutShells(withGitsObjects(repository))),
  ]).toEqual([quick, quick, quick]);
});

test("L-23 a commit that we write is the one that git would write, once git has said who commits", async () => {
  const folder = temporaryRepository({ "a.txt": "1" });
  run(folder, "config", "user.name", "Ünal <O'Brien> ");
  const opened = await repositoryAt(folder);
  const first = await snapshot(opened);
  const commit = { tree: first.tree, parents: [first.head!], message: "Ä title\n\nA text\n\nRalph-Task: t-1\n" };
  const shown = async (repository: Repository): Promise<string> =>
    run(folder, "cat-file", "-p", await writeCommit(repository, commit)).replaceAll(/ \d{10} /g, " TIME ");
  const git = { ...opened, shells: { run: vi.fn(opened.shells!.run), close: opened.shells!.close } };
  const byGit = await shown(git);
  const before = git.shells.run.mock.calls.length;
  expect(await shown(git)).toBe(byGit);
  expect(byGit).toMatch(/^author Ünal .*O'Brien.* <test@example.invalid> TIME [+-]\d{4}$/m);
  expect(git.shells.run.mock.calls.length).toBe(before);
  // A setting that changed since is git's to read.
  run(folder, "config", "user.name", "Another");
  expect(await shown(git)).toContain("author Another <");
  expect(run(folder, "fsck", "--full", "--strict", "--no-progress", "--no-dangling")).toBe("");
  await opened.shells?.close();
});
