import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository, repositoryAt } from "../../../test/git-place.ts";
import { git } from "../../../test/temporary-folder.ts";
import { mayHaveRefs, readHead, refInFiles } from "./ref-files.ts";
import { readRefs } from "./ref.ts";
import type { Repository } from "./repository.ts";

const NAMES = ["one", "two", "loose", "packed", "both", "gone", "ä/ö", "ä", "link", "broken", "main"].map(
  (name) => `refs/heads/${name}`,
);

/** By git: what exists of these. */
function byGit({ folder }: Repository): Map<string, string> {
  const lines = git(folder, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads").split("\n");
  return new Map(lines.map((line) => line.split(" ") as [string, string]).filter(([name]) => NAMES.includes(name)));
}

test("refs are read from files as git reads them: loose, packed, both, deleted, symbolic", async () => {
  const home = await newRepository({ "a.txt": "1\n" });
  const { folder } = home;
  const update = (name: string, commit: string): string => git(folder, "update-ref", `refs/heads/${name}`, commit);
  const first = git(folder, "rev-parse", "HEAD");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "Second");
  const second = git(folder, "rev-parse", "HEAD");
  for (const name of ["packed", "both", "gone", "ä/ö"]) update(name, first);
  expect(await readRefs(home, NAMES)).toEqual(byGit(home));
  git(folder, "pack-refs", "--all");
  expect(await readRefs(home, NAMES)).toEqual(byGit(home));
  update("both", second);
  update("loose", second);
  git(folder, "update-ref", "-d", "refs/heads/gone");
  git(folder, "symbolic-ref", "refs/heads/link", "refs/heads/packed");
  expect(await readRefs(home, NAMES)).toEqual(byGit(home));
  expect((await readRefs(home, NAMES)).get("refs/heads/link")).toBe(first);
  expect((await readRefs(home, NAMES)).get("refs/heads/both")).toBe(second);
  expect(refInFiles(home, "refs/heads/gone")).toEqual({ object: undefined });
  expect(refInFiles(home, "refs/heads/ä")).toEqual({ object: undefined });
});

test("HEAD is read from files: on a branch, before the first commit, detached, in a linked working tree", async () => {
  const home = await newRepository({ "a.txt": "1\n" });
  const { folder } = home;
  const commit = git(folder, "rev-parse", "HEAD");
  expect(await readHead(home)).toEqual({ ref: "refs/heads/main", commit });
  git(folder, "worktree", "add", "--quiet", "-b", "other", `${folder}-other`);
  const other = await repositoryAt(`${folder}-other`);
  expect(await readHead(other)).toEqual({ ref: "refs/heads/other", commit });
  git(folder, "worktree", "remove", other.folder);
  git(folder, "switch", "--quiet", "--orphan", "empty");
  expect(await readHead(home)).toEqual({ ref: "refs/heads/empty", commit: undefined });
  git(folder, "switch", "--quiet", "--detach", "main");
  expect(await readHead(home)).toEqual({ ref: undefined, commit });
});

test("git answers where files do not: another format, links, damaged files", async () => {
  const home = await newRepository({ "a.txt": "1\n" });
  const { folder, commonFolder } = home;
  const commit = git(folder, "rev-parse", "HEAD");
  symlinkSync("main", join(commonFolder, "refs/heads/link"));
  writeFileSync(join(commonFolder, "refs/heads/broken"), "");
  expect(refInFiles(home, "refs/heads/link")).toBe(undefined);
  expect(refInFiles(home, "refs/heads/broken")).toBe(undefined);
  expect(await readRefs(home, NAMES)).toEqual(byGit(home));
  expect((await readRefs(home, NAMES)).get("refs/heads/link")).toBe(commit);
  mkdirSync(join(commonFolder, "reftable"));
  expect(refInFiles(home, "refs/heads/main")).toBe(undefined);
  expect(await mayHaveRefs(home, "refs/nothing/")).toBe(true);
  expect((await readHead(home)).commit).toBe(commit);
});

test("refs below a name are seen loose and packed, and no longer when they are deleted", async () => {
  const home = await newRepository({ "a.txt": "1\n" });
  const { folder } = home;
  const has = async (): Promise<boolean> => await mayHaveRefs(home, "refs/ralph/work/");
  expect(await has()).toBe(false);
  git(folder, "update-ref", "refs/ralph/work/a/b", "HEAD");
  expect(await has()).toBe(true);
  git(folder, "pack-refs", "--all");
  expect(await has()).toBe(true);
  git(folder, "update-ref", "-d", "refs/ralph/work/a/b");
  expect(await has()).toBe(false);
});
