import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRaw } from "../../test/raw-database.ts";
import { type } from "../../test/recording-io.ts";
import { taskSession } from "../../test/task-session.ts";
import { temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { treeMarker } from "../system/process/marker.ts";

const CONFIG = `harness: command
harnesses: { command: { run: "cat >/dev/null; echo ok" } }
gates: [{ id: good, run: "true" }, { id: bad, run: "echo no; exit 3" }]
`;

const PROMPTS = { "PROMPT_plan.md": "Plan.\n", "PROMPT_build.md": "Build.\n" };

const workspace = (config = CONFIG): string => temporaryRepository({ ".ralph/config.yaml": config, ...PROMPTS });

/** What is the same on every machine: versions and sizes are nought. */
const unversioned = (text: string): string =>
  text
    .replace(/Node [\d.]+/, "Node 0")
    .replace(/SQLite [\d.]+ \(\S+\)/, "SQLite 0")
    .replace(/git [\d.]+,/, "git 0,")
    .replace(/\d+[GM]B free/, "0GB free")
    // Which sandboxes there are differs, too.
    .replaceAll(/^\w+ +(?:The sandbox \w+|Sessions (?:and gates )?(?:have|can)) .*\n(?: {9}.*\n)?/gm, "");

const MACHINE = `ok       Node 0
ok       SQLite 0
ok       git 0, and a usable repository
ok       0GB free on the disk
`;
const CONFIGURED = (cwd: string): string => `ok       The configuration of ${cwd} is valid\n`;
const READY = `ok       The prompts are valid
ok       Gates: good, bad
ok       The harness command can be started
ok       No active run, no stray processes
`;

/** Changes the database behind the program's back. */
async function tamper(cwd: string, sql: string): Promise<void> {
  const db = await openRaw(`${cwd}/.ralph/ralph.db`);
  db.exec(sql);
  db.close();
}

const SOUND = "ok       Task counters are consistent\n";
const NO_LEASE = "ok       No task is claimed by a dead process\n";
const NOT_STUCK = "ok       Every task can become ready\n";

describe("doctor", () => {
  test("W-06 a workspace without tasks is sound, and no file is made", async () => {
    const cwd = workspace();
    const { code, stdout, stderr } = await taskSession(cwd).run("doctor");
    expect({ code, stdout: unversioned(stdout), stderr }).toEqual({
      code: 0,
      stdout: `${MACHINE}${CONFIGURED(cwd)}ok       The task database ${cwd}/.ralph/ralph.db is intact (0 tasks)\n${SOUND}${NO_LEASE}${NOT_STUCK}${READY}`,
      stderr: "",
    });
    expect(readdirSync(`${cwd}/.ralph`)).toEqual(["config.yaml"]);
  });

  test("tasks that can never become ready are named with what holds them, once for each", async () => {
    const cwd = workspace();
    const { run, add, json } = taskSession(cwd);
    await add("a", "Parked");
    await add("b", "Failed");
    await add("c", "Waits", "--needs", "@a");
    await add("d", "Waits for that", "--needs", "@c");
    await add("e", "Waits", "--needs", "@b");
    await run("task", "park", "@a", "Which?");
    await run("task", "fail", "@b", "--reason", "x");
    const { code, stdout, stderr } = await run("doctor");
    expect({ code, stdout: unversioned(stdout), stderr }).toEqual({
      code: 0,
      stdout: [
        `${MACHINE}${CONFIGURED(cwd)}ok       The task database ${cwd}/.ralph/ralph.db is intact (5 tasks)\n${SOUND}${NO_LEASE}`,
        "warning  t-cccccccc waits for t-aaaaaaaa, which is parked until its question is answered; 1 more wait for it\n",
        "         Answer it: ralphctl task answer t-aaaaaaaa TEXT\n",
        "warning  t-eeeeeeee waits for t-bbbbbbbb, which failed and has no attempts left\n",
        "         Retry it: ralphctl task reset t-bbbbbbbb\n",
        READY,
      ].join(""),
      stderr: "",
    });
    await run("task", "answer", "@a", "This");
    await run("task", "reset", "@b");
    const findings = (await json("doctor")) as { check: string }[];
    expect([...new Set(findings.map(({ check }) => check))].join(" ")).toBe(
      "node sqlite git disk configuration database counters leases stuck prompts gates harness sandbox processes",
    );
    expect(findings.filter(({ check }) => ["database", "counters", "leases", "stuck"].includes(check))).toEqual([
      {
        level: "ok",
        check: "database",
        message: `The task database ${cwd}/.ralph/ralph.db is intact (5 tasks)`,
        fix: null,
      },
      { level: "ok", check: "counters", message: SOUND.slice(9, -1), fix: null },
      { level: "ok", check: "leases", message: NO_LEASE.slice(9, -1), fix: null },
      { level: "ok", check: "stuck", message: NOT_STUCK.slice(9, -1), fix: null },
    ]);
  });

  test("a lease of a dead process is named, and reset frees it", async () => {
    const cwd = workspace();
    const { run, add } = taskSession(cwd);
    await add("a", "Held");
    const store = await openSqliteStore({ path: `${cwd}/.ralph/ralph.db` });
    await store.claim({ owner: { host: hostname(), pid: 4_194_304, startTime: "1" }, leaseMs: 3_600_000 });
    await store.close();
    const { code, stdout } = await run("doctor");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(
        `warning  t-aaaaaaaa is held by process 4194304 on ${hostname()}, which is gone; the next run takes it up\n         Free it now: ralphctl task reset t-aaaaaaaa\n`,
      ),
    });
    const next = "\nNext:\n  ralphctl run  go on with what the last run left\n";
    expect((await run("status")).stdout).toContain(next);
    await run("task", "reset", "@a");
    expect((await run("doctor")).stdout).toContain(NO_LEASE);
  });

  test("a counter that was meddled with is a problem: 1", async () => {
    const cwd = workspace();
    const { run, add } = taskSession(cwd);
    await add("a", "One");
    await tamper(cwd, "UPDATE task SET open_blockers = 2");
    const { code, stdout } = await run("doctor");
    expect(code).toBe(1);
    expect(stdout).toContain(
      `problem  t-aaaaaaaa counts 2 open blockers and should count 0\nproblem  t-aaaaaaaa is ready, but it is not queued\n         Run ralphctl task export > tasks.jsonl && mv ${cwd}/.ralph/ralph.db ${cwd}/.ralph/ralph.db.damaged && ralphctl task import tasks.jsonl\n`,
    );
  });

  test("a file that is no database is a problem, not a crash", async () => {
    const cwd = workspace();
    writeFileSync(`${cwd}/.ralph/ralph.db`, "no database at all, but long enough to be looked at. ".repeat(100));
    const { code, stdout } = await taskSession(cwd).run("doctor");
    expect({ code, stdout: unversioned(stdout) }).toEqual({
      code: 1,
      stdout: `${MACHINE}${CONFIGURED(cwd)}problem  The task database \`${cwd}/.ralph/ralph.db\` is not a database\n         Run mv ${cwd}/.ralph/ralph.db ${cwd}/.ralph/ralph.db.damaged: there is no copy, so all tasks are lost\n${READY}`,
    });
    expect(await taskSession(cwd).run("task", "list")).toMatchObject({ code: 74, stdout: "" });
  });

  test("W-03 a damaged file is repaired by following the advice", async () => {
    const cwd = workspace();
    const { run, add } = taskSession(cwd);
    await add("a", "One");
    const file = `${cwd}/.ralph/ralph.db`;
    writeFileSync(file, "overwritten by something else altogether, and quite long. ".repeat(200));
    const advice = `Run mv ${file} ${file}.damaged: the next command then restores ${cwd}/.git/ralph/copy.db`;
    expect(await run("doctor")).toMatchObject({ code: 1, stdout: expect.stringContaining(advice) });
    renameSync(file, `${file}.damaged`);
    expect((await run("task", "list")).stdout).toBe("t-aaaaaaaa  ready  p2  One\n");
  });

  test("no workspace is a problem, and no repository is another", async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await taskSession(cwd).run("doctor");
    expect({ code, stdout: unversioned(stdout) }).toEqual({
      code: 1,
      stdout: `ok       Node 0
ok       SQLite 0
problem  ${cwd} is not in a git repository
         Run git init first
ok       0GB free on the disk
problem  No workspace here: no .ralph/ in ${cwd} or above it
         Run ralphctl init
`,
    });
  });

  test("a configuration that cannot be read is a problem, and the tasks are looked at all the same", async () => {
    const cwd = workspace("gates: [");
    const { code, stdout } = await taskSession(cwd).run("doctor");
    expect(code).toBe(1);
    expect(stdout).toContain(
      "problem  The indentation or a closing bracket is wrong (.ralph/config.yaml, line 1, column 9)",
    );
    expect(stdout).toContain(NOT_STUCK);
  });

  test("a prompt that cannot be made is a problem", async () => {
    const cwd = temporaryRepository({ ".ralph/config.yaml": CONFIG, ...PROMPTS, "PROMPT_build.md": "" });
    const { code, stdout } = await taskSession(cwd).run("doctor");
    expect([code, stdout.split("\n").find((line) => line.startsWith("problem"))]).toEqual([
      1,
      expect.stringContaining("PROMPT_build.md"),
    ]);
  });

  test("with --probe each gate is run and each agent is asked, and nothing of it stays", async () => {
    const cwd = workspace();
    const { run } = taskSession(cwd);
    const { code, stdout, stderr } = await run("doctor", "--probe");
    expect({ code, stdout: unversioned(stdout).split("\n").slice(9) }).toEqual({
      code: 0,
      stdout: [
        "ok       The prompts are valid",
        "ok       The gate good passes",
        "warning  The gate bad fails",
        "         Run echo no; exit 3",
        "ok       The harness command can be started",
        "ok       The harness command answered a test prompt",
        "ok       No active run, no stray processes",
        "",
      ],
    });
    expect(stderr).toContain("These commands will run in");
    expect(readdirSync(`${cwd}/.ralph`)).toEqual(["config.yaml"]);
  });

  test("T-02 L-21 with --probe, gates that need an ignored file are a problem, with the line to write", async () => {
    const cwd = workspace(CONFIG.replace(/gates:.*/, "gates: [{ id: env, run: cat .env }, { id: good, run: 'true' }]"));
    write(cwd, { ".git/info/exclude": ".env\n", ".env": "A=1\n" });
    const { run } = taskSession(cwd);
    expect(await run("doctor", "--probe")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        "ok       The gate good passes\n" +
          "problem  These gates pass in your working tree and fail in a fresh checkout: env. " +
          "Git ignores these files, so a fresh checkout has none: .env\n         Add to .worktreeinclude: .env\n",
      ),
    });
    write(cwd, { ".worktreeinclude": ".env\n" });
    expect(await run("doctor", "--probe")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("ok       The gate env passes\n"),
    });
  });

  test("L-04 lines of .worktreeinclude that name nothing are warned of", async () => {
    const cwd = workspace();
    write(cwd, {
      ".git/info/exclude": ".env\nkeys/\n",
      ".env": "A=1\n",
      "app/.env": "A=1\n",
      "keys/a/b": "k",
      ".worktreeinclude": "# mine\n.env\n/keys/\n/a/b\nREADME.md\n*.none\n!x\n\ngone/.env\nb\n/b\n",
    });
    expect((await taskSession(cwd).run("doctor")).stdout).toContain(
      "warning  .worktreeinclude names files that are not there, or that git does not ignore: /a/b, README.md, gone/.env, /b\n",
    );
  });

  test("L-02 a folder of lanes that cannot be written, and a git that is too old, are problems", async () => {
    const cwd = workspace(CONFIG);
    const closed = { PATH: process.env["PATH"]!, RALPHCTL_LANES_FOLDER: "/proc/1" };
    expect(await type(["doctor"], { cwd, env: closed })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("problem  Lanes cannot be made in /proc/1: it is not writable\n"),
    });
    const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    const bin = temporaryFolder({
      git: `#!/bin/sh\ncase "$*" in *version) echo "git version 2.30.1"; exit;; esac\nexec ${real} "$@"\n`,
    });
    chmodSync(join(bin, "git"), 0o755);
    const { code, stdout } = await type(["doctor"], { cwd, env: { PATH: `${bin}:${process.env["PATH"]!}` } });
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining("problem  Lanes need git 2.38 or newer, and this is git version 2.30.1\n"),
    ]);
  });

  test("P-40 what a killed run has left running is named, with the command that ends it", async () => {
    const cwd = workspace();
    const dead = { host: hostname(), pid: 1, startTime: "never", run: "r-dead", scope: "s", since: "then", left: [] };
    write(cwd, { ".git/ralph/run.json": JSON.stringify(dead) });
    const child = spawn("sleep", ["600"], {
      env: { ...process.env, RALPHCTL_MARKER: treeMarker("r-dead", join(cwd, ".git")).value },
      stdio: "ignore",
    });
    try {
      const { run } = taskSession(cwd);
      expect((await run("doctor")).stdout).toContain(
        `warning  Run r-dead was killed, and left processes running: ${child.pid}\n         Run ralphctl stop to end them\n`,
      );
      expect((await run("stop")).code).toBe(0);
      expect((await run("doctor")).stdout).toContain("ok       Run r-dead was killed, and left no stray processes\n");
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("P-16 a program that gates need and that is missing is a problem, with how to get it; so is no node_modules", async () => {
    const cwd = workspace(CONFIG.replace(/gates:.*/, "gates: auto"));
    write(cwd, { "package.json": '{ "scripts": { "test": "bun test" } }', "bun.lock": "" });
    const bin = temporaryFolder();
    for (const name of ["git", "sh"])
      symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
    const doctor = async (): Promise<readonly [number, string[]]> => {
      const { code, stdout } = await type(["doctor"], { cwd, env: { PATH: bin } });
      const lines = unversioned(stdout).split("\n");
      return [
        code,
        lines.filter((line, at) => /^(?:problem|warning) /.test(line) || /^(?:problem|warning) /.test(lines[at - 1]!)),
      ];
    };
    expect(await doctor()).toEqual([
      1,
      [
        "problem  Set-up or gates need the program bun, which is not on the PATH",
        "         Run npm install --global bun",
      ],
    ]);
    symlinkSync("/bin/true", join(bin, "bun"));
    expect(await doctor()).toEqual([
      0,
      [
        "warning  node_modules is missing, so gates fail in your working tree",
        "         Run bun install --frozen-lockfile, if you run gates there",
      ],
    ]);
    mkdirSync(join(cwd, "node_modules"));
    expect(await doctor()).toEqual([0, []]);
  });

  test("a workspace without a gate is warned", async () => {
    const { code, stdout } = await taskSession(workspace(CONFIG.replace(/gates:.*/, "gates: []"))).run("doctor");
    expect([code, stdout.split("\n").find((line) => line.startsWith("warning"))]).toEqual([
      0,
      "warning  No gates (the configured list is empty): completed tasks stay unverified",
    ]);
  });
});
