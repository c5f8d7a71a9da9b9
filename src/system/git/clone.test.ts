import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newRepository, placeAt, repositoryAt } from "../../../test/git-place.ts";
import { commitAll, git, temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { openPlace, resetPlace, collectPlace, type Place } from "../../lane/place.ts";
import { readCloneTruth } from "./clone-config.ts";
import { checkGitVersion, cloneHead, importCommits, makeClone, pointClone } from "./clone.ts";
import type { Repository } from "./repository.ts";
import { snapshot } from "./snapshot.ts";

const headOf = ({ folder }: Pick<Repository, "folder">): string => git(folder, "rev-parse", "HEAD");

const laneOf = (home: Repository): Promise<Place> =>
  openPlace(home, { name: "1", parent: temporaryFolder(), head: headOf(home), branch: "main" });

/** What git says and how it ends, in a folder. */
function tryGit(folder: string, ...args: readonly string[]): { readonly code: number; readonly said: string } {
  try {
    return { code: 0, said: execFileSync("git", [...args], { cwd: folder, encoding: "utf8", stdio: "pipe" }) };
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string };
    return { code: status, said: stderr };
  }
}

const commitIn = (folder: string, message: string): void => {
  git(folder, "add", "--all");
  git(folder, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--message", message);
};

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

const inodeOf = (file: string): string => `${statSync(file).dev}:${statSync(file).ino}`;

const refsOf = (folder: string): string => git(folder, "for-each-ref");

describe("a clone", () => {
  test("L-02 survives gc --prune=now in the repository, with commits that it had and commits that came later", async () => {
    const home = await newRepository({ "a.txt": "1" });
    git(home.folder, "checkout", "--quiet", "-b", "gone");
    write(home.folder, { "gone.txt": "x" });
    commitAll(home.folder, "Gone");
    const place = await laneOf(home);
    const gone = headOf(home);
    git(home.folder, "checkout", "--quiet", "main");
    git(home.folder, "branch", "-D", "gone");
    write(home.folder, { "later.txt": "2" });
    commitAll(home.folder, "Later");
    git(home.folder, "reflog", "expire", "--expire=now", "--all");
    git(home.folder, "gc", "--quiet", "--prune=now");
    expect(tryGit(home.folder, "cat-file", "-e", gone).code).not.toBe(0);
    expect(git(place.folder, "log", "--format=%s", "-1", gone)).toBe("Gone");
    const again = await openPlace(home, {
      name: "1",
      parent: join(place.folder, ".."),
      head: headOf(home),
      branch: "main",
    });
    const tree = git(home.folder, "rev-parse", "HEAD^{tree}");
    expect(await resetPlace(again, { head: headOf(home), tree, removesIgnored: false })).toMatchObject({
      tree,
      changed: [],
    });
    expect(git(place.folder, "log", "--format=%s")).toBe("Later\nBegin");
    expect(git(place.folder, "status", "--porcelain")).toBe("");
  });

  test("L-02 B-07 shares no file with the repository, and neither does a submodule: an agent could write into it", async () => {
    const library = temporaryRepository({ "lib.txt": "1" });
    const folder = temporaryRepository({ "a.txt": "1" });
    const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib"];
    git(folder, ...add);
    commitAll(folder, "Library");
    const home = await repositoryAt(folder);
    const place = await laneOf(home);
    const [head, tree] = [headOf(home), git(folder, "rev-parse", "HEAD^{tree}")];
    const isShared = (): string[] => {
      const theirs = new Set(filesBelow(folder).map(inodeOf));
      return filesBelow(place.folder).filter((file) => theirs.has(inodeOf(file)));
    };
    await resetPlace(place, { head, tree, removesIgnored: false });
    expect([git(join(place.folder, "lib"), "log", "--format=%s"), isShared()]).toEqual(["Begin", []]);
    // As lanes were made before: the objects in the clone itself.
    rmSync(join(place.repository.gitFolder, "clone-objects"), { recursive: true });
    rmSync(join(place.folder, ".git/objects"), { recursive: true });
    execFileSync("cp", ["-al", join(folder, ".git/objects"), join(place.folder, ".git/objects")]);
    expect(isShared()).not.toEqual([]);
    await resetPlace(place, { head, tree, removesIgnored: false });
    expect([git(place.folder, "status", "--porcelain"), isShared()]).toEqual(["", []]);
  });

  test("L-02 pushes nowhere: by name, by branch, by address or by path", async () => {
    const origin = temporaryFolder();
    git(origin, "init", "--quiet", "--bare", "--initial-branch=main");
    const home = await newRepository({ "a.txt": "1" });
    git(home.folder, "remote", "add", "origin", origin);
    git(home.folder, "remote", "add", "self", home.folder);
    git(home.folder, "push", "--quiet", "--set-upstream", "origin", "main");
    const { folder } = await laneOf(home);
    write(folder, { "a.txt": "2" });
    commitIn(folder, "By the agent");
    const before = [refsOf(home.folder), refsOf(origin)];
    const pushes = [
      ["origin", "main"],
      ["origin", "HEAD:main"],
      ["--force", "origin", "HEAD:refs/heads/other"],
      ["self", "HEAD:refs/heads/other"],
      [],
      ["--all", "origin"],
      [home.folder, "HEAD:refs/heads/other"],
      [`file://${home.folder}`, "HEAD:refs/heads/other"],
      [join(home.folder, ".git"), "HEAD:refs/heads/other"],
      [origin, "HEAD:main"],
    ];
    const answers = pushes.map((words) => tryGit(folder, "push", ...words));
    expect(answers.filter(({ code }) => code === 0)).toEqual([]);
    expect(answers[0]?.said).toContain("ralphctl-lane-does-not-push");
    expect([refsOf(home.folder), refsOf(origin)]).toEqual(before);
    expect(git(folder, "remote")).toBe("origin");
    expect(git(folder, "rev-parse", "origin/main")).toBe(headOf(home));
    expect(tryGit(folder, "fetch", "origin").code).toBe(0);
  });

  test("L-02 reaches a remote that home names by a relative path", async () => {
    const around = temporaryFolder();
    git(around, "init", "--quiet", "--bare", "--initial-branch=main", "origin.git");
    const folder = join(around, "home");
    renameSync(temporaryRepository({ "a.txt": "1" }), folder);
    git(folder, "remote", "add", "origin", "../origin.git");
    git(folder, "push", "--quiet", "origin", "main");
    const place = await laneOf(await repositoryAt(folder));
    expect(git(place.folder, "ls-remote", "origin", "main")).toContain(git(folder, "rev-parse", "main"));
  });

  test("L-02 has the identity that home resolves, signs nothing, and runs no hook of home", async () => {
    const folder = temporaryRepository({ "a.txt": "1" });
    const settings = temporaryFolder({ "work.inc": '[user]\n\temail = "work \\"x\\"@example.invalid"\n' });
    git(folder, "config", "include.path", join(settings, "work.inc"));
    git(folder, "config", "--unset", "user.email");
    git(folder, "config", "commit.gpgsign", "true");
    mkdirSync(join(folder, ".git/hooks"), { recursive: true });
    writeFileSync(join(folder, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const place = await laneOf(await repositoryAt(folder));
    write(place.folder, { "a.txt": "2" });
    git(place.folder, "commit", "--quiet", "--all", "--message", "By the agent");
    expect(git(place.folder, "log", "-1", "--format=%an %ae")).toBe('Test work "x"@example.invalid');
  });

  test("L-02 runs the hooks that lie in the tree, as husky's do", async () => {
    const folder = temporaryRepository({ ".husky/pre-commit": "#!/bin/sh\necho no >&2\nexit 1\n" });
    chmodSync(join(folder, ".husky/pre-commit"), 0o755);
    commitAll(folder, "Hooks");
    git(folder, "config", "core.hooksPath", ".husky");
    const place = await laneOf(await repositoryAt(folder));
    write(place.folder, { "a.txt": "2" });
    git(place.folder, "add", "--all");
    expect(tryGit(place.folder, "commit", "--message", "x")).toMatchObject({
      code: 1,
      said: expect.stringContaining("no"),
    });
  });

  test("L-02 needs a git that can merge without a working tree", async () => {
    const bin = temporaryFolder();
    writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.37.9\n", { mode: 0o755 });
    await expect(checkGitVersion(placeAt("/", { PATH: `${bin}:${process.env["PATH"]}` }))).rejects.toMatchObject({
      kind: "config",
      message: "Lanes need git 2.38 or newer, and this is git version 2.37.9",
    });
    await expect(checkGitVersion(placeAt("/"))).resolves.toBeUndefined();
  });

  test("L-02 is copied where it cannot be linked", async () => {
    const home = await newRepository({ "a.txt": "1" });
    // Git refuses to link where a link is among the objects.
    symlinkSync("/nowhere", join(home.commonFolder, "objects/ff-link"));
    const folder = join(temporaryFolder(), "clone");
    await makeClone(home, folder, { commit: headOf(home), branch: undefined, truth: await readCloneTruth(home) });
    expect(git(folder, "rev-parse", "HEAD")).toBe(headOf(home));
    expect(existsSync(`${folder}.draft`)).toBe(false);
  });
});

describe("repositories of other kinds in a lane", () => {
  test("L-02 a filter encrypts in home what is plain in the lane", async () => {
    const key = temporaryFolder();
    const folder = temporaryRepository({ ".gitattributes": "*.secret filter=crypt\n", "a.txt": "1" });
    mkdirSync(join(folder, ".git/git-crypt"));
    writeFileSync(join(folder, ".git/git-crypt/key"), "key");
    // As git-crypt does, it looks for its key in the git directory.
    const program = `test -e "$(git rev-parse --git-dir)/git-crypt/key" && tr a-zA-Z n-za-mN-ZA-M`;
    writeFileSync(join(key, "rot13"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    for (const side of ["clean", "smudge"]) git(folder, "config", `filter.crypt.${side}`, join(key, "rot13"));
    git(folder, "config", "filter.crypt.required", "true");
    write(folder, { "x.secret": "hello\n" });
    commitAll(folder, "Secret");
    const home = await repositoryAt(folder);
    const place = await laneOf(home);
    expect(readFileSync(join(place.folder, "x.secret"), "utf8")).toBe("hello\n");
    expect(git(place.folder, "status", "--porcelain")).toBe("");
    write(place.folder, { "x.secret": "world\n" });
    commitIn(place.folder, "By the agent");
    write(place.folder, { "y.secret": "again\n" });
    const { now, head } = await collectPlace(place);
    expect(git(folder, "cat-file", "blob", `${head}:x.secret`)).toBe("jbeyq");
    const found = now.changed.find(({ path }) => path === "y.secret")!;
    expect(found.now?.hash).toBe(
      execFileSync("git", ["hash-object", "--stdin"], { input: "ntnva\n", encoding: "utf8" }).trim(),
    );
  });

  test("L-02 line ends are converted as in home", async () => {
    const folder = temporaryRepository();
    git(folder, "config", "core.autocrlf", "true");
    write(folder, { "a.txt": "1\r\n" });
    commitAll(folder, "Begin");
    const place = await laneOf(await repositoryAt(folder));
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("1\r\n");
    expect(git(place.folder, "status", "--porcelain")).toBe("");
    expect((await collectPlace(place)).now.changed).toEqual([]);
  });

  test("L-02 a checkout that is not clean is refused with its paths, and leaves nothing behind", async () => {
    const folder = temporaryRepository({ "a.txt": "1\r\n", "b.txt": "2\n", "z.slow": "3" });
    // So that a.txt is a second older than the index: git would not look into it.
    git(folder, "config", "filter.slow.smudge", "sleep 1.1; cat");
    write(folder, { ".gitattributes": "*.txt text\n*.slow filter=slow\n" });
    git(folder, "add", ".gitattributes");
    git(folder, "commit", "--quiet", "--message", "Not normalized");
    const home = await repositoryAt(folder);
    const parent = temporaryFolder();
    const opening = openPlace(home, { name: "1", parent, head: headOf(home), branch: "main" });
    await expect(opening).rejects.toMatchObject({
      kind: "config",
      message: "A fresh checkout differs from its commit: a.txt",
      hint: expect.stringContaining("--in-place"),
    });
    expect([existsSync(join(parent, "1")), existsSync(join(parent, "1.new"))]).toEqual([false, false]);
  });

  test("L-02 a shallow repository stays shallow", async () => {
    const source = temporaryRepository({ "a.txt": "1" });
    write(source, { "a.txt": "2" });
    commitAll(source, "Second");
    const folder = join(temporaryFolder(), "home");
    git("/", "clone", "--quiet", "--depth", "1", `file://${source}`, folder);
    const place = await laneOf(await repositoryAt(folder));
    expect(git(place.folder, "log", "--format=%s")).toBe("Second");
    expect(git(place.folder, "rev-parse", "--is-shallow-repository")).toBe("true");
    expect(git(place.folder, "status", "--porcelain")).toBe("");
    write(place.folder, { "a.txt": "3" });
    commitIn(place.folder, "By the agent");
    const { head } = await collectPlace(place);
    expect(git(folder, "show", `${head}:a.txt`)).toBe("3");
  });

  test("L-02 a sparse checkout has the same files, and lacks none of the others in its tree", async () => {
    const folder = temporaryRepository({ "in/a.txt": "1", "out/b.txt": "2", "top.txt": "3" });
    git(folder, "sparse-checkout", "set", "--cone", "in");
    const home = await repositoryAt(folder);
    const place = await laneOf(home);
    const there = ["in/a.txt", "out/b.txt", "top.txt"].map((path) => existsSync(join(place.folder, path)));
    expect(there).toEqual([true, false, true]);
    expect(git(place.folder, "status", "--porcelain")).toBe("");
    write(place.folder, { "in/a.txt": "changed" });
    expect((await collectPlace(place)).now.changed.map(({ path }) => path)).toEqual(["in/a.txt"]);
    // Our index is damaged: the files that are left out are still no change.
    writeFileSync(join(place.repository.gitFolder, "ralphctl-index"), "damaged");
    expect((await collectPlace(place)).now.changed.map(({ path }) => path)).toEqual(["in/a.txt"]);
    const tree = git(folder, "rev-parse", "HEAD^{tree}");
    expect(await resetPlace(place, { head: headOf(home), tree, removesIgnored: false })).toMatchObject({ tree });
    expect(existsSync(join(place.folder, "out"))).toBe(false);
  });

  test("L-02 a partial repository fetches nothing to be cloned", async () => {
    const source = temporaryRepository({ "a.txt": "old" });
    git(source, "config", "uploadpack.allowFilter", "true");
    write(source, { "a.txt": "new" });
    commitAll(source, "Second");
    const folder = join(temporaryFolder(), "home");
    git("/", "clone", "--quiet", "--filter=blob:none", `file://${source}`, folder);
    const place = await laneOf(await repositoryAt(folder));
    expect(git(place.folder, "config", "remote.origin.promisor")).toBe("true");
    expect(git(place.folder, "show", "HEAD^:a.txt")).toBe("old");
    expect(git(place.folder, "status", "--porcelain")).toBe("");
  });

  test("L-02 longer names of objects", async () => {
    const folder = temporaryFolder();
    git(folder, "init", "--quiet", "--object-format=sha256", "--initial-branch=main");
    write(folder, { "a.txt": "1" });
    commitIn(folder, "Begin");
    const home = await repositoryAt(folder);
    const place = await laneOf(home);
    write(place.folder, { "b.txt": "2" });
    commitIn(place.folder, "By the agent");
    const { head, now } = await collectPlace(place);
    expect([git(folder, "show", `${head}:b.txt`), now.changed]).toEqual(["2", []]);
  });

  test("L-02 names that are not UTF-8", async () => {
    const folder = temporaryRepository({ "a.txt": "1" });
    const name = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]);
    writeFileSync(name, "x");
    commitAll(folder, "Names");
    const place = await laneOf(await repositoryAt(folder));
    const inLane = Buffer.concat([Buffer.from(`${place.folder}/caf`), Buffer.from([0xe9])]);
    expect(readFileSync(inLane, "utf8")).toBe("x");
    writeFileSync(Buffer.concat([inLane, Buffer.from([0xff])]), "y");
    const { now } = await collectPlace(place);
    expect(now.changed.map(({ path }) => path)).toEqual(["caf\udce9\udcff"]);
  });

  test("L-02 a linked working tree as home", async () => {
    const main = temporaryRepository({ "a.txt": "1" });
    const folder = join(temporaryFolder(), "linked");
    git(main, "worktree", "add", "--quiet", "-b", "side", folder);
    write(folder, { "side.txt": "s" });
    commitAll(folder, "Side");
    const home = await repositoryAt(folder);
    const place = await openPlace(home, { name: "1", parent: temporaryFolder(), head: headOf(home), branch: "side" });
    write(place.folder, { "b.txt": "2" });
    commitIn(place.folder, "By the agent");
    const { head } = await collectPlace(place);
    expect(git(main, "show", `${head}:b.txt`)).toBe("2");
    expect(git(place.folder, "branch", "--show-current")).toBe("side");
    expect(git(main, "worktree", "list").split("\n")).toHaveLength(2);
  });
});

describe("what an agent did to the clone", () => {
  const pointed = async (place: Place, home: Repository): Promise<string> => {
    await pointClone(place.folder, { commit: headOf(home), branch: "main", view: place.repository });
    return git(place.folder, "status", "--porcelain", "--branch");
  };

  test("L-07 is undone before the next session: no .git, a lock, a merge, a branch, other refs", async () => {
    const home = await newRepository({ "a.txt": "1" });
    const place = await laneOf(home);
    const own = join(place.folder, ".git");
    for (const [index, damage] of [
      () => rmSync(own, { recursive: true }),
      () => {
        rmSync(own, { recursive: true });
        writeFileSync(own, "gitdir: /nowhere");
      },
      () => rmSync(join(own, "objects"), { recursive: true }),
      () => writeFileSync(join(own, "index.lock"), ""),
      () => writeFileSync(join(own, "MERGE_HEAD"), `${headOf(home)}\n`),
      () => mkdirSync(join(own, "rebase-merge")),
      () => git(place.folder, "checkout", "--quiet", "-b", "other/branch"),
      () => writeFileSync(join(own, "refs/heads/main.lock"), ""),
      () => writeFileSync(join(own, "packed-refs"), "rubbish"),
      () => writeFileSync(join(own, "commondir"), "/nowhere"),
    ].entries()) {
      damage();
      expect([index, await pointed(place, home)]).toEqual([index, "## main"]);
      expect(git(place.folder, "branch", "--format=%(refname)")).toBe("refs/heads/main");
    }
  });

  test("L-07 leads no write of ours out of the place", async () => {
    const home = await newRepository({ "a.txt": "1" });
    const place = await laneOf(home);
    const own = join(place.folder, ".git");
    const [head, index] = [headOf(home), readFileSync(join(home.gitFolder, "index"))];
    write(home.folder, { "a.txt": "2" });
    commitAll(home.folder, "Second");
    const [refs, config] = [refsOf(home.folder), readFileSync(join(home.commonFolder, "config"), "utf8")];
    const newIndex = readFileSync(join(home.gitFolder, "index"));
    for (const name of ["refs", "info", "index", "HEAD", "config", "packed-refs", "objects", "logs"]) {
      rmSync(join(own, name), { recursive: true, force: true });
      symlinkSync(join(home.commonFolder, name), join(own, name));
      await pointClone(place.folder, { commit: head, branch: "main", view: place.repository });
    }
    expect([refsOf(home.folder), readFileSync(join(home.commonFolder, "config"), "utf8")]).toEqual([refs, config]);
    expect(readFileSync(join(home.gitFolder, "index")).equals(newIndex)).toBe(true);
    expect(index.equals(newIndex)).toBe(false);
    expect(git(place.folder, "rev-parse", "HEAD")).toBe(head);
    rmSync(own, { recursive: true });
    symlinkSync(home.commonFolder, own);
    await pointClone(place.folder, { commit: head, branch: "main", view: place.repository });
    expect(refsOf(home.folder)).toBe(refs);
  });

  test("L-07 what is as it should be stays, unless it has another name by which somebody could write it", async () => {
    const home = await newRepository({ "a.txt": "1" });
    const place = await laneOf(home);
    const [own, outside] = [join(place.folder, ".git"), temporaryFolder()];
    const names = ["config", "packed-refs", "HEAD", "refs/heads/main", "objects/info/alternates"];
    const files = (): number[] => names.map((name) => lstatSync(join(own, name)).ino);
    const point = async (): Promise<void> =>
      await pointClone(place.folder, { commit: headOf(home), branch: "main", view: place.repository });
    await point();
    const before = files();
    await point();
    expect(files()).toEqual(before);
    for (const name of names) linkSync(join(own, name), join(outside, name.replaceAll("/", "-")));
    await point();
    expect(files().filter((file) => before.includes(file))).toEqual([]);
  });

  test("L-07 runs no program that it named in its configuration, attributes or hooks", async () => {
    const home = await newRepository({ "a.txt": "1" });
    const place = await laneOf(home);
    const proof = join(temporaryFolder(), "ran");
    const program = join(temporaryFolder(), "program");
    writeFileSync(program, `#!/bin/sh\n: >>${proof}\ncat\n`, { mode: 0o755 });
    for (const key of [
      "core.fsmonitor",
      "filter.x.clean",
      "filter.x.smudge",
      "core.sshCommand",
      "uploadpack.packObjectsHook",
    ]) {
      git(place.folder, "config", key, program);
    }
    write(place.folder, { ".gitattributes": "*.txt filter=x\n", "b.txt": "2" });
    mkdirSync(join(place.folder, ".git/hooks"), { recursive: true });
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-commit", "post-commit"]) {
      symlinkSync(program, join(place.folder, ".git/hooks", hook));
    }
    writeFileSync(join(place.folder, ".git/info/attributes"), "* filter=x\n");
    commitIn(place.folder, "By the agent");
    expect(existsSync(proof)).toBe(true);
    rmSync(proof);
    const { head } = await collectPlace(place);
    expect(head).toBe(cloneHead(place.folder));
    const tree = git(home.folder, "rev-parse", "HEAD^{tree}");
    await resetPlace(place, { head: headOf(home), tree, removesIgnored: { keep: [] } });
    git(place.folder, "status");
    expect(existsSync(proof)).toBe(false);
  });

  test("L-07 no commit is taken whose objects are missing, or that is none", async () => {
    const home = await newRepository({ "a.txt": "1" });
    const place = await laneOf(home);
    const before = headOf(home);
    write(place.folder, { "b.txt": "new content" });
    commitIn(place.folder, "By the agent");
    const blob = git(place.folder, "rev-parse", "HEAD:b.txt");
    rmSync(join(place.folder, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    expect(await importCommits(home, place.folder, cloneHead(place.folder)!)).toBe(false);
    expect((await collectPlace(place)).head).toBe(before);
    writeFileSync(join(place.folder, ".git/HEAD"), `${blob}\n`);
    expect((await collectPlace(place)).head).toBe(before);
    rmSync(join(place.folder, ".git/HEAD"));
    execFileSync("mkfifo", [join(place.folder, ".git/HEAD")]);
    expect(cloneHead(place.folder)).toBeUndefined();
    rmSync(join(place.folder, ".git"), { recursive: true });
    expect((await collectPlace(place)).now.changed.map(({ path }) => path)).toEqual(["b.txt"]);
  });

  test("L-02 the index of the clone knows the files as ours does", async () => {
    const home = await newRepository({ "a.txt": "1" });
    const place = await laneOf(home);
    const [own, theirs] = [join(place.repository.gitFolder, "ralphctl-index"), join(place.folder, ".git/index")];
    expect(statSync(theirs).mtimeMs).toBeLessThanOrEqual(statSync(own).mtimeMs);
    expect(git(place.folder, "diff-files")).toBe("");
    expect((await snapshot(place.repository)).changed).toEqual([]);
  });
});
