import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitDelta } from "../../../test/commit-delta.ts";
import { newRepository } from "../../../test/git-place.ts";
import { git as run, write } from "../../../test/temporary-folder.ts";
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
