import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { placeAt } from "../../../test/git-place.ts";
import { git, temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { type BranchSwitch, switchToBranch } from "./branch.ts";

const to = (folder: string, name: string): Promise<BranchSwitch> => switchToBranch(placeAt(folder), name);
const branch = (folder: string): string => git(folder, "symbolic-ref", "--short", "HEAD");

/** A repository whose branch `other` has another version of a.txt, and b.txt besides. */
function twoBranches(): string {
  const folder = temporaryRepository({ "a.txt": "1", "c.txt": "1" });
  git(folder, "switch", "--quiet", "--create", "other");
  write(folder, { "a.txt": "2", "b.txt": "2" });
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "Other");
  git(folder, "switch", "--quiet", "main");
  return folder;
}

describe("P-30 the branch that a run works on", () => {
  test("P-30 is made at HEAD where there is none, and what is not committed stays as it is", async () => {
    const folder = temporaryRepository({ "a.txt": "1", "b.txt": "1" });
    git(folder, "config", "branch.autoSetupMerge", "always");
    write(folder, { "a.txt": "changed", "new.txt": "new", "b.txt": "staged" });
    git(folder, "add", "b.txt");
    const [head, status] = [git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain")];
    expect(await to(folder, "ralph/login")).toBe("created");
    expect(branch(folder)).toBe("ralph/login");
    expect(git(folder, "rev-parse", "HEAD", "main").split("\n")).toEqual([head, head]);
    expect(git(folder, "status", "--porcelain")).toBe(status);
    expect(git(folder, "config", "--local", "--list")).not.toContain("branch.ralph/login");
  });

  test("P-30 is switched to where there is one, from a folder below too, and staying is nothing to do", async () => {
    const folder = twoBranches();
    mkdirSync(join(folder, "deep"));
    write(folder, { "c.txt": "mine" });
    expect(await to(join(folder, "deep"), "other")).toBe("switched");
    expect([branch(folder), readFileSync(join(folder, "a.txt"), "utf8")]).toEqual(["other", "2"]);
    expect(readFileSync(join(folder, "c.txt"), "utf8")).toBe("mine");
    expect(await to(folder, "other")).toBe("already there");
  });

  test("P-30 is left from a detached HEAD, and a remote's branch or a tag of that name is not meant", async () => {
    const folder = twoBranches();
    git(folder, "update-ref", "refs/remotes/origin/feature", "other");
    git(folder, "tag", "feature", "other");
    git(folder, "config", "remote.origin.url", "nowhere");
    git(folder, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
    git(folder, "switch", "--quiet", "--detach", "main");
    const head = git(folder, "rev-parse", "HEAD");
    expect(await to(folder, "feature")).toBe("created");
    expect(git(folder, "rev-parse", "HEAD")).toBe(head);
  });

  test("P-30 before the first commit only its name changes", async () => {
    const folder = temporaryRepository();
    write(folder, { "a.txt": "1" });
    git(folder, "add", "a.txt");
    expect(await to(folder, "ralph")).toBe("renamed");
    expect(branch(folder)).toBe("ralph");
    expect(git(folder, "status", "--porcelain")).toBe("A  a.txt");
  });

  test("P-30 no hook runs", async () => {
    const folder = twoBranches();
    for (const hook of ["post-checkout", "reference-transaction"]) {
      write(folder, { [`.git/hooks/${hook}`]: "#!/bin/sh\ntouch ran\n" });
      chmodSync(join(folder, ".git/hooks", hook), 0o755);
    }
    expect([await to(folder, "new"), await to(folder, "other")]).toEqual(["created", "switched"]);
    expect([existsSync(join(folder, "ran")), existsSync(join(folder, ".git/ran"))]).toEqual([false, false]);
  });
});

describe("X-78 a branch that cannot be had", () => {
  test("X-78 files in the way are named, and everything stays as it was", async () => {
    const folder = twoBranches();
    write(folder, { "a.txt": "mine", "b.txt": "mine" });
    await expect(to(folder, "other")).rejects.toMatchObject({
      kind: "config",
      message: "Cannot switch to the branch other: it would overwrite a.txt, b.txt",
      hint: "Commit these files, or stash them: git stash --include-untracked",
    });
    expect([branch(folder), git(folder, "status", "--porcelain")]).toEqual(["main", "M a.txt\n?? b.txt"]);
  });

  test("X-78 of many files in the way the first five are named", async () => {
    const names = ["1", "2", "3", "4", "5", "6", "7"];
    const folder = temporaryRepository({ "a.txt": "1" });
    git(folder, "switch", "--quiet", "--create", "other");
    write(folder, Object.fromEntries(names.map((name) => [name, "theirs"])));
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "--message", "Other");
    git(folder, "switch", "--quiet", "main");
    write(folder, Object.fromEntries(names.map((name) => [name, "mine"])));
    await expect(to(folder, "other")).rejects.toThrow("it would overwrite 1, 2, 3, 4, 5 and 2 more");
  });

  test.each(["", " ", "-x", "HEAD", "@", "@{-1}", "a..b", "a b", "a.lock", "/a", "a/", "a~1", "--orphan"])(
    "X-78 %j is not a name for it",
    async (name) => {
      const folder = twoBranches();
      await expect(to(folder, name)).rejects.toMatchObject({
        kind: "config",
        message: `${JSON.stringify(name)} cannot be the name of a branch`,
      });
      expect(branch(folder)).toBe("main");
    },
  );

  test("X-78 a branch whose name is the beginning of it is in the way", async () => {
    const folder = twoBranches();
    await expect(to(folder, "other/login")).rejects.toMatchObject({
      kind: "config",
      message: "Cannot switch to the branch other/login: it conflicts with the branch other",
    });
    expect(branch(folder)).toBe("main");
  });

  test("X-78 another working tree that has it checked out is named", async () => {
    const folder = twoBranches();
    const tree = join(temporaryFolder(), "tree");
    git(folder, "worktree", "add", "--quiet", tree, "other");
    await expect(to(folder, "other")).rejects.toMatchObject({
      kind: "config",
      message: `Cannot switch to the branch other: it is checked out in ${tree}`,
    });
  });

  test("P-30 X-78 no repository, and a merge that is half done, are refused as ever", async () => {
    await expect(to(temporaryFolder(), "x")).rejects.toMatchObject({ kind: "config", hint: "Run git init first" });
    const folder = twoBranches();
    write(folder, { ".git/MERGE_HEAD": git(folder, "rev-parse", "other") });
    await expect(to(folder, "x")).rejects.toMatchObject({ kind: "config", message: "A merge is in progress" });
  });

  test("X-78 whatever else git has to say is said in its words", async () => {
    const folder = twoBranches();
    write(folder, { ".git/index.lock": "" });
    await expect(to(folder, "other")).rejects.toMatchObject({
      kind: "config",
      message: expect.stringMatching(/^Cannot switch to the branch other: Unable to create .*index\.lock/) as unknown,
    });
  });
});
