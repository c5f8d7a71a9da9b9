import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newRepository, repositoryAt } from "../../../test/git-place.ts";
import { git as run, temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { inCleanCheckout } from "./checkout.ts";
import { buildTree, type SnapshotRange } from "./commit.ts";
import type { Repository } from "./repository.ts";
import type { FileChange } from "../../domain/change.ts";
import { restoreFiles } from "./restore.ts";
import { saveAsRef, savedRef, rollbackTo } from "./rollback.ts";
import { changesBetween, snapshot } from "./snapshot.ts";
import { findDamage, repairDamage } from "./repo-damage.ts";

/** Changed files as they were; new ones stay. */
const asBefore = (changes: readonly FileChange[]) =>
  changes.filter(({ kind }) => kind !== "added").map(({ path, before: state }) => ({ path, state }));

const ref = "refs/ralph/run-1/task-1";
const rules = { maxFileBytes: 5 * 1024 * 1024, userPaths: [], allow: [] };
const options = { userPaths: [], message: "Return to the last verified state\n" };
const text = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");
const status = (folder: string): string => run(folder, "status", "--porcelain", "--untracked-files=all");

async function span(repository: Repository, edit: () => void): Promise<SnapshotRange> {
  const base = await snapshot(repository);
  edit();
  return { base, now: await snapshot(repository, base) };
}

/** A session that does a bit of everything, part of it committed. */
function work(folder: string): void {
  write(folder, { "a.txt": "committed", "new.txt": "committed" });
  run(folder, "add", "a.txt", "new.txt");
  run(folder, "commit", "--quiet", "--message", "By the agent", "--only", "a.txt", "new.txt");
  write(folder, { "a.txt": "loose", "deep/er/loose.txt": "1", ".env": "SECRET=1" });
  rmSync(join(folder, "gone.txt"));
  chmodSync(join(folder, "mode.sh"), 0o755);
  run(folder, "add", "deep");
}

const start = { "a.txt": "1", "gone.txt": "1", "mode.sh": "1", "users.txt": "1" };

describe("P-33 a task that fails for good", () => {
  test("has everything kept under a name of its own, and the tree as it was before", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    write(folder, { "users.txt": "edited by the user", "users-new.txt": "1" });
    run(folder, "add", "users.txt");
    const failed = await span(repository, () => work(folder));
    const kept = await saveAsRef(repository, failed, { ref, message: "Kept\n" });
    expect(run(folder, "rev-parse", ref)).toBe(kept);
    expect(run(folder, "ls-tree", "-r", "--name-only", ref).split("\n")).toEqual([
      ".env",
      "a.txt",
      "deep/er/loose.txt",
      "mode.sh",
      "new.txt",
      "users.txt",
    ]);
    expect(run(folder, "show", `${ref}:users.txt`)).toBe("1");
    expect(run(folder, "log", "--format=%s", ref)).toBe("Kept\nBy the agent\nBegin");

    const result = await rollbackTo(repository, failed, { ...options, userPaths: ["users.txt"] });
    expect(result).toEqual({ kind: "returned", branch: "moved back", head: failed.base.head, left: [] });
    expect(run(folder, "log", "--format=%s")).toBe("Begin");
    expect(status(folder)).toBe("M  users.txt\n?? users-new.txt");
    expect([text(folder, "a.txt"), text(folder, "users.txt")]).toEqual(["1", "edited by the user"]);
    expect([existsSync(join(folder, "deep")), statSync(join(folder, "mode.sh")).mode & 0o111]).toEqual([false, 0]);
    expect((await snapshot(repository)).tree).toBe(failed.base.tree);
  });

  test("returns twice as well as once: a crash in between does no harm", async () => {
    const repository = await newRepository(start);
    const failed = await span(repository, () => work(repository.folder));
    await rollbackTo(repository, failed, options);
    const again = { base: failed.base, now: await snapshot(repository) };
    expect(await rollbackTo(repository, again, options)).toEqual({
      kind: "returned",
      branch: "unmoved",
      head: failed.base.head,
      left: [],
    });
    expect(status(repository.folder)).toBe("");
  });

  test("has its commits reverted by one commit when a remote has them", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    const failed = await span(repository, () => {
      work(folder);
      run(folder, "update-ref", "refs/remotes/origin/main", "HEAD");
    });
    const result = await rollbackTo(repository, failed, options);
    expect(result).toMatchObject({ kind: "returned", branch: "reverted" });
    expect(run(folder, "log", "--format=%s")).toBe("Return to the last verified state\nBy the agent\nBegin");
    expect(status(folder)).toBe("");
    expect((await snapshot(repository)).tree).toBe(failed.base.tree);
  });

  test("has a rewritten history reverted on top, not dropped", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    const failed = await span(repository, () => {
      write(folder, { "a.txt": "amended" });
      run(folder, "commit", "--quiet", "--all", "--amend", "--message", "Amended");
    });
    expect(await rollbackTo(repository, failed, options)).toMatchObject({ branch: "reverted" });
    expect(run(folder, "log", "--format=%s")).toBe("Return to the last verified state\nAmended");
    expect([text(folder, "a.txt"), status(folder)]).toEqual(["1", ""]);
  });

  test("is not returned from when it touched a path with changes of the user's", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    write(folder, { "users.txt": "mine" });
    const failed = await span(repository, () => write(folder, { "users.txt": "both", "a.txt": "2" }));
    expect(await rollbackTo(repository, failed, { ...options, userPaths: ["users.txt"] })).toEqual({
      kind: "refused",
      paths: ["users.txt"],
    });
    expect([text(folder, "a.txt"), text(folder, "users.txt")]).toEqual(["2", "both"]);
  });

  test("leaves an untracked file of the user's that it changed, and says so", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    write(folder, { "notes.txt": "mine" });
    const failed = await span(repository, () => write(folder, { "notes.txt": "changed", "a.txt": "2" }));
    expect(await rollbackTo(repository, failed, options)).toMatchObject({ kind: "returned", left: ["notes.txt"] });
    expect([text(folder, "notes.txt"), text(folder, "a.txt")]).toEqual(["changed", "1"]);
  });

  test("returns to no commit at all when there was none", async () => {
    const repository = await repositoryAt(temporaryRepository());
    const { folder } = repository;
    const failed = await span(repository, () => {
      write(folder, { "a.txt": "1" });
      run(folder, "add", "--all");
      run(folder, "commit", "--quiet", "--message", "By the agent");
    });
    await saveAsRef(repository, failed, { ref, message: "Kept\n" });
    expect(await rollbackTo(repository, failed, options)).toMatchObject({ branch: "moved back", head: undefined });
    expect(status(folder)).toBe("");
    expect(run(folder, "log", "--format=%s", ref)).toBe("Kept\nBy the agent");
  });

  test("never follows a link when it removes files", async () => {
    const outside = temporaryFolder({ "b.txt": "not ours" });
    const repository = await newRepository({ "keep.txt": "1" });
    const { folder } = repository;
    const base = await snapshot(repository);
    write(folder, { "a/b.txt": "1" });
    const now = await snapshot(repository, base);
    rmSync(join(folder, "a"), { recursive: true });
    symlinkSync(outside, join(folder, "a"));
    await rollbackTo(repository, { base, now }, options);
    expect(text(outside, "b.txt")).toBe("not ours");
  });

  test("keeps what an earlier failure of the same task had, too; nothing is kept of nothing", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    const nothing = await span(repository, () => undefined);
    expect(await saveAsRef(repository, nothing, { ref, message: "Kept\n" })).toBe(undefined);
    const first = await span(repository, () => write(folder, { "a.txt": "first" }));
    const one = await saveAsRef(repository, first, { ref, message: "Kept\n" });
    await rollbackTo(repository, first, options);
    const second = await span(repository, () => write(folder, { "a.txt": "second" }));
    await saveAsRef(repository, second, { ref, message: "Kept again\n" });
    expect(run(folder, "rev-parse", `${ref}^2`)).toBe(one);
  });

  test("has a name that git takes, whatever the ids", async () => {
    const ids = ["t-1", ".hidden", "a..b", "x.lock", "end.", "a.b"];
    const names = ids.map((id) => savedRef("r.1", id));
    const { folder } = await newRepository(start);
    for (const name of names) run(folder, "check-ref-format", name);
    expect(names[5]).toBe("refs/ralph/r.1/a.b");
    expect(new Set(names).size).toBe(ids.length);
  });
});

