import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Session, type, typed } from "../../test/recording-io.ts";
import { git, homeOf, temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";

const WRITES = "Write these lines?";
const FAILS = "These gates pass in your working tree and fail in a fresh checkout: make-test. ";

/** A repository whose `make test` is this command, with ignored files. */
function repository(command: string, ignored: Readonly<Record<string, string>> = {}): string {
  const rules = Object.keys(ignored).map((path) => `/${path}\n`);
  const cwd = temporaryRepository({ ".gitignore": rules.join(""), Makefile: `test:\n\t${command}\n` });
  write(cwd, ignored);
  return cwd;
}

/** A person types `ralphctl init`, says yes to the trial, and replies to the other questions. */
async function talk(cwd: string, replies: NonNullable<Session["replies"]>, answer = true) {
  const asked: string[] = [];
  const env = { PATH: process.env["PATH"]!, ...homeOf(cwd) };
  const said = await type(["init"], {
    cwd,
    env,
    answer,
    replies: ["claude", "auto", ".ralph/specs", ...replies],
    asked,
  });
  return { ...said, asked };
}

const read = (cwd: string, path: string): string => readFileSync(join(cwd, path), "utf8");
const changed = (cwd: string): string => git(cwd, "status", "--porcelain");

describe("T-02 init tries the gates in a fresh checkout", () => {
  test("a file that git ignores is found, tried, offered, written and committed", async () => {
    const cwd = repository("cat .env", { ".env": "A=1\n", "notes.log": "x" });
    const { code, stdout, stderr, asked } = await talk(cwd, ["commit", "commit"]);
    expect({ code, last: asked.at(-1) }).toEqual({ code: 0, last: WRITES });
    expect(stdout).toContain(
      `${FAILS}Git ignores these files, so a fresh checkout has none: .env, notes.log\n` +
        "With these lines they pass there:\n  .worktreeinclude  .env\nWrote .worktreeinclude, committed as ",
    );
    expect(stderr).toContain("make-test  CI=1 make test\n");
    expect(read(cwd, ".worktreeinclude")).toBe(".env\n");
    expect([git(cwd, "log", "-1", "--format=%s"), changed(cwd)]).toEqual(["Let gates run in a fresh checkout", ""]);
    expect((await typed(["verify", "--clean"], { cwd })).code).toBe(0);
  });

  test("a command that prepares a checkout is found, tried and written into the configuration", async () => {
    const cwd = temporaryRepository({
      ".gitignore": "/lib/\n",
      Makefile: "test:\n\tcat lib/it\ndeps:\n\tmkdir -p lib && echo it >lib/it\n",
    });
    write(cwd, { "lib/it": "it", ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`lib/${at}`, "x"])) });
    const { stdout, stderr } = await talk(cwd, ["write", "write"]);
    expect(stderr).toContain('Trying again with lanes: { setup: "make deps" }\nSetting up the room: make deps\n');
    expect(stdout).toContain('  .ralph/config.yaml  lanes: { setup: "make deps" }\nWrote .ralph/config.yaml\n');
    expect(read(cwd, ".ralph/config.yaml")).toMatch(/\nlanes:\n {2}setup: "make deps"\n$/);
    expect(existsSync(join(cwd, ".worktreeinclude"))).toBe(false);
    expect((await typed(["verify"], { cwd })).code).toBe(0);
  });

  test("lines that do not help are not offered; the last resort is, and needs more than Enter", async () => {
    const cwd = repository("test -d .git/of-mine && cat .env", { ".env": "A=1\n" });
    write(cwd, { ".git/of-mine/x": "" });
    const offered: string[][] = [];
    const choice = (options: readonly string[]) => {
      offered.push([...options]);
      return offered.length >= 3 ? "write" : options[0];
    };
    const env = { PATH: process.env["PATH"]!, ...homeOf(cwd) };
    const { stdout } = await type(["init", "--try"], { cwd, env, choice, replies: [".ralph/specs"] });
    expect(offered.at(-1)).toEqual(["no", "write"]);
    expect(stdout).toContain(
      "Tried, and not enough: .env\n" +
        "As a last resort, agents and gates can work in your own tree, which proves less:\n" +
        "  .ralph/config.yaml  lanes: { inPlace: true }\n" +
        '  .ralph/config.yaml  verify: { in: "tree" }\nWrote .ralph/config.yaml\n',
    );
    expect(existsSync(join(cwd, ".worktreeinclude"))).toBe(false);
    expect((await typed(["verify"], { cwd })).code).toBe(0);
  });

  test.each([
    ["green", "true", "The gates pass in a fresh checkout\n"],
    [
      "red here too",
      "false",
      "These gates fail here and in a fresh checkout: make-test. Tasks will need them to pass\n",
    ],
  ])("gates that are %s need no line", async (_name, command, said) => {
    const cwd = repository(command);
    const { stdout, asked } = await talk(cwd, ["write"]);
    expect(stdout).toContain(said);
    expect(asked.at(-1)).toContain("Write these files?");
  });

  test("uncommitted files are no difference, and nothing of a trial stays in the tree", async () => {
    const cwd = repository("cat new.txt && echo x >ignored.out && exit $$(test -e .env; echo $$?)", {
      ".env": "",
      "ignored.out": "",
    });
    write(cwd, { "new.txt": "new" });
    const { stdout } = await talk(cwd, ["commit", "no"]);
    expect(stdout).toContain(`  .worktreeinclude  .env\n`);
    expect([changed(cwd), existsSync(join(cwd, ".worktreeinclude"))]).toEqual(["?? new.txt", false]);
  });

  test("files that a gate changes in the tree are named", async () => {
    const cwd = repository("echo x >made.txt; test -e .env", { ".env": "" });
    expect((await talk(cwd, ["write", "no"])).stdout).toContain(
      "The gates changed files in your working tree: made.txt\n",
    );
  });

  test("a no means no; without a terminal and with --yes nothing runs unless --try says so", async () => {
    const command = 'echo ran >>"$$RAN"; test -e .env';
    const ran = join(temporaryFolder(), "ran");
    const cwd = repository(command, { ".env": "" });
    const env = { PATH: process.env["PATH"]!, ...homeOf(cwd), RAN: ran };
    await type(["init"], { cwd, env, answer: false, replies: ["claude", "auto", ".ralph/specs", "write"] });
    await type(["init", "--force"], { cwd, env });
    await type(["init", "--yes"], { cwd, env, answer: true, replies: [] });
    expect(existsSync(ran)).toBe(false);
    const { code, stdout } = await type(["init", "--yes", "--try"], { cwd, env, answer: true, replies: [] });
    expect([code, changed(cwd), existsSync(join(cwd, ".worktreeinclude"))]).toEqual([0, "", false]);
    expect(stdout).toContain("With these lines they pass there:\n  .worktreeinclude  .env\n");
    expect(readFileSync(ran, "utf8")).toBe("ran\n".repeat(3));
  });

  test("a repository without a commit is tried after the first one", async () => {
    const cwd = temporaryFolder({ Makefile: "test:\n\tcat Makefile\n" });
    git(cwd, "init", "--quiet", "--initial-branch=main");
    expect((await typed(["init", "--try"], { cwd })).stdout).toContain(
      "The gates are not tried: there is no commit yet. After the first, ralphctl doctor --probe tries them\n",
    );
    expect((await typed(["init", "--yes", "--try"], { cwd })).stdout).toContain("The gates pass in a fresh checkout\n");
    expect(changed(cwd)).toBe("?? Makefile");
  });

  test("set-up that fails is told with its command", async () => {
    const cwd = repository("cat .env", { ".env": "" });
    write(cwd, { ".ralph/config.yaml": "lanes: { setup: 'echo no >&2; exit 3' }\n" });
    const { stdout } = await typed(["init", "--try"], { cwd });
    expect(stdout).toContain(
      "Set-up fails in a fresh checkout: echo no >&2; exit 3. These gates pass in your working tree: make-test",
    );
  });

  test("a trial that somebody stops ends with 130", async () => {
    const cwd = repository("true");
    const stop = AbortSignal.abort();
    const env = { PATH: process.env["PATH"]!, ...homeOf(cwd) };
    const interrupts = { stop, kill: new AbortController().signal };
    const { code, stdout } = await type(["init", "--try"], { cwd, env, interrupts });
    expect([code, stdout.includes("Stopped\n")]).toEqual([130, true]);
  });
});
