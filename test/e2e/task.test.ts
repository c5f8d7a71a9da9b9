import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { isFull } from "../lane.ts";
import { PROGRAM, ralphctl, start } from "../built-program.ts";
import { git, temporaryFolder, temporaryRepository } from "../temporary-folder.ts";
import { typed } from "../recording-io.ts";

const FILES = { ".ralph/config.yaml": "", ".ralph/.gitignore": "/ralph.db*\n" };

/** What a command prints; anything on stderr or another code than 0 fails the test. */
async function told(cwd: string, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await typed(["task", ...argv], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^(t-[0-9a-f]{8} .*\n)*$/) });
  return stdout.trim();
}

const everythingIn = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

describe("tasks on the command line", () => {
  test("a plan is written, worked off and looked at", async () => {
    const cwd = temporaryRepository(FILES);
    const parser = await told(cwd, "add", "Write the parser");
    const user = await told(cwd, "add", "Use it", "--needs", parser);
    expect(await told(cwd, "ready")).toBe(`${parser}  ready  p2  Write the parser`);
    await told(cwd, "done", parser.slice(0, 6), "--summary", "parse()");
    expect(await told(cwd, "ready")).toBe(`${user}  ready  p2  Use it`);
    expect(JSON.parse(await told(cwd, "list", "--status", "done", "--json"))).toMatchObject([
      { id: parser, summary: "parse()" },
    ]);
    expect(git(cwd, "status", "--porcelain")).toBe("");
  });

  test.runIf(isFull)(
    "100,000 tasks are listed whole, in a heap that could not hold them",
    { timeout: 120_000 },
    async () => {
      const cwd = temporaryRepository(FILES);
      const store = await openSqliteStore({ path: `${cwd}/.ralph/ralph.db` });
      const description = "Words about it. ".repeat(20);
      await store.add(
        Array.from({ length: 100_000 }, (_, index) => ({ scope: "workspace", title: `Task ${index}`, description })),
      );
      await store.close();
      const argv = ["--max-old-space-size=40", PROGRAM, "task", "list", "--json"];
      const { code, stdout, stderr } = await start(process.execPath, argv, { cwd });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const tasks = JSON.parse(stdout) as { title: string }[];
      expect([tasks.length, tasks[0]!.title, tasks.at(-1)!.title]).toEqual([100_000, "Task 0", "Task 99999"]);
    },
  );
});

describe("W-06 asking leaves no trace", () => {
  const questions = [["list"], ["ready"], ["tree"], ["graph"], ["show", "t-"], ["log", "t-"], ["dep", "list", "t-"]];

  test("before there are tasks", async () => {
    const cwd = temporaryRepository(FILES);
    const before = everythingIn(cwd);
    for (const argv of questions) await typed(["task", ...argv], { cwd });
    await typed(["doctor"], { cwd });
    expect(everythingIn(cwd)).toEqual(before);
  });

  test("when there are", async () => {
    const cwd = temporaryRepository(FILES);
    await told(cwd, "add", "One");
    const before = everythingIn(cwd);
    const changed = statSync(`${cwd}/.ralph/ralph.db`).mtimeMs;
    for (const argv of questions) expect((await typed(["task", ...argv], { cwd })).code).toBe(0);
    await typed(["doctor"], { cwd });
    expect(everythingIn(cwd)).toEqual(before);
    expect(statSync(`${cwd}/.ralph/ralph.db`).mtimeMs).toBe(changed);
  });
});

