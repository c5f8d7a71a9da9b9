import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { commitAll, git, write } from "../../../test/temporary-folder.ts";
import type { Repository } from "./repository.ts";
import { committedBetween, rawChanges } from "./snapshot.ts";
import { compareTrees, hasLooseObjects } from "./tree-changes.ts";

const headOf = ({ folder }: Repository): string => git(folder, "rev-parse", "HEAD");

/** Commits with changes of each kind, and the empty tree. */
async function history(): Promise<{ readonly home: Repository; readonly commits: readonly string[] }> {
  const home = await newRepository({
    "a.txt": "1",
    "b/c.txt": "1",
    "b/d/e.txt": "1",
    "f.sh": "1",
    "g/h": "1",
    "b.x": "",
  });
  const { folder } = home;
  const commits = [headOf(home), git(folder, "hash-object", "-t", "tree", "/dev/null")];
  const commit = (): void => {
    commitAll(folder, "More");
    commits.push(headOf(home));
  };
  write(folder, { "a.txt": "2", "b/ü/new": Buffer.from([0, 255]), "b c/it's": "1", "deep/er/est": "" });
  chmodSync(join(folder, "f.sh"), 0o755);
  commit();
  rmSync(join(folder, "b/d"), { recursive: true });
  rmSync(join(folder, "g"), { recursive: true });
  write(folder, { "b/d": "a file", "a.txt": "1" });
  symlinkSync("a.txt", join(folder, "g"));
  commit();
  rmSync(join(folder, "a.txt"));
  write(folder, { "a.txt/inside": "1" });
  commit();
  return { home, commits };
}

test("P-30 two trees differ in what git says, whether git compares them or we do", async () => {
  const { home, commits } = await history();
  for (const from of commits) {
    for (const to of commits) {
      const byGit = await rawChanges(home, ["diff-tree", "-r"], [from, to]);
      const ours = await compareTrees(home, from, to);
      expect(Object.fromEntries(ours!.changes)).toEqual(Object.fromEntries(byGit));
      expect(Object.fromEntries(await committedBetween(home, from, to))).toEqual(Object.fromEntries(byGit));
    }
  }
  expect(await compareTrees(home, "HEAD", commits[0]!)).toBe(undefined);
});

test("P-30 L-23 a tree lacks an object: no file of it is there, or it is in a pack, where git looks", async () => {
  const { home, commits } = await history();
  const { folder } = home;
  const [from, to] = [commits[0]!, commits.at(-1)!];
  expect(await hasLooseObjects(home, from, to)).toBe(true);
  const blob = git(folder, "rev-parse", `${to}:b/d`);
  rmSync(join(folder, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
  expect(await hasLooseObjects(home, from, to)).toBe(false);
  write(folder, { blob: "a file" });
  git(folder, "hash-object", "-w", "blob");
  expect(await hasLooseObjects(home, from, to)).toBe(true);
  git(folder, "gc", "--quiet");
  expect(await hasLooseObjects(home, from, to)).toBe(false);
});
