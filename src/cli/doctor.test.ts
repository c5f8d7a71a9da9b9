import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { taskSession } from "../../test/task-session.ts";
import { temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { loadSqlite } from "../system/sqlite-driver.ts";

const workspace = (): string => temporaryRepository({ ".ralph/config.yaml": "" });

/** Changes the database behind the program's back. */
async function tamper(cwd: string, sql: string): Promise<void> {
  const db = (await loadSqlite()).open(`${cwd}/.ralph/ralph.db`);
  db.exec(sql);
  db.close();
}

const SOUND = "ok       What is counted and derived agrees with the slow query\n";
const NO_LEASE = "ok       No task is held by a process that is gone\n";
const NOT_STUCK = "ok       Every task can become ready\n";

describe("doctor", () => {
  test("W-06 a workspace without tasks is sound, and no file is made", async () => {
    const cwd = workspace();
    expect(await taskSession(cwd).run("doctor")).toEqual({
      code: 0,
      stdout: `ok       The task database ${cwd}/.ralph/ralph.db is sound (0 tasks)\n${SOUND}${NO_LEASE}${NOT_STUCK}`,
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
    expect(await run("doctor")).toEqual({
      code: 0,
      stdout: [
        `ok       The task database ${cwd}/.ralph/ralph.db is sound (5 tasks)\n${SOUND}${NO_LEASE}`,
        "warning  t-cccccccc waits for t-aaaaaaaa, which is parked until its question is answered; 1 more wait for it\n",
        "         Answer it: ralphctl task answer t-aaaaaaaa TEXT\n",
        "warning  t-eeeeeeee waits for t-bbbbbbbb, which failed and has no attempts left\n",
        "         Give it another chance: ralphctl task reset t-bbbbbbbb\n",
      ].join(""),
      stderr: "",
    });
    await run("task", "answer", "@a", "This");
    await run("task", "reset", "@b");
    expect(await json("doctor")).toEqual([
      {
        level: "ok",
        check: "database",
        message: `The task database ${cwd}/.ralph/ralph.db is sound (5 tasks)`,
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
    expect(stdout).toContain("problem  t-aaaaaaaa counts 2 open blockers and should count 0\n");
    expect(stdout).toContain(
      `Save the tasks with ralphctl task export, move ${cwd}/.ralph/ralph.db away, and import them`,
    );
  });

  test("a file that is no database is a problem, not a crash", async () => {
    const cwd = workspace();
    writeFileSync(`${cwd}/.ralph/ralph.db`, "no database at all, but long enough to be looked at. ".repeat(100));
    expect(await taskSession(cwd).run("doctor")).toEqual({
      code: 1,
      stdout: `problem  The task database \`${cwd}/.ralph/ralph.db\` is not a database\n         Move ${cwd}/.ralph/ralph.db away; there is no copy\n`,
      stderr: "",
    });
    expect(await taskSession(cwd).run("task", "list")).toMatchObject({ code: 74, stdout: "" });
  });

  test("W-03 a damaged file is mended by following the advice", async () => {
    const cwd = workspace();
    const { run, add } = taskSession(cwd);
    await add("a", "One");
    const file = `${cwd}/.ralph/ralph.db`;
    writeFileSync(file, "overwritten by something else altogether, and quite long. ".repeat(200));
    const advice = `Move ${file} away: the next command then restores ${cwd}/.git/ralph/copy.db`;
    expect(await run("doctor")).toMatchObject({ code: 1, stdout: expect.stringContaining(advice) });
    renameSync(file, `${file}.damaged`);
    expect((await run("task", "list")).stdout).toBe("t-aaaaaaaa  ready  p2  One\n");
  });

  test("no workspace is a problem", async () => {
    const cwd = temporaryFolder();
    expect(await taskSession(cwd).run("doctor")).toEqual({
      code: 1,
      stdout: `problem  There is no workspace here: no .ralph/ in ${cwd} or above it\n         Run ralphctl init\n`,
      stderr: "",
    });
  });
});
