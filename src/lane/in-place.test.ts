import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { newRepository, placeAt } from "../../test/git-place.ts";
import { A_STEP_MS, afterKill, type Kept, LENT_TARGET, openLent } from "../../test/lent-tree.ts";
import { commitAll, git, temporaryFolder, write } from "../../test/temporary-folder.ts";
import { moveLanding } from "../system/git/landing.ts";
import { readLoan } from "../system/git/loan.ts";
import { SESSION_ACTION } from "../system/git/reflog.ts";
import { openRepository, type Repository } from "../system/git/repository.ts";
import { snapshot } from "../system/git/snapshot.ts";
import { unprovenOn } from "../system/git/unproven.ts";
import { keepWork, readWork } from "../system/git/work-ref.ts";
import type { Lane } from "./lane.ts";

const FILES = { "a.txt": "1\n", "src/b.txt": "2\n", "PLAN.md": "plan\n", ".gitignore": ".env\nnode_modules\n*.big\n" };

interface Place {
  readonly home: Repository;
  readonly lane: Lane;
  readonly head: string;
  readonly tree: string;
  readonly kept: Kept[];
  readonly git: (...args: readonly string[]) => string;
  /** Git as a session runs it. */
  readonly agent: (...args: readonly string[]) => string;
  readonly read: (path: string) => string;
  readonly write: (files: Readonly<Record<string, string>>) => void;
}

async function lent(files: Readonly<Record<string, string>> = FILES): Promise<Place> {
  const home = await newRepository(files);
  const { folder } = home;
  const run = (...args: readonly string[]): string => git(folder, ...args);
  const head = run("rev-parse", "HEAD");
  await moveLanding(home, LENT_TARGET, { from: undefined, to: head, subject: "begin" });
  const kept: Kept[] = [];
  const lane = await openLent(home, kept);
  const agent = (...args: readonly string[]): string => {
    process.env["GIT_REFLOG_ACTION"] = SESSION_ACTION.GIT_REFLOG_ACTION;
    try {
      return run(...args);
    } finally {
      delete process.env["GIT_REFLOG_ACTION"];
    }
  };
  return {
    home,
    lane,
    head,
    tree: run("rev-parse", "HEAD^{tree}"),
    kept,
    git: run,
    agent,
    read: (path) => readFileSync(join(folder, path), "utf8"),
    write: (more) => write(folder, more),
  };
}

const move = (folder: string, from: string, to: string): void => renameSync(join(folder, from), join(folder, to));

const start = ({ head, tree }: Place) => ({ head, tree });

const isClean = ({ git: run, head }: Place): void => {
  expect([run("status", "--porcelain"), run("rev-parse", "HEAD"), run("symbolic-ref", "HEAD")]).toEqual([
    "",
    head,
    "refs/heads/main",
  ]);
};

const placeRefs = ({ git: run }: Pick<Place, "git">): string[] =>
  run("for-each-ref", "--format=%(refname)", "refs/ralph/run-1")
    .split("\n")
    .filter((name) => name !== "");

describe("L-01 lane 0 is opened", () => {
  test("L-01 only in a clean tree; ten files are named", async () => {
    const { home, write: save } = await lent();
    save(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`new-${String(at).padStart(2, "0")}.txt`, "x"])));
    const named = Array.from({ length: 10 }, (_, at) => `new-${String(at).padStart(2, "0")}.txt`).join(", ");
    await expect(openLent(home)).rejects.toMatchObject({
      kind: "config",
      message: `Work in place needs a clean tree, but these files have changes: ${named} and 2 more`,
      hint: "Commit or stash them, or leave out --in-place",
    });
  });

  test("L-01 neither with a staged change whose file is back as it was, nor in a merge, nor on another branch", async () => {
    const place = await lent();
    place.write({ "a.txt": "staged\n" });
    place.git("add", "a.txt");
    place.write({ "a.txt": "1\n" });
    await expect(openLent(place.home)).rejects.toThrow(/these files have changes: a\.txt$/);
    place.git("reset", "--quiet", "--hard");
    writeFileSync(join(place.home.folder, ".git/MERGE_HEAD"), `${place.head}\n`);
    await expect(openLent(place.home)).rejects.toThrow(/A merge is in progress/);
    place.git("merge", "--quit");
    place.git("switch", "--quiet", "--create", "other");
    await expect(openLent(place.home)).rejects.toThrow("main is not checked out here");
  });

  test("L-03 plans, specs and files of ralphctl may have changes, and keep them", async () => {
    const place = await lent();
    place.write({ "PLAN.md": "mine\n", "specs/a.md": "spec\n", ".ralph/config.yaml": "x: 1\n" });
    const lane = await openLent(place.home);
    await lane.begin(start(place), "t1");
    place.write({ "done.txt": "work\n" });
    await lane.collect();
    await lane.release();
    expect([place.read("PLAN.md"), place.read("specs/a.md"), existsSync(join(lane.folder, "done.txt"))]).toEqual([
      "mine\n",
      "spec\n",
      false,
    ]);
  });
});

