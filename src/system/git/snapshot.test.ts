import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newRepository, placeAt, repositoryAt } from "../../../test/git-place.ts";
import { commitAll, git as run, temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { decodePath, encodePath, quotePath } from "./path.ts";
import { openRepository, ownIndex, type Repository } from "./repository.ts";
import { changesBetween, snapshot, type Snapshot } from "./snapshot.ts";

/** What git itself would call the tree of all files: everything added to an index that is thrown away. */
function gitsTree({ folder }: Repository): string {
  const index = join(temporaryFolder(), "index");
  const env = { ...process.env, GIT_INDEX_FILE: index };
  const own = (...args: readonly string[]): string => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });
  // Read anew: an index that knows the files' times might not look at them.
  own("read-tree", "HEAD");
  own("add", "--all");
  return own("write-tree").trim();
}

async function kinds(repository: Repository, edit: () => void): Promise<Record<string, string>> {
  const before = await snapshot(repository);
  edit();
  const changes = await changesBetween(repository, before, await snapshot(repository, before));
  return Object.fromEntries(changes.map(({ path, kind }) => [path, kind]));
}

describe("the tree's name", () => {
  test("P-40 is found also where a signal to our group has ended the git that reads trees", async () => {
    const { folder } = await newRepository({ "a.txt": "1", "src/b.txt": "2" });
    const bin = temporaryFolder();
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const cut = `case "$*" in *cat-file*) [ -e "${bin}/cut" ] || { : >"${bin}/cut"; kill -s TERM $$; } ;; esac`;
    writeFileSync(join(bin, "git"), `#!/bin/sh\n${cut}\nexec ${real} "$@"\n`, { mode: 0o755 });
    const repository = await openRepository({ folder, env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` } });
    write(folder, { "src/b.txt": "3" });
    const { tree } = await snapshot(repository);
    await repository.shells?.close();
    expect([tree, readdirSync(bin)]).toEqual([gitsTree(repository), ["cut", "git"]]);
  });

  test("is found where the user's index has conflicts, staged changes and removals", async () => {
    const repository = await newRepository({ "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n" });
    const { folder } = repository;
    run(folder, "switch", "--quiet", "--create", "other");
    write(folder, { "a.txt": "theirs\n" });
    commitAll(folder, "Theirs");
    run(folder, "switch", "--quiet", "main");
    write(folder, { "a.txt": "ours\n" });
    commitAll(folder, "Ours");
    expect(() => run(folder, "merge", "--quiet", "other")).toThrow();
    write(folder, { "b.txt": "staged\n", "new.txt": "intended\n" });
    run(folder, "add", "b.txt");
    run(folder, "add", "--intent-to-add", "new.txt");
    run(folder, "rm", "--quiet", "--cached", "c.txt");
    const { tree, changed } = await snapshot(await openRepository(placeAt(folder)));
    expect(changed.map(({ path }) => path)).toEqual(["a.txt", "b.txt", "new.txt"]);
    expect(tree).toBe(gitsTree(repository));
  });

  test("is HEAD's when nothing differs, and follows the content from then on", async () => {
    const repository = await newRepository({ "a.txt": "1", "src/deep/b.txt": "2" });
    const clean = await snapshot(repository);
    expect(clean).toMatchObject({
      branch: "main",
      tree: run(repository.folder, "rev-parse", "HEAD^{tree}"),
      changed: [],
    });
    write(repository.folder, { "src/deep/b.txt": "3", "src/new/c d.txt": "4" });
    const dirty = await snapshot(repository, clean);
    expect(dirty.tree).toBe(gitsTree(repository));
    run(repository.folder, "add", "--all");
    run(repository.folder, "commit", "--quiet", "--message", "By the agent");
    const committed = await snapshot(repository, dirty);
    expect(committed).toMatchObject({ tree: dirty.tree, changed: [] });
    expect(await changesBetween(repository, dirty, committed)).toEqual([]);
  });

  test("is git's own for random edits, and so are the changes", async () => {
    const names = ["a", "b", "a/x", "a/y", "b/c/d", "a.b", "a-b", "ü", "x y"];
    const edits = fc.array(
      fc.record({ name: fc.constantFrom(...names), text: fc.option(fc.constantFrom("1", "2", "")), bit: fc.boolean() }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(edits, edits, async (first, second) => {
        const repository = await newRepository({ "keep.txt": "1", "a/x": "1" });
        const apply = (list: typeof first): void => {
          for (const { name, text, bit } of list) {
            try {
              const path = join(repository.folder, name);
              rmSync(path, { recursive: true, force: true });
              if (text !== null) write(repository.folder, { [name]: text });
              if (text !== null && bit) chmodSync(path, 0o755);
            } catch {
              // a file is where a folder would have to be: then this edit does nothing
            }
          }
        };
        apply(first);
        const before = await snapshot(repository);
        const treeBefore = gitsTree(repository);
        apply(second);
        const after = await snapshot(repository, before);
        const treeAfter = gitsTree(repository);
        expect([before.tree, after.tree]).toEqual([treeBefore, treeAfter]);
        const changes = await changesBetween(repository, before, after);
        const own = run(repository.folder, "diff-tree", "-r", "-z", "--name-only", treeBefore, treeAfter).split("\0");
        expect(changes.map(({ path }) => path).sort()).toEqual(own.filter((path) => path !== "").sort());
      }),
      { numRuns: 8 },
    );
  });

  test("is known before the first commit", async () => {
    const repository = await repositoryAt(temporaryRepository());
    const empty = await snapshot(repository);
    expect(empty).toMatchObject({ head: undefined, branch: "main", changed: [] });
    write(repository.folder, { "a.txt": "1" });
    const one = await snapshot(repository, empty);
    expect((await changesBetween(repository, empty, one)).map(({ path, kind }) => [path, kind])).toEqual([
      ["a.txt", "added"],
    ]);
    run(repository.folder, "add", "--all");
    run(repository.folder, "commit", "--quiet", "--message", "First");
    expect((await snapshot(repository, one)).tree).toBe(one.tree);
  });
});

describe("P-31 the session's own delta", () => {
  test("holds every kind of change, and nothing of the user's", async () => {
    const repository = await newRepository({
      "edit.txt": "1",
      "gone.txt": "1",
      "mode.sh": "1",
      "old-name.txt": "long enough to be a rename",
      file: "1",
      "folder/inside.txt": "1",
      "users.txt": "1",
      "untouched.txt": "1",
      ".gitignore": "*.log\n",
    });
    const { folder } = repository;
    write(folder, { "users.txt": "edited by the user", "users-new.txt": "1", "users-new-2.txt": "1" });
    const found = await kinds(repository, () => {
      write(folder, { "edit.txt": "2", "new.txt": "1", "debug.log": "ignored", "users-new-2.txt": "2" });
      rmSync(join(folder, "gone.txt"));
      chmodSync(join(folder, "mode.sh"), 0o755);
      renameSync(join(folder, "old-name.txt"), join(folder, "new-name.txt"));
      rmSync(join(folder, "file"));
      write(folder, { "file/now-a-folder.txt": "1" });
      rmSync(join(folder, "folder"), { recursive: true });
      write(folder, { folder: "now a file" });
      symlinkSync("edit.txt", join(folder, "link"));
    });
    expect(found).toEqual({
      "edit.txt": "modified",
      "new.txt": "added",
      "users-new-2.txt": "modified",
      "gone.txt": "deleted",
      "mode.sh": "mode",
      "old-name.txt": "deleted",
      "new-name.txt": "added",
      file: "deleted",
      "file/now-a-folder.txt": "added",
      "folder/inside.txt": "deleted",
      folder: "added",
      link: "added",
    });
  });

  test("T-10 a file that the index has removed is gone, also if a link in place of its folder leads to another", async () => {
    const repository = await newRepository({ "tools/a.sh": "1", "other/a.sh": "2" });
    const { folder } = repository;
    rmSync(join(folder, "tools"), { recursive: true });
    symlinkSync("other", join(folder, "tools"));
    run(folder, "add", "--all");
    const { changed, tree } = await snapshot(repository);
    expect(changed.map(({ path, now }) => [path, now?.mode])).toEqual([
      ["tools", "120000"],
      ["tools/a.sh", undefined],
    ]);
    expect(tree).toBe(gitsTree(repository));
  });

  test("tells paths of any bytes apart", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    const names = [
      "with space",
      "new\nline",
      'quo"te',
      "back\\slash",
      "-dash",
      "star*?[x]",
      ":(glob)x",
      "tab\t",
      "\ufeffbom",
      "ümlaut",
      "日本",
    ];
    const raw = Buffer.concat([Buffer.from(`${repository.folder}/raw-`), Buffer.from([0xff, 0xfe, 0x80])]);
    const found = await kinds(repository, () => {
      write(repository.folder, Object.fromEntries(names.map((name) => [name, name])));
      writeFileSync(raw, "bytes");
    });
    expect(Object.keys(found).sort()).toEqual([...names, "raw-\udcff\udcfe\udc80"].sort());
    expect((await snapshot(repository)).tree).toBe(gitsTree(repository));
  });

  test("a path comes back from its text unharmed, whatever its bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        expect([...encodePath(decodePath(bytes))]).toEqual([...bytes]);
      }),
    );
    expect(quotePath('a "b"\n\u00fc')).toBe(String.raw`"a\040\042b\042\012\303\274"`);
  });

  test("a file rewritten with the same bytes did not change", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    write(repository.folder, { "users.txt": "1" });
    const found = await kinds(repository, () => {
      write(repository.folder, { "a.txt": "1", "users.txt": "1" });
      utimesSync(join(repository.folder, "users.txt"), 1, 1);
    });
    expect(found).toEqual({});
  });

  test("a large untracked file is told by size and time", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    write(repository.folder, { "data.bin": Buffer.alloc(6 * 1024 * 1024) });
    expect(await kinds(repository, () => undefined)).toEqual({});
    expect(
      await kinds(repository, () => write(repository.folder, { "data.bin": Buffer.alloc(7 * 1024 * 1024) })),
    ).toEqual({
      "data.bin": "modified",
    });
  });

  test("line ends that git converts are no change", async () => {
    const repository = await newRepository({ "a.txt": "one\ntwo\n", ".gitattributes": "*.txt text\n" });
    run(repository.folder, "config", "core.autocrlf", "true");
    expect(await kinds(repository, () => write(repository.folder, { "a.txt": "one\r\ntwo\r\n" }))).toEqual({});
    expect(await kinds(repository, () => write(repository.folder, { "a.txt": "one\r\nthree\r\n" }))).toEqual({
      "a.txt": "modified",
    });
  });

  test("a tracked file that is also ignored is seen, also after HEAD moved", async () => {
    const repository = await newRepository({ "a.txt": "1", ".gitignore": "*.log\n" });
    const found = await kinds(repository, () => {
      write(repository.folder, { "forced.log": "1" });
      run(repository.folder, "add", "--force", "forced.log");
      run(repository.folder, "commit", "--quiet", "--message", "Force");
    });
    expect(found).toEqual({ "forced.log": "added" });
    expect(await kinds(repository, () => write(repository.folder, { "forced.log": "2" }))).toEqual({
      "forced.log": "modified",
    });
  });

  test("repositories inside are seen: registered ones by commit and files, others by being there", async () => {
    const inner = temporaryRepository({ "i.txt": "1" });
    const repository = await newRepository({ "a.txt": "1" });
    const { folder } = repository;
    run(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub");
    run(folder, "commit", "--quiet", "--message", "Submodule");
    const sub = join(folder, "sub");
    expect(await kinds(repository, () => write(folder, { "sub/i.txt": "2" }))).toEqual({ sub: "modified" });
    const commit = (): string =>
      run(sub, "-c", "user.name=T", "-c", "user.email=t@t.invalid", "commit", "--quiet", "--all", "--message", "In");
    expect(await kinds(repository, commit)).toEqual({ sub: "modified" });
    const found = await kinds(repository, () => {
      mkdirSync(join(folder, "nested"));
      run(join(folder, "nested"), "init", "--quiet");
      write(folder, { "nested/x.txt": "1" });
    });
    expect(found).toEqual({ nested: "added" });
  });
});

describe("the look itself", () => {
  test("leaves the user's index and what is staged byte for byte", async () => {
    const repository = await newRepository({ "a.txt": "1", "b.txt": "1" });
    const { folder } = repository;
    write(folder, { "a.txt": "staged", "new.txt": "staged" });
    run(folder, "add", "--all");
    write(folder, { "a.txt": "and edited again" });
    const before = readFileSync(join(folder, ".git/index"));
    const looked = await snapshot(repository);
    expect(looked.changed.map(({ path }) => path)).toEqual(["a.txt", "new.txt"]);
    expect(readFileSync(join(folder, ".git/index")).equals(before)).toBe(true);
  });

  test("works beside a held index.lock, a merge, a monitor and a split index", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    const { folder } = repository;
    run(folder, "config", "core.fsmonitor", "/nowhere/monitor");
    run(folder, "config", "core.splitIndex", "true");
    run(folder, "update-index", "--split-index");
    run(folder, "checkout", "--quiet", "-b", "other");
    write(folder, { "a.txt": "2" });
    run(folder, "commit", "--quiet", "--all", "--message", "2");
    run(folder, "checkout", "--quiet", "main");
    write(folder, { "a.txt": "3" });
    run(folder, "commit", "--quiet", "--all", "--message", "3");
    expect(() => run(folder, "merge", "other")).toThrow();
    write(folder, { ".git/index.lock": "" });
    expect((await snapshot(repository)).changed.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(readdirSync(join(folder, ".git")).filter((name) => name.startsWith("ralphctl"))).toEqual(["ralphctl-index"]);
  });

  test("mends an index of its own that is damaged or locked by the dead", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    await snapshot(repository);
    writeFileSync(ownIndex(repository), "junk");
    writeFileSync(`${ownIndex(repository)}.lock`, "");
    write(repository.folder, { "b.txt": "1" });
    expect((await snapshot(repository)).changed.map(({ path }) => path)).toEqual(["b.txt"]);
  });

  test("removes folders that somebody put in the place of its index and of the lock", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    const index = ownIndex(repository);
    write(repository.folder, { "b.txt": "1" });
    write(repository.gitFolder, { [`${basename(index)}/a`]: "", [`${basename(index)}.lock/a`]: "" });
    expect((await snapshot(repository)).changed.map(({ path }) => path)).toEqual(["b.txt"]);
  });

  test("sees a change of the same size in the same second as the user's index", async () => {
    const { folder } = await newRepository({ "a.txt": "1" });
    const { atime, mtime } = statSync(join(folder, "a.txt"));
    write(folder, { "a.txt": "2" });
    utimesSync(join(folder, "a.txt"), atime, mtime);
    await wait(1100);
    const repository = await repositoryAt(folder);
    expect((await snapshot(repository)).changed.map(({ path }) => path)).toEqual(["a.txt"]);
  });

  test("has git write down what it learns of the files only where the last one took long", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    const first = await snapshot(repository);
    utimesSync(join(repository.folder, "a.txt"), 1, 1);
    const looks = [0, Infinity].map((lookMs) => async () => {
      const before = readFileSync(ownIndex(repository));
      repository.pace.lookMs = lookMs;
      const { tree } = await snapshot(repository);
      return [tree === first.tree, before.equals(readFileSync(ownIndex(repository)))];
    });
    expect([await looks[0]!(), await looks[1]!()]).toEqual([
      [true, true],
      [true, false],
    ]);
    expect(repository.pace.lookMs).toBeGreaterThan(0);
    expect(repository.pace.lookMs).toBeLessThan(Infinity);
  });

  test("keeps linked working trees apart", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    const linked = join(temporaryFolder(), "linked");
    run(repository.folder, "worktree", "add", "--quiet", "-b", "side", linked);
    const other = await repositoryAt(linked);
    write(linked, { "a.txt": "2" });
    expect([(await snapshot(repository)).changed.length, (await snapshot(other)).changed.length]).toEqual([0, 1]);
    expect((await snapshot(other)).branch).toBe("side");
    expect(ownIndex(other)).not.toBe(ownIndex(repository));
  });

  test("a detached HEAD has no branch", async () => {
    const folder = temporaryRepository({ "a.txt": "1" });
    run(folder, "checkout", "--quiet", "--detach");
    const repository = await repositoryAt(folder);
    expect(repository.warnings).toHaveLength(1);
    expect((await snapshot(repository)).branch).toBe(undefined);
  });

  test("follows HEAD through many commits of the agent's, large and small", async () => {
    const repository = await newRepository({ "a.txt": "1", ".gitignore": "*.log\n" });
    const { folder } = repository;
    let before = await snapshot(repository);
    for (const count of [1, 40, 3]) {
      const files = Array.from({ length: count }, (_, index) => `${count}/${index}${index % 2 === 0 ? ".log" : ""}`);
      write(folder, Object.fromEntries(files.map((file) => [file, file])));
      run(folder, "add", "--force", ...files);
      run(folder, "commit", "--quiet", "--message", "Many");
      rmSync(join(folder, files[0]!));
      const now = await snapshot(repository, before);
      expect(now.changed.map(({ path, now }) => [path, now])).toContainEqual([files[0], undefined]);
      expect((await changesBetween(repository, before, now)).map(({ path }) => path)).toEqual(files.slice(1).sort());
      before = now;
    }
    expect(before.tree).toBe(gitsTree(repository));
  });

  test("can be written down as JSON and compared by a later run", async () => {
    const repository = await newRepository({ "a.txt": "1" });
    write(repository.folder, { "a.txt": "2", "new.txt": "1" });
    writeFileSync(Buffer.concat([Buffer.from(`${repository.folder}/raw-`), Buffer.from([0xff])]), "bytes");
    const before = await snapshot(repository);
    const read = JSON.parse(JSON.stringify(before)) as Snapshot;
    const later = await repositoryAt(repository.folder);
    expect(await changesBetween(later, read, await snapshot(later, read))).toEqual([]);
    write(repository.folder, { "new.txt": "2" });
    const changes = await changesBetween(later, read, await snapshot(later, read));
    expect(changes.map(({ path, kind }) => [path, kind])).toEqual([["new.txt", "modified"]]);
  });

  test("knows repositories with longer names, without file modes and with a part of the files only", async () => {
    const long = temporaryRepository();
    rmSync(join(long, ".git"), { recursive: true });
    run(long, "init", "--quiet", "--object-format=sha256");
    write(long, { "a/b.txt": "1" });
    const sha256 = await repositoryAt(long);
    expect((await snapshot(sha256)).tree).toMatch(/^[0-9a-f]{64}$/);

    const modes = temporaryRepository({ "a.sh": "1" });
    run(modes, "config", "core.fileMode", "false");
    const without = await repositoryAt(modes);
    expect(await kinds(without, () => chmodSync(join(modes, "a.sh"), 0o755))).toEqual({});

    const sparse = await newRepository({ "in/a.txt": "1", "out/b.txt": "1" });
    run(sparse.folder, "sparse-checkout", "set", "in");
    expect((await snapshot(sparse)).changed).toEqual([]);
    expect(await kinds(sparse, () => write(sparse.folder, { "in/a.txt": "2" }))).toEqual({ "in/a.txt": "modified" });
  });
});