describe("step 8: what gates changed", () => {
  test("in files that were proven is put back; their new files stay", async () => {
    const repository = await newRepository({ ...start, "lock.json": "1", "dir/x.txt": "1" });
    const { folder } = repository;
    const proven = await span(repository, () => write(folder, { "a.txt": "by the agent", "new.txt": "by the agent" }));
    await buildTree(repository, proven, rules);
    write(folder, { "a.txt": "formatted", "new.txt": "formatted", "lock.json": "2", "coverage/x": "report" });
    chmodSync(join(folder, "mode.sh"), 0o755);
    rmSync(join(folder, "gone.txt"));
    rmSync(join(folder, "dir"), { recursive: true });
    const after = await snapshot(repository, proven.now);
    const changes = await changesBetween(repository, proven.now, after);
    expect(await restoreFiles(repository, asBefore(changes))).toEqual({
      restored: ["a.txt", "dir/x.txt", "gone.txt", "lock.json", "mode.sh", "new.txt"],
      left: [],
    });
    expect(status(folder)).toBe("M a.txt\n?? coverage/x\n?? new.txt");
    expect([text(folder, "a.txt"), text(folder, "new.txt")]).toEqual(["by the agent", "by the agent"]);
  });

  test("stays when something nobody knows is in the way", async () => {
    const repository = await newRepository({ ...start, ".gitignore": "*.log\n" });
    const { folder } = repository;
    const before = await snapshot(repository);
    rmSync(join(folder, "a.txt"));
    write(folder, { "a.txt/precious.log": "ignored" });
    const changes = await changesBetween(repository, before, await snapshot(repository, before));
    expect(await restoreFiles(repository, asBefore(changes))).toEqual({ restored: [], left: ["a.txt"] });
    expect(text(folder, "a.txt/precious.log")).toBe("ignored");
  });
});