describe("T-40 the tree is given back", () => {
  test("T-40 untouched: nothing is kept, said or left", async () => {
    const place = await lent();
    const begun = await place.lane.begin(start(place), "t1");
    expect(begun).toMatchObject({ head: place.head, tree: place.tree, changed: [] });
    expect(await readLoan(place.home)).toMatchObject({ task: "t1", base: place.head, phase: "lent" });
    await place.lane.release();
    expect([placeRefs(place), place.kept, await readLoan(place.home)]).toEqual([[], [], undefined]);
  });

  test("T-40 with everything kept that was there: files, commits, index, small ignored files", async () => {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ "a.txt": "committed\n" });
    place.agent("commit", "--quiet", "--all", "--message", "By the agent");
    const made = place.git("rev-parse", "HEAD");
    place.write({ "a.txt": "staged\n" });
    place.agent("add", "a.txt");
    place.write({ "a.txt": "saved\n", "new/c.txt": "3\n", ".env": "TOKEN=1\n", "node_modules/x.js": "x" });
    place.write({ "x.big": "x".repeat(1024 * 1024) });
    const left = await place.lane.collect();
    expect(left).toMatchObject({ head: made, theirs: undefined });
    await place.lane.release();
    isClean(place);
    expect(place.read(".env")).toBe("TOKEN=1\n");
    const [{ ref, commit } = { ref: "", commit: "" }] = place.kept;
    expect([ref, placeRefs(place)]).toEqual(["refs/ralph/run-1/place-1", [ref]]);
    expect(place.git("show", `${commit}:a.txt`)).toBe("saved");
    expect(place.git("show", `${commit}:.env`)).toBe("TOKEN=1");
    expect(place.git("ls-tree", "-r", "--name-only", commit).split("\n")).not.toContain("node_modules/x.js");
    expect(place.git("ls-tree", "-r", "--name-only", commit).split("\n")).not.toContain("x.big");
    expect(place.git("rev-parse", `${commit}^1`)).toBe(made);
    expect(place.git("show", `${commit}^2:a.txt`)).toBe("staged");
  });

  test("T-40 clean for git, too, if line ends of a file are others now", async () => {
    const place = await lent();
    place.git("config", "core.autocrlf", "true");
    const home = await openRepository({ folder: place.home.folder, env: process.env });
    const lane = await openLent(home);
    await lane.begin(start(place), "t1");
    place.write({ "a.txt": "changed\r\n" });
    await lane.release();
    expect([place.read("a.txt"), place.git("status", "--porcelain")]).toEqual(["1\r\n", ""]);
  });

  test("T-40 with files that git cannot store as attributes ask, as they are", async () => {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ ".gitattributes": "*.txt working-tree-encoding=UTF-16\n", "plain.txt": "plain\n", "b.md": "b\n" });
    await place.lane.release();
    isClean(place);
    const [{ ref } = { ref: "" }] = place.kept;
    expect([place.git("show", `${ref}:plain.txt`), place.git("show", `${ref}:b.md`)]).toEqual(["plain", "b"]);
  });

  test("T-40 without a word if a task's work or the landing has it all", async () => {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ "done.txt": "work\n" });
    place.git("add", "done.txt");
    const tree = place.git("write-tree");
    await keepWork(place.home, { task: "t1", tree, base: place.head, agentHead: undefined, message: "Work\n" });
    await place.lane.release();
    isClean(place);
    expect([place.kept, placeRefs(place).length]).toEqual([[], 1]);
    const again = await place.lane.begin({ ...start(place), tree }, "t1");
    expect([again.tree, place.read("done.txt")]).toEqual([tree, "work\n"]);
    await place.lane.begin({ ...start(place), tree }, "t1");
    expect(placeRefs(place)).toHaveLength(1);
  });

  test("T-40 from a session's branch, merge conflict, deleted branch and changed specs", async () => {
    const place = await lent({ ...FILES, "specs/a.md": "spec\n" });
    await place.lane.begin(start(place), "t1");
    place.agent("switch", "--quiet", "--create", "mine");
    place.write({ "a.txt": "mine\n", "specs/a.md": "changed\n" });
    place.agent("commit", "--quiet", "--all", "--message", "Mine");
    place.agent("switch", "--quiet", "--create", "yours", "main");
    place.write({ "a.txt": "yours\n" });
    place.agent("commit", "--quiet", "--all", "--message", "Yours");
    expect(() => place.agent("merge", "mine")).toThrow();
    place.agent("branch", "--quiet", "-D", "main");
    await place.lane.release();
    isClean(place);
    expect([
      place.read("specs/a.md"),
      place.read("a.txt"),
      existsSync(join(place.home.folder, ".git/MERGE_HEAD")),
    ]).toEqual(["spec\n", "1\n", false]);
    expect(place.git("show", `${place.kept[0]!.ref}:specs/a.md`)).toBe("changed");
  });
});

