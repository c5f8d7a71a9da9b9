import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { newRepository, repositoryAt } from "../../../test/git-place.ts";
import { landFiles } from "../../../test/land-files.ts";
import { commitAll, git, temporaryFolder, write } from "../../../test/temporary-folder.ts";
import { type BranchFollow, followBranch } from "./follow-branch.ts";
import { openTarget, type LandingTarget } from "./landing.ts";
import { openRepository, type Repository } from "./repository.ts";

interface Home {
  readonly home: Repository;
  readonly target: LandingTarget;
  readonly folder: string;
}

const FILES = { "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n", "d.txt": "1\n" };

async function openHome(): Promise<Home> {
  const home = await newRepository(FILES);
  return { home, target: await openTarget(home), folder: home.folder };
}

const follow = ({ home, target }: Home): Promise<BranchFollow> => followBranch(home, target, { planFiles: [] });
const land = ({ home, target }: Home, files: Parameters<typeof landFiles>[2]): Promise<string> =>
  landFiles(home, target, files);
const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");
const commitOf = (folder: string, name: string): string => git(folder, "rev-parse", name);

const realGit = (): string => execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/** All that a refusal must leave as it is. */
const everything = (folder: string): unknown => ({
  status: git(folder, "status", "--porcelain=v2", "--untracked-files=all", "--ignored"),
  staged: git(folder, "ls-files", "--stage"),
  unstaged: git(folder, "diff"),
  refs: git(folder, "for-each-ref", "refs/heads", "refs/stash", "refs/ralph/target"),
  head: git(folder, "reflog", "show", "HEAD"),
});

/** Refused with these words, and nothing is different. */
async function expectRefusal(
  place: Home,
  why: RegExp | string,
  remedy: RegExp | string = "ralphctl land",
): Promise<void> {
  const before = everything(place.folder);
  const result = await follow(place);
  expect(result).toEqual({
    kind: "refused",
    why: typeof why === "string" ? expect.stringContaining(why) : expect.stringMatching(why),
    remedy: expect.stringMatching(remedy),
    steps: expect.any(Array),
    ...("isTakenIn" in result && { isTakenIn: true }),
  });
  expect(everything(place.folder)).toEqual(before);
  expect(existsSync(join(place.home.gitFolder, "ralphctl-following"))).toBe(false);
}

describe("L-24 the branch follows what landed", () => {
  test("L-24 in a clean tree: branch, files and index are those of the landing, and no hook runs", async () => {
    const place = await openHome();
    const { folder } = place;
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    writeFileSync(join(folder, ".git/hooks/post-merge"), "#!/bin/sh\ntouch hooked\n", { mode: 0o755 });
    for (const [key, value] of [
      ["branch.main.mergeOptions", "--squash --no-commit"],
      ["merge.ff", "false"],
      ["merge.autoStash", "true"],
      ["merge.verifySignatures", "true"],
    ]) {
      git(folder, "config", key!, value!);
    }
    const landed = await land(place, { "a.txt": "landed\n", "b.txt": undefined, "new/e.txt": "new\n" });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([commitOf(folder, "main"), git(folder, "symbolic-ref", "HEAD")]).toEqual([landed, "refs/heads/main"]);
    expect(git(folder, "status", "--porcelain", "--ignored")).toBe("");
    expect([read(folder, "a.txt"), read(folder, "new/e.txt"), existsSync(join(folder, "b.txt"))]).toEqual([
      "landed\n",
      "new\n",
      false,
    ]);
    expect(git(folder, "reflog", "-1", "--format=%gs", "HEAD")).toContain("ralphctl: follow");
    expect(await follow(place)).toEqual({ kind: "nothing" });
  });

  test("T-41 edits that are dirty, staged, untracked or ignored stay exactly as they are", async () => {
    const place = await openHome();
    const { folder } = place;
    write(folder, { ".gitignore": "*.log\n", "mode.txt": "1\n" });
    commitAll(folder, "More");
    write(folder, { "b.txt": "dirty\n", "c.txt": "staged\n", "new.txt": "untracked\n", "x.log": "ignored\n" });
    git(folder, "add", "c.txt");
    write(folder, { "c.txt": "staged, then edited\n" });
    rmSync(join(folder, "d.txt"));
    const before = [git(folder, "status", "--porcelain", "--ignored"), git(folder, "ls-files", "--stage", "c.txt")];
    const landed = await land(place, { "a.txt": "landed\n", "e.txt": "e\n", "mode.txt": undefined });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([git(folder, "status", "--porcelain", "--ignored"), git(folder, "ls-files", "--stage", "c.txt")]).toEqual(
      before,
    );
    expect(["b.txt", "c.txt", "new.txt", "x.log"].map((path) => read(folder, path))).toEqual([
      "dirty\n",
      "staged, then edited\n",
      "untracked\n",
      "ignored\n",
    ]);
    expect(existsSync(join(folder, "d.txt"))).toBe(false);
  });

  test("L-24 a file that already is as it landed is not in the way, tracked or not, and stays untouched", async () => {
    const place = await openHome();
    const { folder } = place;
    write(folder, { "a.txt": "landed\n", "new.txt": "new\n" });
    rmSync(join(folder, "b.txt"));
    await land(place, { "a.txt": "landed\n", "new.txt": "new\n", "b.txt": undefined, "c.txt": "landed\n" });
    expect((await follow(place)).kind).toBe("followed");
    expect(git(folder, "status", "--porcelain")).toBe("");
  });
});