describe("P-34 a session that meddles with git", () => {
  const mendAfter = async (repository: Repository, edit: () => void) => {
    const before = await snapshot(repository);
    edit();
    const repaired = await repairDamage(repository, before);
    expect(await findDamage(repository, before)).toEqual(
      repaired.filter(({ done }) => done === undefined).map(({ damage }) => damage),
    );
    return repaired.map(({ damage, done }) => [damage.kind, done]);
  };

  test("and only commits is no damage", async () => {
    const repository = await newRepository(start);
    expect(await mendAfter(repository, () => work(repository.folder))).toEqual([]);
  });

  test("and leaves a lock has it removed", async () => {
    const repository = await newRepository(start);
    expect(await mendAfter(repository, () => write(repository.folder, { ".git/index.lock": "" }))).toEqual([
      ["lock", "Removed the stale lock index.lock"],
    ]);
    expect(status(repository.folder)).toBe("");
  });

  test("and leaves a merge or a rebase half done has it aborted, with its other work in place", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    run(folder, "checkout", "--quiet", "-b", "other");
    write(folder, { "a.txt": "other" });
    run(folder, "commit", "--quiet", "--all", "--message", "Other");
    run(folder, "checkout", "--quiet", "main");
    write(folder, { "a.txt": "main" });
    run(folder, "commit", "--quiet", "--all", "--message", "Main");
    const conflict = (...args: readonly string[]): void => {
      write(folder, { "loose.txt": "work" });
      expect(() => run(folder, ...args)).toThrow();
    };
    expect(await mendAfter(repository, () => conflict("merge", "other"))).toEqual([
      ["unfinished", "ralphctl aborted it"],
    ]);
    expect(await mendAfter(repository, () => conflict("rebase", "other"))).toEqual([
      ["unfinished", "ralphctl aborted it"],
    ]);
    expect(await mendAfter(repository, () => conflict("cherry-pick", "other"))).toEqual([
      ["unfinished", "ralphctl aborted it"],
    ]);
    expect([run(folder, "branch", "--show-current"), text(folder, "a.txt"), status(folder)]).toEqual([
      "main",
      "main",
      "?? loose.txt",
    ]);
  });

  test("and works on a branch of its own is brought back with its commits", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    const repaired = await mendAfter(repository, () => {
      run(folder, "checkout", "--quiet", "-b", "feature");
      work(folder);
    });
    expect(repaired).toEqual([["branch switched", "Switched back to main, keeping the new commits"]]);
    expect(run(folder, "log", "--format=%s", "main")).toBe("By the agent\nBegin");
    expect(text(folder, "a.txt")).toBe("loose");
    expect(await mendAfter(repository, () => run(folder, "checkout", "--quiet", "--detach"))).toHaveLength(1);
    expect(run(folder, "branch", "--show-current")).toBe("main");
  });

  test("and switches to a branch with another history is only reported", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    run(folder, "branch", "old");
    write(folder, { "a.txt": "2" });
    run(folder, "commit", "--quiet", "--all", "--message", "Second");
    const repaired = await mendAfter(repository, () => {
      run(folder, "checkout", "--quiet", "old");
      write(folder, { "b.txt": "1" });
      run(folder, "add", "b.txt");
      run(folder, "commit", "--quiet", "--message", "Aside");
    });
    expect(repaired[0]).toEqual(["branch switched", undefined]);
  });

  test("and rewrites history has it brought back; its files stay as changes", async () => {
    const repository = await newRepository(start);
    const { folder } = repository;
    write(folder, { "a.txt": "2" });
    run(folder, "commit", "--quiet", "--all", "--message", "Second");
    const head = run(folder, "rev-parse", "HEAD");
    const repaired = await mendAfter(repository, () => {
      write(folder, { "a.txt": "amended", "b.txt": "1" });
      run(folder, "add", "--all");
      run(folder, "commit", "--quiet", "--amend", "--message", "Amended");
    });
    expect(repaired).toEqual([
      ["history rewritten", `Moved HEAD back to ${head.slice(0, 10)}; the files stay as they are`],
    ]);
    expect([run(folder, "rev-parse", "HEAD"), status(folder)]).toEqual([head, "M a.txt\n?? b.txt"]);
  });
});

describe("P-23 a clean checkout", () => {
  test("has the commit and nothing else, and is gone afterwards, also when the work in it fails", async () => {
    const repository = await newRepository({ ...start, ".gitignore": "cache\n" });
    const { folder } = repository;
    write(folder, { cache: "old", "a.txt": "uncommitted" });
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    write(folder, { ".git/hooks/post-checkout": "#!/bin/sh\nexit 1\n" });
    chmodSync(join(folder, ".git/hooks/post-checkout"), 0o755);
    const seen = await inCleanCheckout(repository, "HEAD", async (clean) => {
      return [text(clean, "a.txt"), existsSync(join(clean, "cache")), clean] as const;
    });
    expect(seen.slice(0, 2)).toEqual(["1", false]);
    expect(existsSync(seen[2])).toBe(false);
    const failing = inCleanCheckout(repository, "HEAD", () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(run(folder, "worktree", "list").split("\n")).toHaveLength(1);
    expect(text(folder, "a.txt")).toBe("uncommitted");
  });
});