test("L-24 a branch that followed the landing during the loan is not moved back", async () => {
  const place = await lent();
  await place.lane.begin(start(place), "t1");
  const commit = place.git("commit-tree", "-p", "HEAD", "-m", "Landed", place.tree);
  git(place.home.folder, "update-ref", "-m", "ralphctl: follow", "refs/heads/main", commit);
  await place.lane.release();
  isClean({ ...place, head: commit });
});

describe("T-41 the person's commits and branches during the loan", () => {
  test("T-41 a commit stays on the branch; only files that are not committed go", async () => {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ "done.txt": "work\n" });
    place.agent("add", "done.txt");
    place.agent("commit", "--quiet", "--message", "By the agent");
    place.write({ "a.txt": "the person's\n" });
    place.git("commit", "--quiet", "--all", "--message", "By the person");
    const theirs = place.git("rev-parse", "HEAD");
    place.write({ "more.txt": "more work\n" });
    expect(await place.lane.collect()).toMatchObject({ head: theirs, theirs });
    await place.lane.release();
    isClean({ ...place, head: theirs });
    expect([place.read("a.txt"), existsSync(join(place.home.folder, "more.txt"))]).toEqual(["the person's\n", false]);
    expect(place.git("show", `${place.kept[0]!.ref}:more.txt`)).toBe("more work");
  });

  test("T-41 an amended commit stays", async () => {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ "a.txt": "amended\n" });
    place.git("commit", "--quiet", "--all", "--amend", "--message", "Again");
    const theirs = place.git("rev-parse", "HEAD");
    await place.lane.release();
    isClean({ ...place, head: theirs });
  });

  test("T-41 a branch that the person switched to stays, with all files, and the session's end says so", async () => {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ "done.txt": "work\n" });
    place.git("switch", "--quiet", "--create", "theirs");
    place.write({ "a.txt": "the person's\n" });
    await expect(place.lane.collect()).rejects.toMatchObject({
      name: "LaneTaken",
      message: "You switched to theirs while the run worked in your tree",
      hint: "git stash --include-untracked && git switch main",
    });
    await place.lane.release();
    expect([place.git("symbolic-ref", "--short", "HEAD"), place.read("a.txt"), place.read("done.txt")]).toEqual([
      "theirs",
      "the person's\n",
      "work\n",
    ]);
    expect([place.kept.length, await readLoan(place.home)]).toEqual([1, undefined]);
    await expect(place.lane.begin(start(place), "t1")).rejects.toThrow("You switched to theirs");
  });

  test.each([
    ["renames the branch", "branch -m main theirs", "theirs", 1],
    ["commits", "commit --quiet --allow-empty --message Mine", "main", 2],
  ])("T-41 a person who %s while the tree is taken back keeps it so", async (_, act, branch, commits) => {
    const { folder } = await newRepository(FILES);
    // Their git comes just before ours writes the ref that keeps the files.
    const real = git(folder, "--exec-path");
    const sign = join(folder, ".git/once");
    const text = `#!/bin/sh\ncase "$*" in *place-1*) test -e ${sign} || { touch ${sign}; ${real}/git -C ${folder} ${act}; } ;; esac\nexec ${real}/git "$@"\n`;
    const own = temporaryFolder({ git: text });
    chmodSync(join(own, "git"), 0o755);
    const home = await openRepository(placeAt(folder, { PATH: `${own}:${process.env["PATH"]}` }));
    await moveLanding(home, LENT_TARGET, { from: undefined, to: git(folder, "rev-parse", "HEAD"), subject: "begin" });
    const lane = await openLent(home);
    await lane.begin({ head: git(folder, "rev-parse", "HEAD"), tree: git(folder, "rev-parse", "HEAD^{tree}") }, "t1");
    write(folder, { "done.txt": "work\n" });
    await lane.release();
    expect([
      existsSync(sign),
      git(folder, "symbolic-ref", "--short", "HEAD"),
      git(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads"),
      Number(git(folder, "rev-list", "--count", "HEAD")),
      await readLoan(home),
    ]).toEqual([true, branch, branch, commits, undefined]);
    await home.shells?.close();
  });

  test("T-41 without a reflog, a moved branch counts as the person's", async () => {
    const place = await lent();
    place.git("config", "core.logAllRefUpdates", "false");
    await place.lane.begin(start(place), "t1");
    writeFileSync(join(place.home.folder, ".git/logs/HEAD"), "");
    writeFileSync(join(place.home.folder, ".git/logs/refs/heads/main"), "");
    place.write({ "a.txt": "2\n" });
    commitAll(place.home.folder, "Whose?");
    const head = place.git("rev-parse", "HEAD");
    await place.lane.release();
    isClean({ ...place, head });
  });
});

