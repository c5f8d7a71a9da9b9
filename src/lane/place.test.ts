import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newRepository, repositoryAt } from "../../test/git-place.ts";
import { commitAll, copyFolder, git, temporaryFolder, write } from "../../test/temporary-folder.ts";
import { putTree } from "../system/git/place-files.ts";
import type { Repository } from "../system/git/repository.ts";
import { collectPlace, openPlace, resetPlace, type Place } from "./place.ts";

const FILES = { "a.txt": "1\n", "src/b.txt": "2\n", "src/deep/c.txt": "3\n", ".gitignore": "*.log\nnode_modules\n" };

interface Start {
  readonly home: Repository;
  readonly parent: string;
  readonly place: Place;
  readonly head: string;
  readonly tree: string;
}

const headOf = ({ folder }: Repository): string => git(folder, "rev-parse", "HEAD");
const treeOf = ({ folder }: Repository, commit = "HEAD"): string => git(folder, "rev-parse", `${commit}^{tree}`);

const open = (home: Repository, parent: string): Promise<Place> =>
  openPlace(home, { name: "1", parent, head: headOf(home), branch: "main" });

async function start(files: Readonly<Record<string, string>> = FILES): Promise<Start> {
  const home = await newRepository(files);
  const parent = temporaryFolder();
  return { home, parent, place: await open(home, parent), head: headOf(home), tree: treeOf(home) };
}