describe("T-41 a change of the person's that is in the way refuses all of it", () => {
  const landing = { "a.txt": "landed\n", "b.txt": "landed\n", "new.txt": "landed\n", "z.log": "landed\n" };

  test.each<[string, string, (folder: string) => void]>([
    ["an edit", "a.txt", (folder) => write(folder, { "a.txt": "mine\n" })],
    [
      "an edit and an edit that is staged",
      "a.txt",
      (folder) => {
        write(folder, { "b.txt": "landed\n", "a.txt": "mine\n" });
        git(folder, "add", "b.txt");
      },
    ],
    [
      "a staged edit",
      "a.txt",
      (folder) => {
        write(folder, { "a.txt": "mine\n" });
        git(folder, "add", "a.txt");
      },
    ],
    ["a removed file", "b.txt", (folder) => rmSync(join(folder, "b.txt"))],
    ["a file whose removal is staged", "b.txt", (folder) => git(folder, "rm", "--quiet", "b.txt")],
    ["an untracked file", "new.txt", (folder) => write(folder, { "new.txt": "mine\n" })],
    ["an untracked folder", "new.txt", (folder) => write(folder, { "new.txt/mine.txt": "mine\n" })],
    [
      "an ignored file",
      "z.log",
      (folder) => {
        writeFileSync(join(folder, ".git/info/exclude"), "*.log\n");
        write(folder, { "z.log": "mine\n" });
      },
    ],
    [
      "an ignored folder",
      "z.log",
      (folder) => {
        writeFileSync(join(folder, ".git/info/exclude"), "*.log\n");
        write(folder, { "z.log/mine.txt": "mine\n" });
      },
    ],
    [
      "an edit that git is told not to see",
      "a.txt",
      (folder) => {
        git(folder, "update-index", "--assume-unchanged", "a.txt");
        write(folder, { "a.txt": "mine\n" });
      },
    ],
    [
      "a file that git is told to leave out",
      "a.txt",
      (folder) => {
        git(folder, "update-index", "--skip-worktree", "a.txt");
        write(folder, { "a.txt": "mine\n" });
      },
    ],
  ])("T-41 %s", async (_, path, change) => {
    const place = await openHome();
    await land(place, landing);
    change(place.folder);
    await expectRefusal(place, path, /(stash|mv -n).*ralphctl land/);
  });

  test("L-24 T-41 the line that it gives works as it is typed, and keeps the person's changes", async () => {
    const place = await openHome();
    const { folder } = place;
    const landed = await land(place, { "a.txt": "0\n1\n", "b.txt": "landed\n", "new 1.txt": "landed\n", "z/y": "z\n" });
    write(folder, { "a.txt": "1\n2\n3\n4\n5\n", "new 1.txt": "mine\n", z: "mine\n", "c.txt": "mine\n" });
    git(folder, "add", "a.txt");
    const typed: string[] = [];
    for (
      let answer = await follow(place);
      answer.kind === "refused" && typed.length < 3;
      answer = await follow(place)
    ) {
      typed.push(...answer.steps);
      const line = answer.steps[0]!.replaceAll("ralphctl land", "touch .git/followed");
      execFileSync("sh", ["-c", line.split(" && touch")[0]!], { cwd: folder });
    }
    expect([typed, commitOf(folder, "main")]).toEqual([
      [
        "mv -n 'new 1.txt' 'new 1.txt.mine' && git stash && ralphctl land && git stash pop",
        "mv -n z z.mine && ralphctl land",
      ],
      landed,
    ]);
    git(folder, "checkout", "--quiet", "stash@{0}", "--", "c.txt");
    expect(["new 1.txt.mine", "z.mine", "c.txt"].map((path) => read(folder, path))).toEqual(Array(3).fill("mine\n"));
  });

  test("L-24 and follows once the person has stashed it, or committed and merged", async () => {
    const place = await openHome();
    const { folder } = place;
    const landed = await land(place, landing);
    write(folder, { "a.txt": "mine\n", "c.txt": "mine\n" });
    await expectRefusal(place, "a.txt");
    git(folder, "stash", "push", "--quiet");
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    await land(place, { "c.txt": "landed\n" });
    write(folder, { "c.txt": "mine\n" });
    await expectRefusal(place, "c.txt");
    git(folder, "commit", "--quiet", "--all", "--message", "Mine");
    await expectRefusal(place, "commits of its own");
    git(folder, "merge", "--quiet", "--strategy=ours", place.target.ref);
    expect(await follow(place)).toEqual({ kind: "nothing" });
    expect(git(folder, "show", "stash@{0}:a.txt")).toBe("mine");
  });
});

