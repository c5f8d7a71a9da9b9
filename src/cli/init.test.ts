import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { explained } from "../format/init-files.ts";
import { type as typeWords } from "../../test/recording-io.ts";
import { git, temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";

const FILES = [
  ".ralph/config.yaml",
  ".ralph/config.schema.json",
  ".ralph/.gitignore",
  ".ralph/specs/.gitkeep",
  ".claude/workflows/ralph.yaml",
  "PROMPT_plan.md",
  "PROMPT_build.md",
];

const OXFMT = join(import.meta.dirname, "../../node_modules/.bin/oxfmt");

/** git must be found; the identity of whoever runs the tests must not. */
const PATH = { PATH: process.env["PATH"]! };

/** Without what each file is for, which `init-questions.full.test.ts` looks at. */
const type: typeof typeWords = async (...typed) => {
  const answer = await typeWords(...typed);
  const docs = / {2,}(?:settings: |lets your |keeps |the workflow |what an agent |the tasks, ).*$/gm;
  return { ...answer, stdout: answer.stdout.replaceAll(docs, "") };
};

const lines = (outcome: string, files: readonly string[]): string =>
  files.map((path) => `  ${outcome.padEnd(8)}  ${path}\n`).join("");

describe("ralphctl init", () => {
  test("creates a workspace, says so, and names the next command", async () => {
    const cwd = temporaryRepository({ "README.md": "x" });
    const { code, stdout, stderr } = await type(["init"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Workspace ${cwd}\n\n${lines("created", FILES)}\n`);
    expect(stdout).toContain("Not committed. To commit these 7 files: ralphctl init --yes\n");
    expect(stdout).toMatch(/\n {2}ralphctl run --dry-run {3}shows .*\n {2}ralphctl run {13}plans, .*\n$/);
    expect(git(cwd, "log", "--format=%s")).toBe("Begin");
    expect(readFileSync(join(cwd, ".ralph/config.yaml"), "utf8")).toMatch(/^gates: auto$/m);
    expect(readFileSync(join(cwd, ".ralph/config.yaml"), "utf8")).toMatch(
      /^# yaml-language-server: \$schema=\.\/config\.schema\.json\n/,
    );
    expect(JSON.parse(readFileSync(join(cwd, ".ralph/config.schema.json"), "utf8"))).toHaveProperty(
      "properties.limits",
    );
  });

  test("W-04 keeps others out of .ralph/", async () => {
    const cwd = temporaryRepository();
    mkdirSync(join(cwd, ".ralph"), { mode: 0o755 });
    await type(["init"], { cwd });
    expect(statSync(join(cwd, ".ralph")).mode & 0o777).toBe(0o700);
  });

  test("S003-02 S003-03 installs the ralph workflow: its mode, its prompts, its hooks all off", async () => {
    const cwd = temporaryRepository();
    await type(["init"], { cwd });
    const workflow = parse(readFileSync(join(cwd, ".claude/workflows/ralph.yaml"), "utf8")) as Record<string, unknown>;
    expect(Object.keys(workflow)).toEqual([
      "name",
      "description",
      "mode",
      "goal-prompt",
      "reflection-prompt",
      "per-iteration-hooks",
    ]);
    expect(workflow["mode"]).toBe("ralph");
    const hooks = workflow["per-iteration-hooks"] as { id: string; enabled: boolean; parallel: boolean }[];
    expect(hooks.map(({ id, enabled, parallel }) => ({ id, enabled, parallel }))).toEqual([
      { id: "learning", enabled: false, parallel: false },
      { id: "documentation", enabled: false, parallel: false },
      { id: "tests", enabled: false, parallel: false },
    ]);
  });

  test("a second time keeps everything, also what was changed; --force replaces it", async () => {
    const cwd = temporaryRepository();
    await type(["init", "--yes"], { cwd });
    write(cwd, { "PROMPT_build.md": "mine" });
    const again = await type(["init", "--yes"], { cwd });
    expect(again.stdout).toContain(lines("kept", FILES));
    expect(again.stdout).not.toMatch(/Commit/);
    expect(readFileSync(join(cwd, "PROMPT_build.md"), "utf8")).toBe("mine");
    const forced = await type(["init", "--force"], { cwd });
    expect(forced.stdout).toContain(lines("replaced", FILES));
    expect(readFileSync(join(cwd, "PROMPT_build.md"), "utf8")).toContain("# Build");
  });

  test("P-31 --yes makes one commit of what it wrote, and of nothing else", async () => {
    const cwd = temporaryRepository({ "README.md": "x", "other.txt": "a" });
    write(cwd, { "README.md": "changed", "staged.txt": "s" });
    git(cwd, "add", "staged.txt");
    const { stdout } = await type(["init", "--yes"], { cwd });
    expect(stdout).toMatch(/^Committed as [0-9a-f]{7,}$/m);
    expect(git(cwd, "log", "--format=%s")).toBe("Set up ralphctl\nBegin");
    expect(git(cwd, "show", "--format=", "--name-only").split("\n").sort()).toEqual([...FILES].sort());
    expect(git(cwd, "status", "--porcelain")).toBe("M README.md\nA  staged.txt");
  });

  test("P-31 a person is asked before anything is written, and may say no to the commit", async () => {
    const cwd = temporaryRepository({ "README.md": "x" });
    await type(["init"], { cwd });
    const old = [
      `Commit the files from an earlier init?${explained(FILES)
        .map((line) => `\n  ${line}`)
        .join("")}`,
    ];
    const asked: string[] = [];
    expect((await type(["init"], { cwd, replies: ["write"], asked })).stdout).toContain("Not committed.");
    expect([asked, git(cwd, "rev-list", "--count", "HEAD")]).toEqual([old, "1"]);
    expect((await type(["init"], { cwd, replies: ["commit"] })).stdout).toContain("Committed as");
    expect((await type(["init"], { cwd, replies: [], asked })).stdout).not.toContain("ommit");
    expect(asked).toEqual(old);
  });

  test("P-30 the first commit of a repository, without an identity and past failing hooks", async () => {
    const cwd = temporaryFolder();
    git(cwd, "init", "--quiet");
    git(cwd, "config", "user.useConfigOnly", "true");
    git(cwd, "config", "commit.gpgSign", "true");
    for (const hook of ["pre-commit", "commit-msg", "prepare-commit-msg", "post-commit"]) {
      write(cwd, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch "${cwd}/ran-${hook}"\nexit 1\n` });
      chmodSync(join(cwd, ".git/hooks", hook), 0o755);
    }
    expect((await type(["init", "--yes"], { cwd, env: PATH })).stdout).toContain("Committed as");
    expect(readdirSync(cwd).filter((name) => name.startsWith("ran-"))).toEqual([]);
  });

  test("L-03 the first commit has only its own files, so it says how to commit the person's", async () => {
    const cwd = temporaryFolder();
    git(cwd, "init", "--quiet");
    const others =
      'Agents do not see your own files, because no commit has them. To commit them: git add --all && git commit --message "Begin"\n';
    expect((await type(["init", "--yes"], { cwd })).stdout).not.toContain(others);
    write(cwd, { "package.json": '{ "scripts": { "test": "true" } }' });
    expect((await type(["init", "--yes"], { cwd })).stdout).toContain(others);
    git(cwd, "add", "--all");
    git(cwd, "commit", "--quiet", "--message", "Begin");
    write(cwd, { "more.txt": "" });
    expect((await type(["init", "--yes"], { cwd })).stdout).not.toContain(others);
  });

  test("T-02 what it commits is formatted as a check of the project may ask for", async () => {
    const cwd = temporaryRepository({ ".oxfmtrc.json": '{ "printWidth": 80 }\n', "package.json": "{}\n" });
    expect((await type(["init", "--yes"], { cwd })).code).toBe(0);
    const check = spawnSync(OXFMT, ["--check", "."], { cwd, encoding: "utf8" });
    expect([check.status, check.stdout]).toEqual([0, expect.stringContaining("correct format")]);
  });

  test("what the repository ignores is written but not committed, which it says", async () => {
    const cwd = temporaryRepository({ ".gitignore": ".claude/\n/PROMPT_*\n", "go.mod": "module x\n" });
    const { stdout } = await type(["init", "--yes"], { cwd });
    expect(stdout).toContain(
      "Git ignores .claude/workflows/ralph.yaml, PROMPT_plan.md, PROMPT_build.md: not committed, so other clones do not get them\n",
    );
    const kept = FILES.filter((path) => path.startsWith(".ralph/")).toSorted();
    expect(git(cwd, "show", "--format=", "--name-only").trim().split("\n").toSorted()).toEqual(kept);
    expect(git(cwd, "status", "--porcelain")).toBe("");
    // Advice fits the repository.
    expect(readFileSync(join(cwd, ".ralph/config.yaml"), "utf8")).toContain("[{ id: test, run: go test ./... }]");
  });

  test("nothing stays staged if git cannot commit all files", async () => {
    const cwd = temporaryRepository({ "a.txt": "a\n", "b/c.txt": "c\n" });
    git(cwd, "sparse-checkout", "set", "b");
    const { code, stderr } = await type(["init", "--yes"], { cwd });
    expect([code === 0, stderr.startsWith("error: git add failed: ")]).toEqual([false, true]);
    expect(git(cwd, "diff", "--cached", "--name-only")).toBe("");
    expect(git(cwd, "log", "--format=%s").trim().split("\n")).not.toContain("Set up ralphctl");
  });

  test("--project adds a project; S000-E4 a bad name writes nothing", async () => {
    const cwd = temporaryRepository({ "README.md": "x" });
    const { stdout } = await type(["init", "--project", "auth"], { cwd });
    expect(stdout).toContain(
      lines("created", ["projects/auth/specs/.gitkeep", "projects/auth/IMPLEMENTATION_PLAN.md"]),
    );
    expect(stdout).toMatch(/\n {2}ralphctl run --project auth {13}plans, .*\n$/);
    const clean = temporaryRepository({ "README.md": "x" });
    for (const name of ["", "..", "a/b", ".x", "a\nb"]) {
      const { code, stderr } = await type(["init", "--project", name], { cwd: clean });
      expect({ code, stderr }).toEqual({
        code: 64,
        stderr: expect.stringMatching(/^error: The project name .*\nhint: Use /),
      });
    }
    expect(git(clean, "status", "--porcelain")).toBe("");
  });

  test("again with --force --yes, when nothing has changed, there is nothing to commit", async () => {
    const cwd = temporaryRepository();
    await type(["init", "--yes"], { cwd });
    const { code, stdout } = await type(["init", "--force", "--yes"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("Everything is already committed\n");
  });

  test("what was not committed the first time is offered again", async () => {
    const cwd = temporaryRepository({ "README.md": "x" });
    await type(["init"], { cwd });
    write(cwd, { "PROMPT_plan.md": "mine" });
    expect((await type(["init", "--yes"], { cwd })).stdout).toContain("Committed as");
    expect(git(cwd, "status", "--porcelain")).toBe("?? PROMPT_plan.md");
  });

  test("W-05 a name in a path is a name, not a pattern", async () => {
    const cwd = temporaryRepository({ "projects/ab/IMPLEMENTATION_PLAN.md": "x" });
    write(cwd, { "projects/ab/IMPLEMENTATION_PLAN.md": "changed" });
    expect((await type(["init", "--project", "a*"], { cwd })).code).toBe(64);
    await type(["init", "--yes"], { cwd });
    expect(git(cwd, "status", "--porcelain")).toBe("M projects/ab/IMPLEMENTATION_PLAN.md");
  });

  test("the variables of another git do not lead it astray", async () => {
    const cwd = temporaryRepository({ "README.md": "x" });
    const other = temporaryRepository({ "README.md": "y" });
    const env = { ...PATH, GIT_DIR: join(other, ".git"), GIT_WORK_TREE: other, GIT_INDEX_FILE: join(other, "index") };
    await type(["init", "--yes"], { cwd, env });
    expect(git(cwd, "log", "--format=%s")).toBe("Set up ralphctl\nBegin");
    expect(git(other, "log", "--format=%s")).toBe("Begin");
  });

  test("a repository whose path has a line break in it", async () => {
    const cwd = join(temporaryFolder(), "a\nb");
    mkdirSync(cwd);
    git(cwd, "init", "--quiet");
    await type(["init"], { cwd });
    expect(existsSync(join(cwd, ".ralph/config.yaml"))).toBe(true);
  });

  test("says which checks will decide, and where there is none", async () => {
    const bare = temporaryRepository({ "README.md": "x" });
    expect((await type(["init"], { cwd: bare })).stdout).toContain("\nNo checks found, and without one nothing can be");
    const cwd = temporaryRepository({ Makefile: "check:\n\ttrue\n" });
    const committed = (await type(["init"], { cwd })).stdout;
    expect(committed).toContain("\nChecks: CI=1 make check\n");
    expect(committed).not.toContain("other gates");
    writeFileSync(join(bare, "Makefile"), "check:\n\ttrue\n");
    expect((await type(["init", "--yes"], { cwd: bare })).stdout).toContain(
      "other gates: CI=1 make check. Runs use the gates of the last commit. To use yours: git add Makefile && git commit\n",
    );
  });

  test("P-16 says the checks of a configuration that names no folder for specs", async () => {
    const config = "specs: { dirs: [] }\ngates: [{ id: test, run: make check }]\n";
    const cwd = temporaryRepository({ ".ralph/config.yaml": config });
    expect((await type(["init"], { cwd })).stdout).toContain("\nChecks: make check\n");
  });

  test("P-16 names the commands of CI that no gate covers, and offers to add them", async () => {
    const files = {
      Makefile: "check:\n\ttrue\n",
      ".github/workflows/ci.yml":
        "on: [push]\njobs: { all: { steps: [{ run: make check }, { run: ./e2e/run.sh }, { run: npm publish }] } }\n",
    };
    const told = await type(["init"], { cwd: temporaryRepository(files) });
    expect(told.stdout).toContain("\nCI also runs, and no gate does: ./e2e/run.sh\n");
    const [cwd, asked] = [temporaryRepository(files), Array.of<string>()];
    const replies = ["claude", "ci", ".ralph/specs", "write"];
    const { stdout } = await type(["init"], { cwd, replies, asked });
    expect(asked[1]).toBe(
      "Which checks prove that work is done? Found here:\n  CI=1 make check\nCI also runs:\n  ./e2e/run.sh",
    );
    expect(stdout).not.toContain("CI also runs");
    const { gates } = parse(readFileSync(join(cwd, ".ralph/config.yaml"), "utf8")) as { gates: unknown };
    expect(gates).toEqual([
      { id: "make-check", run: "CI=1 make check" },
      { id: "e2e-run.sh", run: "./e2e/run.sh" },
    ]);
  });

  test("--yes takes what the conversation would propose: specs that are there stay where they are", async () => {
    const cwd = temporaryRepository({ "specs/login.md": "# Login" });
    await type(["init", "--yes"], { cwd });
    expect(readFileSync(join(cwd, ".ralph/config.yaml"), "utf8")).toMatch(/^ {2}dirs: \["specs"\]$/m);
    const { stdout } = await type(["init"], { cwd });
    expect(stdout).toContain(
      `Workspace ${cwd}\n\n${lines(
        "kept",
        FILES.filter((path) => !path.includes("specs")),
      )}\n`,
    );
  });

  test("a second time makes no folder for specs that are kept elsewhere", async () => {
    const cwd = temporaryRepository({ ".ralph/config.yaml": "specs: { dirs: [wiki] }\n", "wiki/a.md": "# A\n" });
    expect((await type(["init"], { cwd })).code).toBe(0);
    expect(readdirSync(join(cwd, ".ralph")).sort()).toEqual([".gitignore", "config.schema.json", "config.yaml"]);
  });

  test("prefers an agent that is installed", async () => {
    const cwd = temporaryRepository();
    const bin = temporaryFolder({ gemini: "#!/bin/sh\n", codex: "#!/bin/sh\n" });
    for (const name of ["gemini", "codex"]) chmodSync(join(bin, name), 0o755);
    const { stdout } = await type(["init"], { cwd, env: { PATH: `${bin}:${PATH.PATH}` } });
    expect(stdout).toContain("Agents found: codex, gemini\n");
    expect(readFileSync(join(cwd, ".ralph/config.yaml"), "utf8")).toMatch(/^harness: codex$/m);
  });
});

describe("ralphctl init refuses, and writes nothing", () => {
  test("X-78 outside a repository", async () => {
    const { code, stderr } = await type(["init"], { cwd: temporaryFolder() });
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: expect.stringMatching(/^error: .* is not in a git repository\nhint: Run git init first\n$/),
    });
  });

  test("P-30 in a bare repository", async () => {
    const cwd = temporaryFolder();
    git(cwd, "init", "--quiet", "--bare");
    expect(await type(["init"], { cwd })).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("bare repository"),
    });
  });

  test("P-30 in the middle of a merge", async () => {
    const cwd = temporaryRepository({ "a.txt": "1" });
    git(cwd, "checkout", "--quiet", "-b", "side");
    write(cwd, { "a.txt": "2" });
    git(cwd, "commit", "--quiet", "--all", "--message", "Side");
    git(cwd, "checkout", "--quiet", "main");
    write(cwd, { "a.txt": "3" });
    git(cwd, "commit", "--quiet", "--all", "--message", "Main");
    expect(() => git(cwd, "merge", "side")).toThrow();
    expect(await type(["init", "--yes"], { cwd })).toEqual({
      code: 78,
      stdout: "",
      stderr: "error: A merge is in progress\nhint: Finish it first: git merge --continue, or git merge --abort\n",
    });
    expect(existsSync(join(cwd, ".ralph"))).toBe(false);
  });

  test.each([
    ["a folder in place of a file", "PROMPT_plan.md/x", "PROMPT_plan.md"],
    ["a file in place of a folder", ".claude", ".claude"],
    ["a file in place of a deeper folder", ".ralph/specs", ".ralph/specs"],
  ])("%s", async (_name, path, named) => {
    const cwd = temporaryRepository({ [path]: "x" });
    expect(await type(["init", "--force"], { cwd })).toMatchObject({
      code: 78,
      stderr: expect.stringContaining(`error: ${named} is in the way`),
    });
    expect(existsSync(join(cwd, ".ralph/config.yaml"))).toBe(false);
  });

  test("a link that leads nowhere is kept without --force, and not followed with it", async () => {
    const outside = temporaryFolder();
    const cwd = temporaryRepository({ "README.md": "x" });
    symlinkSync(join(outside, "new.md"), join(cwd, "PROMPT_build.md"));
    expect((await type(["init", "--force"], { cwd })).code).toBe(65);
    expect(readdirSync(outside)).toEqual([]);
  });

  test("W-05 where a link leads out of the workspace", async () => {
    const outside = temporaryFolder();
    const cwd = temporaryRepository({ "README.md": "x" });
    symlinkSync(outside, join(cwd, ".claude"));
    const { code, stderr } = await type(["init", "--force"], { cwd });
    expect({ code, stderr }).toMatchObject({
      code: 65,
      stderr: expect.stringContaining("points outside the workspace"),
    });
    expect(lstatSync(join(cwd, ".ralph"), { throwIfNoEntry: false })).toBe(undefined);
  });
});