const commitIn = (folder: string): void => {
  git(folder, "add", "--all");
  git(folder, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--message", "Agent");
};

const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");

describe("a place", () => {
  test("L-02 has the files of its commit, and a clone of its own on the same branch", async () => {
    const { place, head } = await start();
    expect(place.isFresh).toBe(true);
    expect(read(place.folder, "src/deep/c.txt")).toBe("3\n");
    expect(git(place.folder, "status", "--porcelain", "--branch")).toBe("## main");
    expect(git(place.folder, "rev-parse", "HEAD")).toBe(head);
  });

  test("L-21 is looked at before each reset, unless no program has run since it was made or reset", async () => {
    const { place, head, tree } = await start();
    const to = { head, tree, removesIgnored: { keep: [] } } as const;
    const made = await resetPlace(place, { ...to, isIdle: true });
    expect(made).toMatchObject({ head, tree, changed: [] });
    expect(await resetPlace(place, { ...to, isIdle: true })).toBe(made);
    write(place.folder, { "a.txt": "changed\n", "left.log": "", "src/.git/HEAD": "ref: x\n" });
    expect(await resetPlace(place, to)).toMatchObject({ head, tree, changed: [] });
    const left = ["left.log", "src/.git"].filter((path) => existsSync(join(place.folder, path)));
    expect([read(place.folder, "a.txt"), left]).toEqual(["1\n", []]);
  });

  test("L-21 a folder that became a link or a file keeps what lies behind it", async () => {
    const { home, place, head, tree } = await start();
    const outside = temporaryFolder({ ".git/HEAD": "ref: x\n", "deep/.git/HEAD": "ref: x\n" });
    rmSync(join(home.folder, "src"), { recursive: true });
    symlinkSync(outside, join(home.folder, "src"));
    commitAll(home.folder, "Link");
    const linked = { head: headOf(home), tree: treeOf(home) };
    for (const to of [linked, { head, tree }, linked, linked]) {
      expect(await resetPlace(place, { ...to, removesIgnored: { keep: [] } })).toMatchObject({ ...to, changed: [] });
    }
    rmSync(join(home.folder, "src"));
    write(home.folder, { src: "a file\n" });
    commitAll(home.folder, "File");
    await resetPlace(place, { head: headOf(home), tree: treeOf(home), removesIgnored: { keep: [] } });
    expect(readdirSync(outside, { recursive: true }).length).toBe(5);
  });

  test("L-05 stays as it was when it is opened again", async () => {
    const { home, parent, place } = await start();
    write(place.folder, { "a.txt": "changed\n", "node_modules/x.js": "x" });
    const again = await open(home, parent);
    expect([again.isFresh, again.lost, read(again.folder, "a.txt")]).toEqual([false, undefined, "changed\n"]);
  });

  test("L-07 gives home the tree and the commits that a session left", async () => {
    const { home, place, head } = await start();
    write(place.folder, { "a.txt": "by the agent\n", "forced.log": "kept\n" });
    git(place.folder, "add", "--force", "--all");
    git(place.folder, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--message", "Agent");
    write(place.folder, { "new.txt": "not committed\n" });
    const { now, head: made } = await collectPlace(place);
    expect(made).toBe(git(place.folder, "rev-parse", "HEAD"));
    expect(git(home.folder, "rev-parse", `${made}^`)).toBe(head);
    expect(git(home.folder, "show", `${made}:forced.log`)).toBe("kept");
    expect(now.changed.map(({ path }) => path)).toEqual(["new.txt"]);
    expect(headOf(home)).toBe(head);
    // Nothing else names its commits until its work is kept.
    git(home.folder, "gc", "--quiet", "--prune=now");
    expect(git(home.folder, "show", `${made}:forced.log`)).toBe("kept");
  });
});

describe("a reset", () => {
  test("L-21 writes files again that only other attributes would write otherwise", async () => {
    const { home, parent, place, head, tree } = await start();
    write(home.folder, { ".gitattributes": "a.txt text eol=crlf\n" });
    commitAll(home.folder, "Convert");
    const converted = { head: headOf(home), tree: treeOf(home), removesIgnored: false } as const;
    const plain = { head, tree, removesIgnored: false } as const;
    const seen: string[] = [];
    for (const isOpened of [true, false]) {
      for (const to of [converted, plain]) {
        const at = isOpened ? place : await open(home, parent);
        await resetPlace(at, to);
        seen.push(read(at.folder, "a.txt"));
      }
    }
    expect(seen).toEqual(["1\r\n", "1\n", "1\r\n", "1\n"]);
  });

  test("L-21 no file is written by attributes of the tree before, and none behind a link is removed", async () => {
    const { home, place, tree } = await start();
    write(home.folder, { ".gitattributes": "a.txt text eol=crlf\n", "src/.gitattributes": "b.txt text eol=crlf\n" });
    commitAll(home.folder, "Convert");
    const files = async (put: string): Promise<string[]> => {
      await putTree(place.repository, put);
      return ["a.txt", "src/b.txt"].map((path) => read(place.folder, path));
    };
    expect([await files(treeOf(home)), await files(tree)]).toEqual([
      ["1\r\n", "2\r\n"],
      ["1\n", "2\n"],
    ]);
    await files(treeOf(home));
    const outside = temporaryFolder({ ".gitattributes": "mine" });
    rmSync(join(place.folder, "src"), { recursive: true });
    symlinkSync(outside, join(place.folder, "src"));
    await putTree(place.repository, tree);
    expect(read(outside, ".gitattributes")).toBe("mine");
  });

  test("L-21 makes the files exactly those of a tree, whatever a session left", async () => {
    const { place, head, tree } = await start();
    const { folder } = place;
    await resetPlace(place, { head, tree, removesIgnored: false });
    const outside = temporaryFolder({ "b.txt": "the person's\n" });
    rmSync(join(folder, "src"), { recursive: true });
    symlinkSync(outside, join(folder, "src"));
    rmSync(join(folder, "a.txt"));
    mkdirSync(join(folder, "a.txt/folder"), { recursive: true });
    write(folder, { "new/file.txt": "x", "left.log": "ignored", "nested/x.txt": "x" });
    git(join(folder, "nested"), "init", "--quiet");
    symlinkSync(outside, join(folder, "link"));
    const after = await resetPlace(place, { head, tree, removesIgnored: false });
    expect(after).toMatchObject({ head, tree, changed: [] });
    expect(lstatSync(join(folder, "src")).isDirectory()).toBe(true);
    expect([read(folder, "src/b.txt"), read(outside, "b.txt")]).toEqual(["2\n", "the person's\n"]);
    expect(["nested", "new", "link", "left.log"].map((name) => existsSync(join(folder, name)))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(git(folder, "status", "--porcelain")).toBe("");
  });

  test("L-21 removes ignored files but those that are kept", async () => {
    const { place, head, tree } = await start();
    const { folder } = place;
    write(folder, { "left.log": "x", "node_modules/a/index.js": "x", "src/node_modules/b.js": "x", "src/x.log": "x" });
    await resetPlace(place, { head, tree, removesIgnored: { keep: ["node_modules"] } });
    const left = ["left.log", "src/x.log", "node_modules/a/index.js", "src/node_modules/b.js"];
    expect(left.filter((path) => existsSync(join(folder, path)))).toEqual(left.slice(2));
  });

  test("L-21 keeps a path inside an ignored folder, and nothing that is merely untracked", async () => {
    const { place, head, tree } = await start({ ...FILES, ".gitignore": "build\n" });
    const { folder } = place;
    write(folder, { "build/cache/x": "x", "build/out.js": "x", "cache/y": "not ignored" });
    await resetPlace(place, { head, tree, removesIgnored: { keep: ["cache/"] } });
    const there = ["build/cache/x", "build/out.js", "cache/y"].map((path) => existsSync(join(folder, path)));
    expect(there).toEqual([true, false, false]);
  });

  test("L-21 removes a repository that hides among tracked files", async () => {
    const { place, head, tree } = await start();
    const { folder } = place;
    await resetPlace(place, { head, tree, removesIgnored: false });
    git(join(folder, "src"), "init", "--quiet");
    await resetPlace(place, { head, tree, removesIgnored: false });
    expect(existsSync(join(folder, "src/.git"))).toBe(false);
  });

  test.skipIf(process.getuid?.() === 0)("L-21 needs no rights on folders that a session left without", async () => {
    const { place, head, tree } = await start();
    const { folder } = place;
    write(folder, { "locked/x.txt": "x", "src/deep/c.txt": "changed" });
    chmodSync(join(folder, "locked"), 0o555);
    chmodSync(join(folder, "src/deep"), 0o555);
    expect(await resetPlace(place, { head, tree, removesIgnored: false })).toMatchObject({ tree, changed: [] });
    expect([existsSync(join(folder, "locked")), read(folder, "src/deep/c.txt")]).toEqual([false, "3\n"]);
  });

  test("L-21 empties a registered repository that a session changed", async () => {
    const { home, place } = await start();
    git(join(home.folder, "src"), "init", "--quiet", "module");
    write(home.folder, { "src/module/m.txt": "1" });
    commitIn(join(home.folder, "src/module"));
    commitIn(home.folder);
    const target = { head: headOf(home), tree: treeOf(home), removesIgnored: false } as const;
    await resetPlace(place, target);
    const module = join(place.folder, "src/module");
    expect(readdirSync(module)).toEqual([]);
    git(place.folder, "clone", "--quiet", join(home.folder, "src/module"), module);
    expect(await resetPlace(place, target)).toMatchObject({ changed: [] });
    expect(readdirSync(module)).toContain("m.txt");
    write(module, { "m.txt": "2" });
    expect(await resetPlace(place, target)).toMatchObject({ tree: target.tree, changed: [] });
    expect(readdirSync(module)).toEqual([]);
  });

  test("L-21 brings back a place that a session removed or replaced by a link", async () => {
    const { place, head, tree } = await start();
    const outside = temporaryFolder({ "theirs.txt": "x" });
    rmSync(place.folder, { recursive: true });
    symlinkSync(outside, place.folder);
    const { now } = await collectPlace(place);
    expect(now.changed.map((state) => state.now)).toEqual([undefined, undefined, undefined, undefined]);
    expect(await resetPlace(place, { head, tree, removesIgnored: { keep: [] } })).toMatchObject({ tree, changed: [] });
    expect(read(outside, "theirs.txt")).toBe("x");
    expect(git(place.folder, "status", "--porcelain", "--branch")).toBe("## main");
  });

  test("L-20 puts a tree on top of another commit", async () => {
    const { home, place, head } = await start();
    write(home.folder, { "a.txt": "2\n", "more/d.txt": "4\n" });
    rmSync(join(home.folder, "src/b.txt"));
    git(home.folder, "add", "--all");
    const tree = git(home.folder, "write-tree");
    const after = await resetPlace(place, { head, tree, removesIgnored: false });
    expect(after).toMatchObject({ head, tree });
    expect(after.changed.map(({ path }) => path)).toEqual(["a.txt", "more/d.txt", "src/b.txt"]);
    expect(existsSync(join(place.folder, "src/b.txt"))).toBe(false);
    const back = await resetPlace(place, { head, tree: treeOf(home), removesIgnored: false });
    expect(back).toMatchObject({ head, tree: treeOf(home), changed: [] });
  });
});

describe("the folder of places", () => {
  test("T-41 is never in the person's tree, and never around it", async () => {
    const home = await newRepository(FILES);
    const before = git(home.folder, "status", "--porcelain", "--ignored");
    await expect(open(home, join(home.folder, "lanes"))).rejects.toMatchObject({ kind: "config" });
    const link = join(temporaryFolder(), "link");
    symlinkSync(home.folder, link);
    await expect(open(home, link)).rejects.toMatchObject({ kind: "config" });
    const around = temporaryFolder();
    mkdirSync(join(around, "1"));
    renameSync(home.folder, join(around, "1/home"));
    await expect(open(await repositoryAt(join(around, "1/home")), around)).rejects.toMatchObject({
      kind: "config",
      hint: "Set lanes.folder to a folder outside the repository",
    });
    expect(git(join(around, "1/home"), "status", "--porcelain", "--ignored")).toBe(before);
  });
});

describe("a folder in the place of a lane", () => {
  test("L-41 is made again where it was removed, with what was there saved", async () => {
    const { home, parent, place } = await start();
    rmSync(place.folder, { recursive: true });
    expect(await open(home, parent)).toMatchObject({ isFresh: true, lost: undefined });
    rmSync(place.folder, { recursive: true });
    writeFileSync(place.folder, "a file");
    const file = await open(home, parent);
    expect(git(home.folder, "show", `${file.lost}:1`)).toBe("a file");
    rmSync(place.folder, { recursive: true });
    write(place.folder, { "by-hand.txt": "mine" });
    const filled = await open(home, parent);
    expect(git(home.folder, "show", `${filled.lost}:by-hand.txt`)).toBe("mine");
    expect(read(filled.folder, "a.txt")).toBe("1\n");
    expect(existsSync(join(filled.folder, "by-hand.txt"))).toBe(false);
  });

  test("L-41 stays where it cannot be saved, and is named", async () => {
    const { home, parent, place } = await start();
    rmSync(place.folder, { recursive: true });
    write(place.folder, { "theirs.txt": "x" });
    git(place.folder, "init", "--quiet");
    await expect(open(home, parent)).rejects.toMatchObject({
      kind: "config",
      message: expect.stringContaining("a repository that ralphctl did not make"),
    });
    rmSync(join(place.folder, ".git"), { recursive: true });
    git(place.folder, "init", "--quiet", "nested");
    await expect(open(home, parent)).rejects.toMatchObject({
      message: expect.stringContaining("the repository nested"),
    });
    expect(read(place.folder, "theirs.txt")).toBe("x");
  });

  test("L-41 was a copy of the place: its commits and files are saved, and nothing where there are none", async () => {
    const { home, parent, place, head } = await start();
    const copy = (): void => {
      renameSync(place.folder, `${place.folder}.old`);
      copyFolder(`${place.folder}.old`, place.folder);
      rmSync(`${place.folder}.old`, { recursive: true });
    };
    copy();
    expect(await open(home, parent)).toMatchObject({ isFresh: true, lost: undefined });
    write(place.folder, { "a.txt": "committed\n" });
    commitIn(place.folder);
    write(place.folder, { "b.txt": "not committed" });
    copy();
    const { lost } = await open(home, parent);
    expect(git(home.folder, "show", `${lost}:b.txt`)).toBe("not committed");
    expect(git(home.folder, "log", "--format=%s", `${head}..${lost}`).split("\n")).toHaveLength(2);
  });

  test("L-05 opens with a commit of its view that is gone", async () => {
    const { home, parent, place, head, tree } = await start();
    write(place.folder, { "a.txt": "2\n" });
    commitIn(place.folder);
    const { head: made } = await collectPlace(place);
    git(home.folder, "update-ref", "-d", "refs/ralph/proving/lane-1");
    git(home.folder, "gc", "--quiet", "--prune=now");
    const again = await open(home, parent);
    expect(again.isFresh).toBe(false);
    expect(await collectPlace(again)).toMatchObject({ head: made, now: { changed: [] } });
    expect(await resetPlace(again, { head, tree, removesIgnored: false })).toMatchObject({ head, tree, changed: [] });
  });
});

test("L-02 git that dies while the folder of a place is made: an error for whoever opens the place", async () => {
  const home = await newRepository(FILES);
  const parent = join(temporaryFolder(), "lanes");
  const truth = Promise.reject(new Error("git was killed"));
  const opening = openPlace(home, { name: "1", parent, head: headOf(home), branch: "main", truth });
  await expect(opening).rejects.toThrow("git was killed");
});
