import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atEnd } from "../at-end.ts";
import { isFull } from "../lane.ts";
import { DONE, eventsOf, runWith, script, sh, type Step, WORK } from "../hostile-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { commitAll, copyFolder, git, temporaryFolder, temporaryRepository } from "../temporary-folder.ts";

// One task in each kind of repository, from the lane through the room to the person's branch.

interface Asked extends Pick<WorkspaceOptions, "files" | "config"> {
  readonly steps?: readonly Step[];
}

const GATE = "gates: [{ id: test, run: test -f done.txt }]\n";

const workspace = async ({ steps = [WORK], config = GATE, files = {} }: Asked = {}): Promise<LoopWorkspace> =>
  await loopWorkspace({ script: script([...steps, DONE]), config, files, env: { HOME: temporaryFolder() } });

/** A run in any folder; its config names the agent. */
const runIn = async (folder: string, env: Record<string, string> = {}): Promise<LoopRun> =>
  await runWith({ folder }, { args: ["Do it"], env });

/** What came of it: exit code, outcomes, the paths of the last commit, and differences of the tree. */
const landed = (folder: string, { code, outcomes, stderr }: LoopRun) => ({
  code,
  outcomes,
  paths: git(folder, "show", "--name-only", "--format=", "HEAD").split("\n"),
  status: git(folder, "status", "--porcelain"),
  ...(code !== 0 && { stderr }),
});

const DONE_TXT = { code: 0, outcomes: ["verified"], paths: ["done.txt"], status: "" };