describe("T-40 after a kill", () => {
  test("T-40 the next run gives the open task its work, cleans the tree, and says so", async () => {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ "done.txt": "work\n", "PLAN.md": "edited\n" });
    place.agent("add", "done.txt");
    place.agent("commit", "--quiet", "--message", "By the agent");
    const made = place.git("rev-parse", "HEAD");
    expect(await afterKill(place.home)).toEqual([
      "Run run-1 was killed while it worked in your tree. The tree is clean again, and t1 goes on with its work; all of it is refs/ralph/run-2/place-1",
    ]);
    expect([place.git("status", "--porcelain"), place.read("PLAN.md")]).toEqual(["M PLAN.md", "edited\n"]);
    expect(place.git("rev-parse", "HEAD")).toBe(place.head);
    const work = await readWork(place.home, "t1");
    expect([work?.base, place.git("show", `${work?.commit}:done.txt`)]).toEqual([place.head, "work"]);
    expect(place.git("show", `${work?.commit}:PLAN.md`)).toBe("plan");
    expect(place.git("rev-list", "--parents", "-1", work!.commit)).toContain(made);
    expect(await afterKill(place.home)).toEqual([]);
  });

  test("T-40 a settled task gets no work back, and a reset that was cut is finished", async () => {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ "done.txt": "work\n" });
    await afterKill(place.home, { isOpen: false });
    isClean(place);
    expect(await readWork(place.home, "t1")).toBeUndefined();
    mkdirSync(join(place.home.folder, ".git/ralph"), { recursive: true });
    await place.lane.begin(start(place), "t1");
    const loan = (await readLoan(place.home))!;
    writeFileSync(join(place.home.folder, ".git/ralph/loan.json"), JSON.stringify({ ...loan, phase: "back" }));
    place.write({ "half.txt": "half\n" });
    await afterKill(place.home);
    isClean(place);
    expect(await readWork(place.home, "t1")).toBeUndefined();
  });
});