describe("L-24 a repository that is not ready refuses, and says what to do", () => {
  test.each<[string, string, (folder: string) => void]>([
    ["merge", "A merge is in progress", (folder) => git(folder, "merge", "--quiet", "--no-ff", "--no-commit", "side")],
    ["cherry-pick", "A cherry-pick is in progress", (folder) => failing(folder, "cherry-pick", "clash")],
    ["rebase", "A rebase of main is in progress", (folder) => failing(folder, "rebase", "clash")],
  ])("T-41 a %s under way", async (_, why, begin) => {
    const place = await openHome();
    const { folder } = place;
    for (const [branch, file] of [
      ["side", "side.txt"],
      ["clash", "c.txt"],
    ]) {
      git(folder, "switch", "--quiet", "--create", branch!, "main");
      write(folder, { [file!]: `${branch}\n` });
      commitAll(folder, branch!);
      git(folder, "switch", "--quiet", "main");
    }
    write(folder, { "c.txt": "mine\n" });
    commitAll(folder, "Mine");
    await land(place, { "a.txt": "landed\n" });
    begin(folder);
    await expectRefusal(place, why, /(Finish|abort).*ralphctl land/);
  });

  test("T-41 conflicts that a stash left in the index", async () => {
    const place = await openHome();
    const { folder } = place;
    write(folder, { "c.txt": "stashed\n" });
    git(folder, "stash", "push", "--quiet");
    write(folder, { "c.txt": "mine\n" });
    commitAll(folder, "Mine");
    await land(place, { "a.txt": "landed\n" });
    failing(folder, "stash", "pop");
    const before = everything(folder);
    expect(await follow(place)).toMatchObject({ kind: "refused", why: expect.stringContaining("unmerged files") });
    expect(everything(folder)).toEqual(before);
  });

  test.each(["index.lock", "HEAD.lock", "refs/heads/main.lock"])("L-24 %s that somebody holds", async (lock) => {
    const place = await openHome();
    const landed = await land(place, { "a.txt": "landed\n" });
    writeFileSync(join(place.folder, ".git", lock), "");
    const before = read(place.folder, "a.txt");
    expect(await follow(place)).toMatchObject({ kind: "refused", why: expect.stringContaining("Another git") });
    expect([existsSync(join(place.folder, ".git", lock)), read(place.folder, "a.txt")]).toEqual([true, before]);
    rmSync(join(place.folder, ".git", lock));
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
  });

  test("L-24 a git of the person's that is through in a moment is waited for", async () => {
    const place = await openHome();
    const landed = await land(place, { "a.txt": "landed\n" });
    const lock = join(place.folder, ".git/index.lock");
    writeFileSync(lock, "");
    const following = follow(place);
    setTimeout(() => rmSync(lock), 150);
    expect(await following).toEqual({ kind: "followed", commit: landed });
  });

  test("T-41 a git that sets the person's changes aside is waited for: a rebase that begins would break off", async () => {
    const { folder, target } = await openHome();
    const trace = join(temporaryFolder(), "trace");
    const home = await openRepository({ folder, env: { ...process.env, GIT_TRACE: trace } });
    const place = { home, target, folder };
    const landed = await land(place, { "a.txt": "landed\n" });
    // By its name it is a git. It ends when ralphctl has looked twice, or has not waited.
    const isLookedAt = `test "$(grep --count ' status ' ${trace})" -ge 2`;
    const head = `$(${realGit()} rev-parse HEAD)`;
    const script = `#!/bin/sh\necho begun; was=${head}\nuntil test "$was" != "${head}" || ${isLookedAt}; do sleep 0.02; done; echo "${head}"`;
    const own = join(temporaryFolder({ git: script }), "git");
    chmodSync(own, 0o755);
    const stash = spawn(own, ["stash", "push"], { cwd: place.folder, stdio: ["ignore", "pipe", "inherit"] });
    const lines: string[] = [];
    stash.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
    const ended = once(stash, "close");
    await vi.waitUntil(() => lines.length > 0, { timeout: 50_000 });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    await ended;
    expect(lines).toEqual(["begun", commitOf(place.folder, `${landed}^`)]);
  });

  test.each<[string, RegExp, RegExp, (folder: string) => void]>([
    [
      "deleted",
      /main no longer exists/,
      /git branch main refs\/ralph\/target\/main/,
      (folder) => {
        git(folder, "switch", "--quiet", "--detach");
        git(folder, "branch", "--delete", "--force", "main");
      },
    ],
    [
      "renamed",
      /renamed main to trunk/,
      /git merge --autostash refs/,
      (folder) => git(folder, "branch", "--move", "trunk"),
    ],
    [
      "amended",
      /changed the history of main/,
      /ralphctl land: it puts what landed since on top/,
      (folder) => git(folder, "commit", "--quiet", "--amend", "--message", "x"),
    ],
    [
      "reset",
      /changed the history of main/,
      /ralphctl land/,
      (folder) => git(folder, "reset", "--quiet", "--hard", "HEAD~1"),
    ],
    [
      "rebased",
      /changed the history of main/,
      /ralphctl land/,
      (folder) => git(folder, "-c", "user.name=Other", "rebase", "--quiet", "--force-rebase", "--root"),
    ],
  ])("T-41 a branch that the person has %s is left alone", async (_, why, remedy, change) => {
    const place = await openHome();
    await land(place, { "a.txt": "one\n" });
    expect((await follow(place)).kind).toBe("followed");
    await land(place, { "a.txt": "two\n" });
    change(place.folder);
    await expectRefusal(place, why, remedy);
  });

  test("T-41 both ways out of a branch that was reset work: take the commits back, or leave them out", async () => {
    for (const merges of [true, false]) {
      const place = await openHome();
      const { folder, target } = place;
      await land(place, { "a.txt": "one\n" });
      await follow(place);
      git(folder, "reset", "--quiet", "--hard", "HEAD~1");
      if (merges) git(folder, "merge", "--quiet", target.ref);
      else git(folder, "update-ref", target.ref, "refs/heads/main");
      expect(await follow(place)).toEqual({ kind: "nothing" });
      const next = await land(place, { "b.txt": "two\n" });
      expect(await follow(place)).toEqual({ kind: "followed", commit: next });
      expect(read(folder, "a.txt")).toBe(merges ? "one\n" : "1\n");
    }
  });
});