describe.concurrent("L-04 L-21 set-up by the real tool", () => {
  test("L-04 npm: installs by the lock file in lane and room, and nothing of the person's is used", async () => {
    const member = { "package.json": '{"name":"member","version":"1.0.0"}', "index.js": "module.exports = 7;\n" };
    const folder = temporaryFolder({
      "package.json": '{"name":"top","version":"1.0.0","private":true,"workspaces":["packages/*"]}',
      ...Object.fromEntries(Object.entries(member).map(([name, text]) => [`packages/member/${name}`, text])),
    });
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund"], { cwd: folder, stdio: "ignore" });
    const place = await workspace({
      files: {
        ".gitignore": "node_modules/\n",
        "package.json": readFileSync(join(folder, "package.json"), "utf8"),
        "package-lock.json": readFileSync(join(folder, "package-lock.json"), "utf8"),
        "packages/member/package.json": member["package.json"],
        "packages/member/index.js": member["index.js"],
      },
      config: `gates: [{ id: test, run: "test -f done.txt && test $(node -p 'require(\\"member\\")') = 7" }]\n`,
    });
    expect(landed(place.folder, await place.run())).toEqual(DONE_TXT);
    expect(existsSync(join(place.folder, "node_modules"))).toBe(false);
  });

  test("L-04 L-21 python: each place has its own venv, and imports its own code", async () => {
    const check =
      "import os, sys, app; assert app.__file__.startswith(os.getcwd()); assert sys.prefix == os.getcwd() + '/.venv'";
    const place = await workspace({
      files: {
        ".gitignore": ".venv/\n__pycache__/\n",
        "app.py": "value = 1\n",
        "requirements.txt": "",
        "check.py": `${check}\n`,
      },
      config: `gates: [{ id: test, run: test -f done.txt && .venv/bin/python check.py }]\nlanes: { setup: python3 -m venv --without-pip .venv }\n`,
    });
    // One of the person's own, whose code would make the gate red.
    mkdirSync(join(place.folder, ".venv/bin"), { recursive: true });
    writeFileSync(join(place.folder, ".venv/bin/python"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(landed(place.folder, await place.run())).toEqual(DONE_TXT);
  });

  test("L-21 make: builds in the room, and leftovers of the lane do not count", async () => {
    const makefile = "test: built\n\tgrep -q 1 built\nbuilt: source\n\tcp source built\n";
    const place = await workspace({
      files: { ".gitignore": "built\n", Makefile: makefile, source: "1\n" },
      config: "gates: [{ id: test, run: make test }]\n",
      steps: [WORK, sh("make built && echo 2 >built")],
    });
    expect(landed(place.folder, await place.run())).toEqual(DONE_TXT);
    expect(existsSync(join(place.folder, "built"))).toBe(false);
  });
});

describe.concurrent("L-02 how a repository stores files", () => {
  test("L-02 a filter that encrypts: the agent sees plain text, git stores the other", async () => {
    const place = await workspace({
      files: { ".gitattributes": "secret.txt filter=rot\n" },
      steps: [WORK, sh("grep -q plain secret.txt && echo changed plain >secret.txt")],
    });
    const rot = "tr 'a-z' 'n-za-m'";
    for (const way of ["clean", "smudge"]) place.git("config", `filter.rot.${way}`, rot);
    place.git("config", "filter.rot.required", "true");
    place.write({ "secret.txt": "plain\n" });
    place.git("add", "--all");
    place.git("commit", "--quiet", "--message", "A secret");
    expect(landed(place.folder, await place.run())).toEqual({ ...DONE_TXT, paths: ["done.txt", "secret.txt"] });
    expect([place.git("cat-file", "blob", "HEAD:secret.txt"), place.read("secret.txt")]).toEqual([
      "punatrq cynva",
      "changed plain\n",
    ]);
  });

  test("L-02 autocrlf: line ends are those of the person's tree in both places", async () => {
    const place = await workspace({ steps: [WORK, sh("printf 'one\\r\\nthree\\r\\n' >a.txt")] });
    place.git("config", "core.autocrlf", "true");
    place.write({ "a.txt": "one\r\ntwo\r\n" });
    place.git("add", "--all");
    place.git("commit", "--quiet", "--message", "Text");
    expect(landed(place.folder, await place.run())).toEqual({ ...DONE_TXT, paths: ["a.txt", "done.txt"] });
    expect([place.git("cat-file", "blob", "HEAD:a.txt"), place.read("a.txt")]).toEqual([
      "one\nthree",
      "one\r\nthree\r\n",
    ]);
  });

  test("L-02 names that are not UTF-8 land as they are", async () => {
    const place = await workspace({
      steps: [WORK, sh("echo new >\"$(printf 'b\\377')\" && echo more >>\"$(printf 'a\\377')\"")],
    });
    writeFileSync(Buffer.concat([Buffer.from(`${place.folder}/a`), Buffer.from([0xff])]), "a\n");
    place.git("add", "--all");
    place.git("commit", "--quiet", "--message", "Names");
    const { code, paths, status } = landed(place.folder, await place.run());
    expect([code, paths, status]).toEqual([0, [String.raw`"a\377"`, String.raw`"b\377"`, "done.txt"], ""]);
  });

  test("L-02 hooks in the tree, as husky's: those of the agent's commits run in the lane, ours run none", async () => {
    const place = await workspace({
      files: { ".husky/pre-commit": "#!/bin/sh\necho ran >>hook.log\n", ".gitignore": "hook.log\n" },
      steps: [WORK, sh("git add done.txt && git commit -qm Own && test -s hook.log")],
    });
    execFileSync("chmod", ["+x", join(place.folder, ".husky/pre-commit")]);
    place.git("commit", "--quiet", "--all", "--message", "A hook");
    place.git("config", "core.hooksPath", ".husky");
    expect(landed(place.folder, await place.run())).toEqual(DONE_TXT);
    expect(existsSync(join(place.folder, "hook.log"))).toBe(false);
  });

  test("L-02 L-04 a submodule, filled by set-up", async () => {
    const library = temporaryRepository({ "lib.txt": "lib\n" });
    const place = await workspace({
      config: `gates: [{ id: test, run: test -f done.txt && test -f lib/lib.txt }]\nlanes: { setup: git -c protocol.file.allow=always submodule update --init }\n`,
    });
    place.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", library, "lib");
    place.git("commit", "--quiet", "--all", "--message", "A submodule");
    expect(landed(place.folder, await place.run())).toEqual(DONE_TXT);
    expect(existsSync(join(place.folder, "lib/lib.txt"))).toBe(true);
  });
});

const has = (...command: readonly [string, ...string[]]): boolean =>
  isFull && spawnSync(command[0], command.slice(1), { stdio: "ignore" }).status === 0;

test.runIf(has("git", "lfs", "version"))(
  "L-02 LFS: lane and room have the files and not their pointers, and new ones land as pointers",
  async () => {
    const place = await workspace({
      config: "gates: [{ id: test, run: test -f done.txt && grep -q large big.bin && grep -q new new.bin }]\n",
      steps: [WORK, sh("grep -q large big.bin && echo new >new.bin")],
    });
    place.git("lfs", "install", "--local");
    place.git("lfs", "track", "*.bin");
    place.write({ "big.bin": "large\n" });
    place.git("add", "--all");
    place.git("commit", "--quiet", "--message", "Large files");
    expect(landed(place.folder, await place.run())).toEqual({ ...DONE_TXT, paths: ["done.txt", "new.bin"] });
    expect([place.git("cat-file", "blob", "HEAD:new.bin").split("\n")[0], place.read("new.bin")]).toEqual([
      "version https://git-lfs.github.com/spec/v1",
      "new\n",
    ]);
  },
);

test.runIf(has("cargo", "--version"))(
  "L-21 Rust: cargo builds in the room, and its products stay out of the work",
  async () => {
    const test = "#[test]\nfn holds() { assert_eq!(crate_of_test::value(), 2); }\n";
    const place = await workspace({
      files: {
        ".gitignore": "target/\n",
        "Cargo.toml": '[package]\nname = "crate-of-test"\nversion = "0.1.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "crate-of-test"\nversion = "0.1.0"\n',
        "src/lib.rs": "pub fn value() -> i32 { 1 }\n",
        "tests/holds.rs": test,
      },
      config: "gates: [{ id: test, run: cargo test --offline --quiet }]\n",
      steps: [sh("sed -i 's/1 }/2 }/' src/lib.rs && cargo build --offline --quiet")],
    });
    const { code, paths, status } = landed(place.folder, await runWith(place, { env: cargoHome() }));
    // Cargo may write its lock file in the way of its own version.
    expect([code, paths.filter((path) => path !== "Cargo.lock"), status]).toEqual([0, ["src/lib.rs"], ""]);
  },
);

/** Tests have a home of their own, and rustup keeps its programs in that of the user. */
const cargoHome = (): Record<string, string> => {
  const home = process.env["HOME"] ?? "/";
  return { RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? join(home, ".rustup"), CARGO_HOME: join(home, ".cargo") };
};

describe.concurrent("L-02 T-03 submodules", () => {
  const ALLOW = ["-c", "protocol.file.allow=always"];

  /** A workspace with the submodule `lib`, which has the submodule `inner`; both are checked out. */
  async function withSubmodules(asked: Asked) {
    const inner = temporaryRepository({ "inner.txt": "inner\n" });
    const library = temporaryRepository({ "lib.txt": "lib\n" });
    git(library, ...ALLOW, "submodule", "add", "--quiet", inner, "inner");
    git(library, "commit", "--quiet", "--message", "Inner");
    const place = await workspace(asked);
    place.git(...ALLOW, "submodule", "add", "--quiet", library, "lib");
    place.git(...ALLOW, "submodule", "update", "--quiet", "--init", "--recursive");
    place.git("commit", "--quiet", "--all", "--message", "A library");
    return { place, library, inner };
  }

  const NEEDS_BOTH = "test -f done.txt && test -f lib/lib.txt && test -f lib/inner/inner.txt";

  test("L-02 those that the person has are in lane and room, nested ones too, without the network", async () => {
    const { place, library, inner } = await withSubmodules({
      config: `gates: [{ id: test, run: ${NEEDS_BOTH} }]\n`,
      steps: [WORK, sh(`${NEEDS_BOTH} && git -C lib remote get-url origin >url.log`)],
      files: { ".gitignore": "*.log\n" },
    });
    for (const folder of [library, inner]) rmSync(folder, { recursive: true });
    expect(landed(place.folder, await place.run())).toEqual(DONE_TXT);
    expect([place.git("status", "--porcelain"), place.git("-C", "lib", "branch", "--list")]).toEqual(["", "* main"]);
  });

  test("T-10 a pointer to another commit of the checks that a gate runs waits for a person", async () => {
    const { place, library } = await withSubmodules({
      config: "gates: [{ id: test, run: sh lib/check.sh }]\n",
      steps: [WORK, sh("cd lib && git fetch -q && git checkout -q origin/main")],
    });
    writeFileSync(join(library, "check.sh"), "test -f never.txt\n");
    commitAll(library, "Strict");
    place.git("-C", "lib", "pull", "--quiet");
    place.git("commit", "--quiet", "--all", "--message", "Strict checks");
    writeFileSync(join(library, "check.sh"), "true\n");
    commitAll(library, "Lax");
    const { events } = await place.run();
    const finished = events.find((event) => event.type === "iteration.finished");
    expect(finished).toMatchObject({
      outcome: "parked",
      question: expect.stringContaining("It changed lib (a gate runs files of this submodule)"),
    });
  });

  test("T-03 a pointer to a commit that its remote has lands; gates see its files", async () => {
    const { place, library } = await withSubmodules({
      config: "gates: [{ id: test, run: test -f done.txt && test -f lib/new.txt }]\n",
      steps: [WORK, sh("cd lib && git fetch -q && git checkout -q origin/main")],
    });
    writeFileSync(join(library, "new.txt"), "new\n");
    commitAll(library, "New");
    const run = await place.run();
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
    expect(place.git("rev-parse", "HEAD:lib")).toBe(git(library, "rev-parse", "HEAD"));
  });

  test("L-02 X-78 one whose commit the person's copy lacks refuses the lane, and names the way out", async () => {
    const { place, library } = await withSubmodules({});
    writeFileSync(join(library, "new.txt"), "new\n");
    commitAll(library, "New");
    const commit = git(library, "rev-parse", "HEAD");
    place.git("update-index", "--cacheinfo", `160000,${commit},lib`);
    place.git("commit", "--quiet", "--message", "Ahead of the copy");
    const run = await place.run();
    expect([run.code, run.stderr]).toEqual([
      78,
      `error: Your copy of the submodule lib does not have ${commit.slice(0, 10)}\n` +
        "hint: Run git submodule update --init --recursive, or work in your tree with --in-place\n",
    ]);
  });
});

describe.concurrent("L-02 how a repository is checked out", () => {
  const big = { "one/a.txt": "a\n", "two/b.txt": "b\n" };

  const cloned = async (...options: readonly string[]): Promise<string> => {
    const { folder } = await workspace({ files: big });
    git(folder, "config", "uploadpack.allowFilter", "true");
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "More");
    const clone = join(temporaryFolder(), "clone");
    git(folder, "clone", "--quiet", ...options, `file://${folder}`, clone);
    git(clone, "config", "user.name", "Test");
    git(clone, "config", "user.email", "test@example.invalid");
    return clone;
  };

  test("L-02 shallow", async () => {
    const clone = await cloned("--depth", "1");
    expect(landed(clone, await runIn(clone))).toEqual(DONE_TXT);
    expect(git(clone, "rev-list", "--count", "HEAD")).toBe("2");
  });

  test("L-02 partial", async () => {
    const clone = await cloned("--filter=blob:none");
    expect(landed(clone, await runIn(clone))).toEqual(DONE_TXT);
  });

  test("L-02 sparse: files that are left out stay in the commit, and out of the tree", async () => {
    const clone = await cloned("--sparse");
    git(clone, "sparse-checkout", "set", "--cone", ".ralph", "one");
    expect(landed(clone, await runIn(clone))).toEqual(DONE_TXT);
    expect([git(clone, "cat-file", "blob", "HEAD:two/b.txt"), existsSync(join(clone, "two"))]).toEqual(["b", false]);
  });

  test("L-02 in a linked working tree, which alone follows", async () => {
    const place = await workspace();
    const tree = join(temporaryFolder(), "linked");
    place.git("worktree", "add", "--quiet", "-b", "linked", tree);
    const before = place.git("rev-parse", "main");
    expect(landed(tree, await runIn(tree))).toEqual(DONE_TXT);
    expect([place.git("rev-parse", "main"), place.git("status", "--porcelain")]).toEqual([before, ""]);
  });

  test("L-02 with the workspace in a subfolder", async () => {
    const source = await workspace();
    const top = temporaryRepository({ "other.txt": "other\n" });
    copyFolder(source.folder, join(top, "app"));
    rmSync(join(top, "app/.git"), { recursive: true });
    rmSync(join(top, "app/.ralph/ralph.db"), { force: true });
    commitAll(top, "A workspace below");
    expect(landed(top, await runIn(join(top, "app")))).toEqual({ ...DONE_TXT, paths: ["app/done.txt"] });
  });
});

describe.concurrent("L-02 where lanes lie", () => {
  const device = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.dev;
  const other = ["/dev/shm", "/var/tmp", "/tmp"].find((path) => ![undefined, device(tmpdir())].includes(device(path)));

  function onOtherDevice(): string {
    const folder = mkdtempSync(join(other!, "ralphctl-test-"));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  test.runIf(other !== undefined)("L-02 a state folder on another device: beside the repository", async () => {
    const parent = temporaryFolder();
    const place = await workspace();
    const folder = join(parent, "repository");
    copyFolder(place.folder, folder);
    const run = await runIn(folder, { XDG_STATE_HOME: onOtherDevice() });
    expect(landed(folder, run)).toEqual(DONE_TXT);
    expect(eventsOf(run, "run.started")[0]?.lane?.folder.startsWith(join(parent, ".ralphctl/"))).toBe(true);
  });

  test.runIf(other !== undefined)("L-02 lanes.folder on another device: objects are copied", async () => {
    const place = await workspace();
    const run = await runIn(place.folder, { RALPHCTL_LANES_FOLDER: onOtherDevice() });
    expect(landed(place.folder, run)).toEqual(DONE_TXT);
  });
});

describe.concurrent("L-21 a file system that does not tell", () => {
  /** The modes that landed, by path, after two sessions: the second finds what git made of the first one's. */
  const modesAfter = async (setting: string, command: string): Promise<Record<string, string>> => {
    const sessions = script([sh(command), DONE], [WORK, DONE]);
    const place = await loopWorkspace({ script: sessions, config: GATE, files: { "a.txt": "a\n", "b.txt": "b\n" } });
    place.git("config", setting, "false");
    expect(landed(place.folder, await place.run())).toMatchObject({
      code: 0,
      outcomes: ["rejected", "verified"],
      status: "",
    });
    const lines = place.git("ls-tree", "HEAD", "--", "a.txt", "b.txt", "new.txt").split("\n");
    return Object.fromEntries(lines.map((line) => [line.split("\t")[1]!, line.split(" ")[0]!]));
  };

  test("L-21 links: new ones and one in the place of a file land as links", async () => {
    const command = "ln -s a.txt new.txt; rm b.txt; ln -s a.txt b.txt";
    expect(await modesAfter("core.symlinks", command)).toEqual({
      "a.txt": "100644",
      "b.txt": "120000",
      "new.txt": "120000",
    });
  });

  test("L-21 programs: those that a commit of the agent marks land as programs", async () => {
    const command = "echo > new.txt; git add new.txt; git update-index --chmod=+x new.txt b.txt; git commit -qm X";
    expect(await modesAfter("core.fileMode", command)).toEqual({
      "a.txt": "100644",
      "b.txt": "100755",
      "new.txt": "100755",
    });
  });
});

test.skipIf(existsSync(import.meta.filename.toUpperCase()))(
  "L-02 L-07 core.ignoreCase of a copied repository: names that differ only by case are all part of the work",
  async () => {
    const place = await workspace({
      files: { "a.txt": "a\n", "b.txt": "b\n" },
      steps: [sh("mv a.txt A.txt; echo B > B.txt"), WORK],
    });
    place.git("config", "core.ignoreCase", "true");
    expect(landed(place.folder, await place.run())).toMatchObject({ code: 0, outcomes: ["verified"] });
    const names = place.git("ls-tree", "--name-only", "HEAD").split("\n");
    expect(names.filter((name) => /^[ab]\.txt$/i.test(name))).toEqual(["A.txt", "B.txt", "b.txt"]);
  },
);