describe("T-41 what changed after a kill is the person's", () => {
  /** A session that committed, staged and saved files, and was killed a while ago. */
  async function killed(): Promise<Place & { readonly killedAtMs: number; readonly made: string }> {
    const place = await lent();
    await place.lane.begin(start(place), "t1");
    place.write({ "done.txt": "work\n" });
    place.agent("add", "done.txt");
    place.agent("commit", "--quiet", "--message", "By the agent");
    place.write({ "half.txt": "half\n" });
    const killedAtMs = Date.now() + A_STEP_MS;
    // The clock of files is coarse.
    const sign = join(place.home.folder, ".git", "sign");
    const isPast = (): boolean => {
      writeFileSync(sign, "");
      return statSync(sign).ctimeMs > killedAtMs + 1;
    };
    await vi.waitUntil(isPast, { timeout: 50_000 });
    return { ...place, killedAtMs, made: place.git("rev-parse", "HEAD") };
  }
  const stateOf = (place: Place): unknown[] => [
    place.git("status", "--porcelain"),
    place.git("rev-parse", "HEAD"),
    place.git("write-tree"),
  ];

  test.each<[string, string, (place: Place) => void]>([
    ["an edit", "a.txt", ({ write: save }) => save({ "a.txt": "the person's\n" })],
    ["a new file", "src/new.txt", ({ write: save }) => save({ "src/new.txt": "the person's\n" })],
    ["a deletion", "src/b.txt", ({ home }) => rmSync(join(home.folder, "src/b.txt"))],
    ["a deleted folder", "src/b.txt", ({ home }) => rmSync(join(home.folder, "src"), { recursive: true })],
    ["a staged file", "half.txt", ({ git: run }) => void run("add", "half.txt")],
    ["a rename of the agent's file", "mine.txt", ({ home: { folder } }) => move(folder, "half.txt", "mine.txt")],
  ])("T-41 %s: nothing is taken back, a ref has all, and only work in place refuses", async (_what, path, change) => {
    const place = await killed();
    const { killedAtMs } = place;
    change(place);
    const before = stateOf(place);
    const refused = await afterKill(place.home, { killedAtMs }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      kind: "config",
      message: expect.stringContaining(
        `these may be your changes since: ${path}. The tree stays as it is; all of it is also refs/ralph/run-2/place-1`,
      ),
      hint: "Commit or stash what is yours; git checkout refs/ralph/run-2/place-1 -- FILE brings a file back",
    });
    const [notice, unproven] = await afterKill(place.home, { inPlace: false, killedAtMs });
    expect(notice).toContain(`since: ${path}. The tree stays as it is; all of it is also refs/ralph/run-2/place-1. `);
    expect(unproven).toContain(`${place.made.slice(0, 10)} (By the agent)`);
    expect([stateOf(place), await readWork(place.home, "t1")]).toEqual([before, undefined]);
    expect(place.git("rev-parse", "refs/ralph/run-2/place-1^{tree}")).toBe((await snapshot(place.home)).tree);
    // Once the person has put theirs away, the tree is free.
    place.git("stash", "--include-untracked", "--quiet");
    await afterKill(place.home, { killedAtMs });
    isClean(place);
    expect([await readLoan(place.home), place.git("stash", "list").split("\n").length]).toEqual([undefined, 1]);
  });

  test("T-41 the person commits theirs: the rest goes back, and stays under the ref", async () => {
    const place = await killed();
    const { killedAtMs } = place;
    place.write({ "a.txt": "the person's\n" });
    await afterKill(place.home, { inPlace: false, killedAtMs });
    place.git("commit", "--quiet", "--all", "--message", "By the person");
    const head = place.git("rev-parse", "HEAD");
    const notices = await afterKill(place.home, { killedAtMs });
    expect(notices.join("\n")).toMatch(/The tree is clean again; all of it is \S+\n.*\(By the agent\)/);
    isClean({ ...place, head });
    expect(place.git("show", "refs/ralph/run-2/place-2:half.txt")).toBe("half");
  });

  test("T-41 an unknown time of the kill: every change may be the person's", async () => {
    const place = await killed();
    const before = stateOf(place);
    await expect(afterKill(place.home, { killedAtMs: 0 })).rejects.toThrow("since: half.txt");
    expect(stateOf(place)).toEqual(before);
  });

  test.each<[string, (place: Place) => unknown]>([
    ["a commit on top", (place) => place.git("commit", "--quiet", "--allow-empty", "--message", "Mine")],
    ["an amended commit", (place) => place.git("commit", "--quiet", "--amend", "--message", "Mine")],
    ["a new branch", (place) => place.git("switch", "--quiet", "--create", "other")],
  ])("T-41 %s: the session's commits are named, and do not begin a landing unproven", async (_what, act) => {
    const place = await killed();
    act(place);
    const notices = await afterKill(place.home);
    expect(notices.join("\n")).toContain(
      `No gate has proven the commits of its session yet: ${place.made.slice(0, 10)} (By the agent)`,
    );
    const branch = place.git("rev-parse", "HEAD");
    expect(await unprovenOn(place.home, { branch, landing: place.head })).toMatchObject({ base: place.head });
    expect(await unprovenOn(place.home, { branch: place.head, landing: place.head })).toBeUndefined();
  });
});
