import { describe, expect, test } from "vitest";
import { type } from "../../test/recording-io.ts";
import { type TaskSession, taskSession } from "../../test/task-session.ts";
import { temporaryRepository, write } from "../../test/temporary-folder.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { TASK_JSON_FIELDS, type TaskJson } from "../domain/task-json.ts";

const newSession = (): TaskSession => taskSession(temporaryRepository({ ".ralph/config.yaml": "" }));

/** A parser, two that use it, and a third that uses both. */
async function diamond(): Promise<TaskSession> {
  const session = newSession();
  await session.add("a", "Write", "the", "parser");
  await session.add("b", "Read numbers", "--needs", "@a", "--priority", "1");
  await session.add("c", "--needs", "@a", "Read names", "--tag", "words", "--tag", "core");
  await session.add("d", "Join both", "--needs", "@b", "--needs", "@c", "-d", "With one more STEP.");
  return session;
}

describe("task list", () => {
  test("an empty plan is said, with what to type; as JSON it is an empty list", async () => {
    const { run } = newSession();
    const nothing = "No tasks yet. Add one: ralphctl task add TITLE\n";
    expect(await run("task", "list")).toEqual({ code: 0, stdout: "", stderr: nothing });
    expect(await run("task")).toEqual({ code: 0, stdout: "", stderr: nothing });
    expect(await run("task", "list", "--json")).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
  });

  test("dag-R5 columns are aligned, ready and blocked are told apart", async () => {
    const { run } = await diamond();
    expect(await run("task", "list")).toEqual({
      code: 0,
      stdout: [
        "t-aaaaaaaa  ready    p2  Write the parser",
        "t-bbbbbbbb  blocked  p1  Read numbers",
        "t-cccccccc  blocked  p2  Read names",
        "t-dddddddd  blocked  p2  Join both",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  test("as JSON every task has every documented field, and no other", async () => {
    const { json } = await diamond();
    const tasks = (await json("task", "list")) as TaskJson[];
    for (const task of tasks) expect(Object.keys(task)).toEqual(Object.keys(TASK_JSON_FIELDS));
    expect(tasks[2]).toEqual({
      id: "t-cccccccc",
      title: "Read names",
      status: "pending",
      standing: null,
      look: [],
      ready: false,
      blocked: true,
      priority: 2,
      parent: null,
      needs: ["t-aaaaaaaa"],
      scope: "workspace",
      source: null,
      isParent: false,
      keepsWork: false,
      description: "",
      acceptance: [],
      tags: ["core", "words"],
      gates: [],
      model: null,
      allowNoChange: false,
      mayChange: [],
      attempts: 0,
      attemptLimit: null,
      retry: false,
      summary: null,
      question: null,
      reason: null,
      lease: null,
      createdAt: "0000-00-00T00:00:00.000Z",
      updatedAt: "0000-00-00T00:00:00.000Z",
      startedAt: null,
      endedAt: null,
    });
  });

  test("filters by state, tag, text, parent and number", async () => {
    const { run, add, json } = await diamond();
    await add("e", "A part", "--parent", "@d");
    const ids = async (...argv: string[]): Promise<string[]> =>
      ((await json("task", "list", ...argv)) as TaskJson[]).map(({ id }) => id.slice(-1));
    expect(await ids("--status", "ready")).toEqual(["a"]);
    expect(await ids("--status", "blocked")).toEqual(["b", "c", "e"]);
    expect(await ids("--status", "pending")).toEqual(["a", "b", "c", "d", "e"]);
    await run("task", "drop", "@a");
    expect(await ids("--status", "dropped", "--status", "ready")).toEqual(["a", "b", "c"]);
    expect(await ids("--tag", "core")).toEqual(["c"]);
    expect(await ids("--text", "step")).toEqual(["d"]);
    expect(await ids("--parent", "@d")).toEqual(["e"]);
    expect(await run("task", "list", "--limit", "2")).toMatchObject({
      stdout: "t-aaaaaaaa  dropped  p2  Write the parser\nt-bbbbbbbb  ready    p1  Read numbers\n",
      stderr: "Showing only the first 2; there are more\n",
    });
    expect(await run("task", "list", "--tag", "none")).toEqual({
      code: 0,
      stdout: "",
      stderr: "No matching tasks. List all: ralphctl task list\n",
    });
  });

  test("W-04 a title or scope cannot steer the terminal; JSON has it as it is", async () => {
    const { run, json, add } = newSession();
    await add("a", "\u001b[31mred\u202e \u009b2J", "-d", "\u001b]0;title\u0007words");
    const { stdout } = await run("task", "list");
    expect(stdout).toBe("t-aaaaaaaa  ready  p2  [31mred\ufffd 2J\n");
    for (const verb of ["show", "tree", "log"]) {
      expect((await run("task", verb, "@a")).stdout).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    }
    for (const flag of ["--dot", "--mermaid"]) {
      expect((await run("task", "graph", flag)).stdout).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    }
    expect(await json("task", "show", "@a")).toMatchObject({ description: "\u001b]0;title\u0007words" });
  });
});

describe("scopes", () => {
  test("tasks of several scopes are shown with theirs; flags show one", async () => {
    const cwd = temporaryRepository({
      ".ralph/config.yaml": "layouts: [specs]\n",
      "projects/auth/specs/a.md": "",
      "specs/changes/014-01_docs/proposal.md": "",
      "sprints/login/PROGRESS.yaml": "goal: x\n",
    });
    const { run, add } = taskSession(cwd);
    await add("a", "Here");
    await add("b", "There", "--project", "auth", "--needs", "@a");
    await add("c", "Docs", "--change", "14-1");
    await add("d", "Sprint", "--sprint", "sprints/login");
    expect((await run("task", "list")).stdout).toBe(
      [
        "t-aaaaaaaa  ready    p2  workspace             Here",
        "t-bbbbbbbb  blocked  p2  project/auth          There",
        "t-cccccccc  ready    p2  change/014-01_docs    Docs",
        "t-dddddddd  ready    p2  sprint/sprints/login  Sprint",
        "",
      ].join("\n"),
    );
    expect((await run("task", "ready")).stdout).toBe(
      [
        "t-aaaaaaaa  ready  p2  workspace             Here",
        "t-cccccccc  ready  p2  change/014-01_docs    Docs",
        "t-dddddddd  ready  p2  sprint/sprints/login  Sprint",
        "",
      ].join("\n"),
    );
    expect((await run("task", "tree")).stdout).toBe((await run("task", "list")).stdout);
    expect((await run("task", "list", "--project", "auth")).stdout).toBe("t-bbbbbbbb  blocked  p2  There\n");
    expect((await run("task", "ready", "--change", "docs")).stdout).toBe("t-cccccccc  ready  p2  Docs\n");
    expect((await run("task", "tree", "--sprint", "sprints/login")).stdout).toBe("t-dddddddd  ready  p2  Sprint\n");
    expect((await run("task", "graph", "--project", "auth")).stdout).toBe(
      "t-aaaaaaaa  ready  workspace  Here\n└─ t-bbbbbbbb  blocked  project/auth  There\n",
    );
  });

  test("a broken configuration matters only where it has a say", async () => {
    const cwd = temporaryRepository({ ".ralph/config.yaml": "nonsense: [", "projects/a/x": "" });
    const { run, add } = taskSession(cwd);
    await add("a", "Here", "--project", "a");
    expect(await run("task", "ready", "--project", "a")).toMatchObject({ code: 0 });
    expect(await run("task", "ready", "--change", "a")).toMatchObject({ code: 78 });
    write(cwd, { "other.yaml": "also: [" });
    expect(await run("task", "ready", "--config", "other.yaml")).toMatchObject({ code: 78 });
  });
});

describe("task ready", () => {
  test("dag-R5 lower priority first, then age", async () => {
    const { run, add, json } = await diamond();
    await add("e", "Urgent", "--priority", "-1");
    expect((await run("task", "ready")).stdout).toBe(
      "t-eeeeeeee  ready  p-1  Urgent\nt-aaaaaaaa  ready  p2   Write the parser\n",
    );
    await run("task", "done", "@a");
    expect(((await json("task", "ready")) as TaskJson[]).map(({ title }) => title)).toEqual([
      "Urgent",
      "Read numbers",
      "Read names",
    ]);
  });

  test("says so when none is, and when there are more than are shown", async () => {
    const { run, add } = newSession();
    expect(await run("task", "ready")).toEqual({
      code: 0,
      stdout: "",
      stderr: "No tasks are ready. See why: ralphctl task list, ralphctl doctor\n",
    });
    await add("a", "One");
    await add("b", "Two");
    expect(await run("task", "ready", "--limit", "1")).toEqual({
      code: 0,
      stdout: "t-aaaaaaaa  ready  p2  One\n",
      stderr: "Showing only the first 1; there are more. Show more: --limit 10\n",
    });
  });
});

describe("task tree", () => {
  test("dag-R3 parts stand beneath their parents, whose state is theirs", async () => {
    const { run, add, json } = newSession();
    await add("a", "Book");
    await add("b", "Chapter", "--parent", "@a");
    await add("c", "Page", "--parent", "@b");
    await add("d", "Other book");
    await run("task", "done", "@c");
    expect((await run("task", "tree")).stdout).toBe(
      [
        "t-aaaaaaaa  done                p2  Book",
        "t-bbbbbbbb  done                p2    Chapter",
        "t-cccccccc  done, by your word  p2      Page",
        "t-dddddddd  ready               p2  Other book",
        "",
      ].join("\n"),
    );
    expect((await run("task", "tree", "@c")).stdout).toBe("t-cccccccc  done, by your word  p2  Page\n");
    const entries = (await json("task", "tree", "@b")) as { id: string; depth: number }[];
    expect(entries.map(({ id, depth }) => [id, depth])).toEqual([
      ["t-bbbbbbbb", 0],
      ["t-cccccccc", 1],
    ]);
  });
});

describe("what an agent did", () => {
  test("dag-R7 attempts are shown with their outcome; a tree deeper than a screen keeps its left margin", async () => {
    const cwd = temporaryRepository({ ".ralph/config.yaml": "" });
    const { run, add, json } = taskSession(cwd);
    await add("a", "Tried");
    const store = await openSqliteStore({ path: `${cwd}/.ralph/ralph.db` });
    const owner = { host: "elsewhere", pid: 7, startTime: "1" };
    const claim = await store.claim({ owner, leaseMs: 60_000, run: "r1", iteration: 2 });
    const held = (await run("task", "show", "@a")).stdout;
    await store.settle(claim!.lease, {
      outcome: "rejected",
      to: "pending",
      counted: true,
      reason: "red\u001b[1m tests",
    });
    const deep = Array.from({ length: 23 }, (_, index) => ({
      id: `d${index}`,
      scope: "workspace",
      title: `Level ${index + 1}`,
      ...(index > 0 && { parent: `d${index - 1}` }),
    }));
    await store.add(deep);
    await store.close();
    expect(held).toContain("held by   process 7 on elsewhere until 0000-00-00 00:00:00Z\n");
    const { stdout } = await run("task", "show", "@a");
    expect(stdout).toContain("attempts  1\n");
    expect(stdout).toContain("\nAttempts\n  #1  0000-00-00 00:00:00Z  rejected  counted  red tests\n");
    expect(await json("task", "show", "@a")).toMatchObject({
      attempts: 1,
      lease: null,
      attemptLog: [{ fence: 1, run: "r1", iteration: 2, owner, outcome: "rejected", counted: true, costUsd: null }],
    });
    const lines = (await run("task", "tree", "d0")).stdout.split("\n");
    expect(lines.slice(19, 23).map((line) => line.trim().slice(-60))).toEqual([
      expect.stringMatching(/ {38}Level 20$/),
      expect.stringMatching(/ {40}Level 21$/),
      expect.stringMatching(/ {40}\(level 22\) Level 22$/),
      expect.stringMatching(/ {40}\(level 23\) Level 23$/),
    ]);
  });
});

describe("task graph", () => {
  test("E-07 is whole in a pipe, and at a terminal as long as a person reads", async () => {
    const cwd = temporaryRepository({ ".ralph/config.yaml": "" });
    const lines = Array.from({ length: 600 }, (_, index) =>
      JSON.stringify({ id: `t-${index}`, title: `Task ${index}` }),
    );
    write(cwd, { "tasks.jsonl": `${lines.join("\n")}\n` });
    expect((await type(["task", "import", "tasks.jsonl"], { cwd })).code).toBe(0);
    const piped = await type(["task", "graph"], { cwd });
    expect([piped.stdout.split("\n").length - 1, piped.stderr]).toEqual([600, ""]);
    const shown = await type(["task", "graph"], { cwd, answer: true });
    expect([shown.stdout.split("\n").length - 1, shown.stderr]).toEqual([
      500,
      "100 more lines. Print the whole graph: ralphctl task graph --dot\n",
    ]);
  });

  test("branches from what is needed to what needs it, and refers to what was printed", async () => {
    const { run } = await diamond();
    expect((await run("task", "graph")).stdout).toBe(
      [
        "t-aaaaaaaa  ready  Write the parser",
        "├─ t-bbbbbbbb  blocked  Read numbers",
        "│  └─ t-dddddddd  blocked  Join both",
        "└─ t-cccccccc  blocked  Read names",
        "   └─ t-dddddddd  (see above)",
        "",
      ].join("\n"),
    );
  });

  test("--json has tasks and edges", async () => {
    const { json, run, add } = newSession();
    await add("a", "One");
    await add("c", "Three", "--needs", "@a");
    expect(await json("task", "graph")).toEqual({
      tasks: [
        { id: "t-aaaaaaaa", title: "One", state: "ready", scope: "workspace", parent: null },
        { id: "t-cccccccc", title: "Three", state: "blocked", scope: "workspace", parent: null },
      ],
      edges: [{ from: "t-aaaaaaaa", to: "t-cccccccc" }],
    });
    expect(await run("task", "graph", "--json", "--dot")).toEqual({
      code: 64,
      stdout: "",
      stderr: "error: --dot and --json cannot be used together\nhint: Leave out --json\n",
    });
  });
});