function failing(folder: string, ...args: readonly string[]): void {
  expect(() => git(folder, ...args)).toThrow();
}

describe("L-24 the branch is somewhere else", () => {
  test("T-41 a branch that is renamed while one looks for its new name: nobody can tell, and nothing breaks", async () => {
    const place = await openHome();
    await land(place, { "a.txt": "landed\n" });
    git(place.folder, "branch", "--move", "main", "renamed");
    // So it looks between the list of branches and the look at one of them.
    symlinkSync("nowhere", join(place.folder, ".git/logs/refs/heads/and-back"));
    await expectRefusal(place, "renamed main to renamed", /git merge/);
    rmSync(join(place.folder, ".git/logs/refs/heads/and-back"));
  });

  test("L-24 checked out nowhere: the ref moves, and the tree on another branch stays", async () => {
    const place = await openHome();
    const { folder } = place;
    const landed = await land(place, { "a.txt": "landed\n" });
    git(folder, "switch", "--quiet", "--create", "other");
    write(folder, { "a.txt": "mine\n" });
    const before = git(folder, "status", "--porcelain");
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([commitOf(folder, "main"), git(folder, "status", "--porcelain")]).toEqual([landed, before]);
    expect([read(folder, "a.txt"), git(folder, "symbolic-ref", "HEAD")]).toEqual(["mine\n", "refs/heads/other"]);
  });

  test("L-24 in another working tree: it follows there, where plan files are the person's own", async () => {
    const place = await openHome();
    const { folder, home, target } = place;
    const other = join(temporaryFolder(), "other tree");
    git(folder, "switch", "--quiet", "--create", "side");
    git(folder, "worktree", "add", "--quiet", other, "main");
    const landed = await land(place, { "a.txt": "landed\n" });
    write(other, { "a.txt": "mine\n" });
    const refusal = await followBranch(home, target, { planFiles: ["a.txt"] });
    expect(refusal).toMatchObject({ kind: "refused", why: expect.stringContaining("a.txt") });
    write(other, { "a.txt": "1\n", "b.txt": "mine\n" });
    write(folder, { "a.txt": "of the side\n" });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([read(other, "a.txt"), read(other, "b.txt"), read(folder, "a.txt")]).toEqual([
      "landed\n",
      "mine\n",
      "of the side\n",
    ]);
    expect(git(other, "status", "--porcelain")).toBe("M b.txt");

    await land(place, { "c.txt": "landed\n" });
    rmSync(other, { recursive: true });
    await expectRefusal(place, "does not exist", /git worktree prune.*ralphctl land/);
    git(folder, "worktree", "prune");
    expect((await follow(place)).kind).toBe("followed");
  });

  test.each([1, 2, 3, 4, 5, 6].flatMap((nth) => [`before ${nth}`, `after ${nth}`]))(
    "T-41 L-24 another working tree that the person removes %s looks of git at it: the branch follows all the same",
    async (when) => {
      const { folder, target } = await openHome();
      const other = join(temporaryFolder(), "other");
      const landed = await land({ home: await repositoryAt(folder), target, folder }, { "a.txt": "landed\n" });
      git(folder, "switch", "--quiet", "--create", "side");
      git(folder, "worktree", "add", "--quiet", other, "main");
      const remove = `env -u GIT_DIR -u GIT_WORK_TREE ${realGit()} -C '${folder}' worktree remove --force '${other}'`;
      const count = join(temporaryFolder(), "count");
      const isNow = (part: string): string => `test "${part} $(wc -l <'${count}')" = '${when}'`;
      const script = `#!/bin/sh
case "$PWD $*" in *'${other}'* | *worktree*) echo >>'${count}' ;; *) exec ${realGit()} "$@" ;; esac
${isNow("before")} && ${remove}
${realGit()} "$@"
code=$?
${isNow("after")} && ${remove}
exit $code`;
      const programs = temporaryFolder({ git: script });
      chmodSync(join(programs, "git"), 0o755);
      const env = { ...process.env, PATH: `${programs}:${process.env["PATH"]}` };
      const home = await openRepository({ folder, env });
      // "nothing": git had just moved the branch there.
      expect((await follow({ home, target, folder })).kind).toMatch(/^(?:followed|nothing)$/);
      expect([commitOf(folder, "main"), git(folder, "symbolic-ref", "HEAD")]).toEqual([landed, "refs/heads/side"]);
    },
  );

  test("L-24 in two working trees: refused, because only one could follow", async () => {
    const place = await openHome();
    const other = join(temporaryFolder(), "other");
    git(place.folder, "worktree", "add", "--quiet", "--force", other, "main");
    await land(place, { "a.txt": "landed\n" });
    await expectRefusal(place, "checked out in", /Switch one.*ralphctl land/);
  });

  test("L-24 home is itself a linked working tree", async () => {
    const main = await openHome();
    const folder = join(temporaryFolder(), "linked");
    git(main.folder, "worktree", "add", "--quiet", "-b", "feature", folder);
    const home = await repositoryAt(folder);
    const place = { home, folder, target: await openTarget(home) };
    const landed = await land(place, { "a.txt": "landed\n" });
    write(folder, { "b.txt": "mine\n" });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([commitOf(folder, "HEAD"), read(folder, "a.txt"), read(folder, "b.txt")]).toEqual([
      landed,
      "landed\n",
      "mine\n",
    ]);
    expect(commitOf(main.folder, "main")).not.toBe(landed);
  });

  test("L-24 a detached HEAD follows in its own tree, and not once it is on a branch", async () => {
    const { home, folder } = await openHome();
    const main = commitOf(folder, "main");
    git(folder, "switch", "--quiet", "--detach");
    const place = { home, folder, target: await openTarget(home) };
    const landed = await land(place, { "a.txt": "landed\n" });
    write(folder, { "b.txt": "mine\n" });
    expect(await follow(place)).toEqual({ kind: "followed", commit: landed });
    expect([commitOf(folder, "HEAD"), commitOf(folder, "main"), read(folder, "b.txt")]).toEqual([
      landed,
      main,
      "mine\n",
    ]);
    await land(place, { "a.txt": "more\n" });
    git(folder, "stash", "push", "--quiet");
    git(folder, "switch", "--quiet", "main");
    await expectRefusal(place, "on a branch now", "git merge --autostash refs/ralph/target-detached/");
  });
});