describe("W-03 tasks survive their file", () => {
  test("a deleted database is restored from the copy, and that is said", async () => {
    const cwd = temporaryRepository(FILES);
    const id = await told(cwd, "add", "One");
    rmSync(`${cwd}/.ralph/ralph.db`);
    expect(await typed(["task", "list"], { cwd })).toEqual({
      code: 0,
      stdout: `${id}  ready  p2  One\n`,
      stderr: expect.stringMatching(
        /^warning: The tasks were gone and have been restored from .*\/\.git\/ralph\/copy\.db, as they were at 20[-0-9]+T[:.0-9]+Z; to start anew, delete that file too\n$/,
      ),
    });
    expect(await told(cwd, "list")).toBe(`${id}  ready  p2  One`);
  });

  test("several commands at once after .ralph/ was deleted: one restores it, and none loses a task", async () => {
    const cwd = temporaryRepository(FILES);
    const ids = [await told(cwd, "add", "One")];
    for (let round = 0; round < 3; round++) {
      if (round > 0) utimesSync(`${cwd}/.git/ralph/copy.db`, 0, 0);
      ids.push(await told(cwd, "add", "Kept"));
      utimesSync(`${cwd}/.git/ralph/copy.db`, 0, 0);
      ids.push(await told(cwd, "add", "Kept too"));
      rmSync(`${cwd}/.ralph`, { recursive: true });
      const added = await Promise.all([1, 2, 3, 4].map((n) => ralphctl(["task", "add", `T${n}`], { cwd })));
      expect(added.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      expect(added.filter(({ stderr }) => stderr.includes("restored"))).toHaveLength(1);
      ids.push(...added.map(({ stdout }) => stdout.trim()));
    }
    const listed = JSON.parse(await told(cwd, "list", "--json")) as { id: string }[];
    expect(listed.map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  test("what a person adds while another process writes it back is kept, and so is all of the other's", async () => {
    const cwd = temporaryRepository(FILES);
    const ids = [await told(cwd, "add", "One")];
    const [path, copy] = [`${cwd}/.ralph/ralph.db`, `${cwd}/.git/ralph/copy.db`];
    const loop = await openSqliteStore({ path, copy });
    const adds = async (): Promise<void> => void ids.push(...(await loop.add([{ scope: "workspace", title: "L" }])));
    await adds();
    for (let round = 0; round < 2; round++) {
      rmSync(`${cwd}/.ralph`, { recursive: true });
      const person = Promise.all([1, 2, 3].map((n) => ralphctl(["task", "add", `P${n}`], { cwd })));
      const state = { isOver: false };
      void person.then(() => (state.isOver = true));
      while (!state.isOver) {
        await new Promise((done) => setTimeout(done, 100));
        if (existsSync(path)) await adds();
      }
      for (const { code, stdout, stderr } of await person) {
        expect(code, stderr).toBe(0);
        ids.push(stdout.trim());
      }
      await adds();
    }
    await loop.close();
    const listed = JSON.parse(await told(cwd, "list", "--json")) as { id: string }[];
    expect(listed.map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  test("a database that was emptied is restored, and its copy is not overwritten", async () => {
    const cwd = temporaryRepository(FILES);
    const id = await told(cwd, "add", "One");
    writeFileSync(`${cwd}/.ralph/ralph.db`, "");
    const { stdout } = await typed(["task", "add", "Two"], { cwd });
    expect(JSON.parse(await told(cwd, "list", "--json"))).toMatchObject([{ id }, { id: stdout.trim() }]);
  });

  test.each([
    ["with a committed .ralph/", FILES],
    ["when all of .ralph/ goes", { "README.md": "" }],
  ])("git clean -fdx %s", async (_name, files) => {
    const cwd = temporaryRepository(files);
    if (!existsSync(`${cwd}/.ralph`)) await typed(["init"], { cwd });
    const id = await told(cwd, "add", "One");
    git(cwd, "clean", "-fdx");
    expect(existsSync(`${cwd}/.ralph/ralph.db`)).toBe(false);
    const { stdout, stderr } = await typed(["task", "ready"], { cwd });
    expect({ stdout, stderr }).toEqual({
      stdout: `${id}  ready  p2  One\n`,
      stderr: expect.stringContaining("warning: The tasks were gone and have been restored from"),
    });
  });
});

describe("W-03 a copy that cannot be written", () => {
  test("does not make a change fail that was made, and leaves no part of itself", async () => {
    const cwd = temporaryRepository(FILES);
    writeFileSync(`${cwd}/.git/ralph`, "in the way");
    const { code, stdout, stderr } = await typed(["task", "add", "One"], { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^t-[0-9a-f]{8}\n$/),
      stderr: expect.stringContaining("the copy of the tasks could not be renewed"),
    });
    expect(everythingIn(cwd).filter((name) => name.endsWith(".part"))).toEqual([]);
    expect(await told(cwd, "list")).toContain(stdout.trim());
  });
});

describe("W-05 W-06 the folder of the tasks", () => {
  test.each([
    [".ralph", "../out"],
    [".ralph/ralph.db", "../../out/else.db"],
  ])("%s as a link that leads out of the workspace is refused", async (name, target) => {
    const folder = temporaryFolder({ "out/config.yaml": "", "in/README.md": "" });
    const cwd = join(folder, "in");
    git(cwd, "init", "--quiet");
    if (name !== ".ralph") mkdirSync(`${cwd}/.ralph`);
    symlinkSync(target, join(cwd, name));
    const { code, stderr } = await typed(["task", "add", "One"], { cwd });
    expect({ code, stderr }).toEqual({ code: 65, stderr: expect.stringContaining("points outside the workspace") });
    expect(everythingIn(join(folder, "out"))).toEqual(["config.yaml"]);
  });

  test("keeps its permissions when it is only read", async () => {
    const cwd = temporaryRepository(FILES);
    await told(cwd, "add", "One");
    chmodSync(`${cwd}/.ralph`, 0o500);
    await typed(["task", "list"], { cwd });
    await typed(["doctor"], { cwd });
    expect(statSync(`${cwd}/.ralph`).mode & 0o777).toBe(0o500);
    chmodSync(`${cwd}/.ralph`, 0o700);
  });
});

describe("W-07 one store for all working trees of a repository", () => {
  test("linked working trees see each other's tasks", async () => {
    const cwd = temporaryRepository(FILES);
    const other = join(temporaryFolder(), "other");
    git(cwd, "worktree", "add", "--quiet", other);
    const here = await told(cwd, "add", "Here");
    const there = await told(join(other, ".ralph"), "add", "There", "--needs", here);
    const list = `${here}  ready    p2  Here\n${there}  blocked  p2  There`;
    expect(await told(cwd, "list")).toBe(list);
    expect(await told(other, "list")).toBe(list);
    expect(everythingIn(join(other, ".ralph"))).toEqual([".gitignore", "config.yaml"]);
  });

  test("also one that has no .ralph/ of its own", async () => {
    const cwd = temporaryRepository({ "README.md": "" });
    await typed(["init"], { cwd });
    const id = await told(cwd, "add", "Here");
    const other = join(temporaryFolder(), "other");
    git(cwd, "worktree", "add", "--quiet", other);
    expect(await told(other, "list")).toBe(`${id}  ready  p2  Here`);
  });

  test("a linked working tree inside the main one looks for scopes in itself", async () => {
    const cwd = temporaryRepository({ "README.md": "" });
    await typed(["init"], { cwd });
    git(cwd, "worktree", "add", "--quiet", "wt");
    mkdirSync(`${cwd}/wt/projects/new`, { recursive: true });
    const id = await told(join(cwd, "wt"), "add", "New", "--project", "new");
    expect(JSON.parse(await told(cwd, "list", "--json"))).toMatchObject([{ id, scope: "project/new" }]);
  });

  test("a repository without .ralph/ does not use that of a folder above it", async () => {
    const outer = temporaryFolder(FILES);
    mkdirSync(`${outer}/inner`);
    git(`${outer}/inner`, "init", "--quiet");
    const { code, stderr } = await typed(["task", "add", "One"], { cwd: `${outer}/inner` });
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining("No workspace here") });
    expect(everythingIn(`${outer}/.ralph`)).toEqual([".gitignore", "config.yaml"]);
  });

  test("a repository whose .git lies apart keeps it there, and not in the folder around", async () => {
    const folder = temporaryFolder({ "sep/.ralph/config.yaml": "", "meta/README.md": "" });
    git(folder, "init", "--quiet", "--separate-git-dir", join(folder, "meta/.git"), "sep");
    const id = await told(join(folder, "sep"), "add", "One");
    expect(await told(join(folder, "sep"), "list")).toContain(id);
    expect(existsSync(join(folder, "meta/.ralph"))).toBe(false);
    expect(existsSync(join(folder, "meta/.git/ralph/ralph.db"))).toBe(true);
  });

  test("a submodule has a store of its own, outside its working tree", async () => {
    const library = temporaryRepository(FILES);
    const cwd = temporaryRepository(FILES);
    git(cwd, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "library");
    const outer = await told(cwd, "add", "Outer");
    const inner = await told(join(cwd, "library"), "add", "Inner");
    expect(await told(cwd, "list")).toBe(`${outer}  ready  p2  Outer`);
    expect(await told(join(cwd, "library"), "list")).toBe(`${inner}  ready  p2  Inner`);
    expect(existsSync(join(cwd, ".git/modules/library/ralph/ralph.db"))).toBe(true);
    expect(git(join(cwd, "library"), "status", "--porcelain")).toBe("");
  });

  test("a bare repository keeps it in itself", async () => {
    const folder = temporaryFolder();
    const bare = join(folder, "bare.git");
    git(temporaryRepository(FILES), "clone", "--quiet", "--bare", ".", bare);
    const trees = ["one", "two"].map((name) => join(folder, name));
    for (const tree of trees) git(bare, "worktree", "add", "--quiet", tree, "-b", tree.slice(-3));
    const id = await told(trees[0]!, "add", "Shared");
    expect(await told(trees[1]!, "list")).toBe(`${id}  ready  p2  Shared`);
    expect(existsSync(join(bare, "ralph", "ralph.db"))).toBe(true);
    expect(everythingIn(join(trees[0]!, ".ralph"))).toEqual([".gitignore", "config.yaml"]);
  });

  test("W-07 W-03 two workspaces in folders of one repository have their own, in all working trees and after git clean", async () => {
    const files = Object.entries(FILES).flatMap(([path, text]) =>
      ["one", "two"].map((sub) => [`${sub}/${path}`, text]),
    );
    const cwd = temporaryRepository(Object.fromEntries(files) as Record<string, string>);
    const other = join(temporaryFolder(), "other");
    git(cwd, "worktree", "add", "--quiet", other);
    const one = await told(join(cwd, "one"), "add", "One");
    const two = await told(join(other, "two"), "add", "Two");
    const lists = (): Promise<string[]> =>
      Promise.all(
        [cwd, other].flatMap((tree) => ["one", "two"].map(async (sub) => await told(join(tree, sub), "list"))),
      );
    const all = [`${one}  ready  p2  One`, `${two}  ready  p2  Two`];
    expect(await lists()).toEqual([...all, ...all]);
    expect([existsSync(`${cwd}/.ralph`), git(cwd, "status", "--porcelain")]).toEqual([false, ""]);
    git(cwd, "clean", "-fdxq");
    const restored = await Promise.all(["one", "two"].map((sub) => typed(["task", "list"], { cwd: join(cwd, sub) })));
    expect(restored.map(({ code, stdout }) => [code, stdout.trim()])).toEqual(all.map((line) => [0, line]));
  });

  test("outside a repository the folder with .ralph/ has it", async () => {
    const cwd = temporaryFolder(FILES);
    mkdirSync(`${cwd}/deep/down`, { recursive: true });
    const id = await told(`${cwd}/deep/down`, "add", "Plain");
    expect(await told(cwd, "list")).toBe(`${id}  ready  p2  Plain`);
    expect(existsSync(`${cwd}/.ralph/ralph.db`)).toBe(true);
  });
});