test("E-06 in a subfolder it says what it took; --here takes this folder, whose later init is about the same", async () => {
  const make = (): { top: string; cwd: string } => {
    const top = temporaryRepository({ "README.md": "x", "packages/a/Makefile": "check:\n\ttrue\n" });
    return { top, cwd: join(top, "packages/a") };
  };
  const whole = make();
  const first = await type(["init"], { cwd: whole.cwd, env: PATH });
  expect(first.stdout.split("\n")[0]).toBe(
    `Workspace ${whole.top}, the whole repository. To set up only packages/a: ralphctl init --here`,
  );
  expect((await type(["init", "--yes"], { cwd: whole.cwd, env: PATH })).stdout.split("\n")[0]).toBe(
    `Workspace ${whole.top}`,
  );
  const { top, cwd } = make();
  const part = await type(["init", "--here", "--yes"], { cwd, env: PATH });
  expect([part.code, part.stdout.split("\n")[0]]).toEqual([0, `Workspace ${cwd}, a part of the repository ${top}`]);
  expect(part.stdout).toContain("Checks: CI=1 make check\n");
  expect(git(top, "ls-files").split("\n")).toEqual(
    ["README.md", ...["Makefile", ...FILES].map((file) => `packages/a/${file}`)].toSorted(),
  );
  expect(existsSync(join(top, ".ralph"))).toBe(false);
  const again = await type(["init", "--yes"], { cwd, env: PATH });
  expect([again.code, again.stdout.split("\n")[0]]).toEqual([0, `Workspace ${cwd}, a part of the repository ${top}`]);
  expect(git(top, "status", "--porcelain")).toBe("");
});
