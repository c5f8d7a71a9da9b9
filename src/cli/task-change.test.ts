import { describe, expect, test } from "vitest";
import { type TaskSession, taskSession } from "../../test/task-session.ts";
import { temporaryRepository } from "../../test/temporary-folder.ts";

const newSession = (): TaskSession => taskSession(temporaryRepository({ ".ralph/config.yaml": "" }));

const UNPROVEN = "is done by your word: there is no gate";

async function withTasks(...names: readonly string[]): Promise<TaskSession> {
  const session = newSession();
  for (const name of names) await session.add(name, `Task ${name}`);
  return session;
}

describe("task add and show", () => {
  test("everything that is said about a task is shown", async () => {
    const { run, add, json } = await withTasks("p", "n");
    await add(
      "a",
      "All of it",
      "--parent",
      "@p",
      "--needs",
      "@n",
      "--priority",
      "7",
      "-d",
      "First line\n\n\u001b[1mthird",
      "--tag",
      "x",
      "--acceptance",
      "tests pass",
      "--acceptance",
      "docs say so",
      "--gate",
      "unit=npm test -- --run a=b",
      "--model",
      "opus",
      "--attempts",
      "5",
      "--allow-no-change",
      "--may-change",
      "scripts/**",
      "--may-change",
      "package.json",
    );
    await add("z", "Later", "--needs", "@a");
    await run("task", "log", "@a", "--add", "Mind the gap");
    await run("task", "park", "@a", "Which", "one?");
    expect((await run("task", "show", "@a")).stdout).toMatchInlineSnapshot(`
      "t-aaaaaaaa  All of it

      status      parked
      scope       workspace
      priority    7
      attempts    0 of 5
      tags        x
      gate        unit: npm test -- --run a=b
      model       opus
      no change   allowed
      may change  package.json, scripts/**
      parent      t-pppppppp  pending  Task p
      needs       t-nnnnnnnn  ready  Task n
      needed by   t-zzzzzzzz  blocked  Later
      created     0000-00-00 00:00:00Z
      changed     0000-00-00 00:00:00Z

      Question
        Which one?

      Description
        First line

        third

      Acceptance
        - tests pass
        - docs say so

      Log
        0000-00-00 00:00:00Z  person  note  Mind the gap
        0000-00-00 00:00:00Z  person  park  Which one?
      "
    `);
    expect(await json("task", "show", "@a")).toMatchObject({
      id: "t-aaaaaaaa",
      parent: "t-pppppppp",
      needs: ["t-nnnnnnnn"],
      gates: [{ id: "unit", run: "npm test -- --run a=b", timeoutMs: null, retries: 0 }],
      attempts: 0,
      dependents: ["t-zzzzzzzz"],
      attemptLog: [],
      log: [
        { at: "0000-00-00T00:00:00.000Z", by: "person", kind: "note", text: "Mind the gap" },
        { at: "0000-00-00T00:00:00.000Z", by: "person", kind: "park", text: "Which one?" },
      ],
    });
    expect((await run("task", "show", "@p")).stdout).toMatchInlineSnapshot(`
      "t-pppppppp  Task p

      status    pending
      scope     workspace
      priority  2
      attempts  0
      children  t-aaaaaaaa  parked  All of it
      created   0000-00-00 00:00:00Z
      "
    `);
  });

  test("--json prints the task instead of its id", async () => {
    const { json } = newSession();
    expect(await json("task", "add", "One")).toMatchObject({ title: "One", ready: true });
  });

  test("short ids are enough wherever an id is asked for", async () => {
    const { run, add, json } = newSession();
    const short = (await add("a", "One")).slice(2, 7);
    await add("b", "Two", "--needs", short);
    expect(await json("task", "show", short)).toMatchObject({ id: "t-aaaaaaaa", dependents: ["t-bbbbbbbb"] });
    expect(await run("task", "done", `t-${short}`)).toMatchObject({ stderr: `t-aaaaaaaa ${UNPROVEN}\n` });
  });
});

describe("dag-R6 the states of a task", () => {
  const steps: readonly [argv: readonly string[], stderr: string, after: object][] = [
    [["done", "@a", "--summary", "The lexer"], `t-aaaaaaaa ${UNPROVEN}\n`, { status: "done", summary: "The lexer" }],
    [["reset", "@a"], "t-aaaaaaaa is pending again\n", { status: "pending", ready: true }],
    [["fail", "@a", "--reason", "No way"], "t-aaaaaaaa failed: No way\n", { status: "failed", reason: "No way" }],
    [["reset", "@a"], "t-aaaaaaaa is pending again\n", { status: "pending", reason: null, attempts: 0 }],
    [
      ["park", "@a", "Which", "one?"],
      "t-aaaaaaaa is parked. Answer with: ralphctl task answer t-aaaaaaaa TEXT\n",
      { status: "parked", question: "Which one?" },
    ],
    [
      ["answer", "@a", "The", "first"],
      "t-aaaaaaaa is pending again, with the answer in its description\n",
      { status: "pending", question: null, description: "Question: Which one?\nAnswer: The first" },
    ],
    [["drop", "@a", "--reason", "Not now"], "t-aaaaaaaa is dropped\n", { status: "dropped", reason: "Not now" }],
  ];

  test("each change says what it did, and with --json what the task is now", async () => {
    const { run } = await withTasks("a");
    for (const [argv, stderr, after] of steps) {
      const answer = await run("task", ...argv, "--json");
      expect({ code: answer.code, stderr: answer.stderr }).toEqual({ code: 0, stderr });
      expect(JSON.parse(answer.stdout)).toMatchObject({ id: "t-aaaaaaaa", ...after });
    }
    expect((await run("task", "log", "@a")).stdout.replaceAll("0000-00-00 00:00:00Z  ", "")).toBe(
      [
        "person  complete",
        "person  reset",
        "person  fail  No way",
        "person  reset",
        "person  park  Which one?",
        "person  answer  The first",
        "person  drop  Not now",
        "",
      ].join("\n"),
    );
  });

  test("done and dropped open the way, failed and parked do not", async () => {
    const { run, add } = await withTasks("a", "b");
    await add("c", "Waits", "--needs", "@a", "--needs", "@b");
    await run("task", "fail", "@a", "--reason", "x");
    await run("task", "done", "@b");
    expect((await run("task", "list", "--status", "ready")).stdout).toBe("");
    await run("task", "reset", "@a");
    await run("task", "drop", "@a");
    expect((await run("task", "list", "--status", "ready")).stdout).toBe("t-cccccccc  ready  p2  Waits\n");
  });

  test("several at once; a slip of the finger changes none of them", async () => {
    const { run } = await withTasks("a", "b", "c");
    expect(await run("task", "done", "@a", "nope", "@b")).toMatchObject({ code: 64, stdout: "" });
    expect((await run("task", "list", "--status", "done")).stdout).toBe("");
    expect(await run("task", "done", "@a", "@b")).toEqual({
      code: 0,
      stdout: "",
      stderr: `t-aaaaaaaa ${UNPROVEN}\nt-bbbbbbbb ${UNPROVEN}\n`,
    });
    expect((await run("task", "reset", "@a", "@b", "--json")).stdout.trim().split("\n")).toHaveLength(2);
  });

  const mistakes: readonly [argv: readonly string[], code: number, stderr: string][] = [
    [["answer", "@a", "x"], 64, "error: t-aaaaaaaa is pending and cannot be answered\n"],
    [["reset", "@a"], 64, "error: t-aaaaaaaa is pending and cannot be reset\n"],
    [
      ["fail", "@d", "--reason", "x"],
      64,
      "error: t-dddddddd is done and cannot be failed\nhint: Reopen it first: ralphctl task reset t-dddddddd\n",
    ],
    [
      ["done", "@q"],
      64,
      "error: t-qqqqqqqq is parked and cannot be completed\nhint: Answer it first: ralphctl task answer t-qqqqqqqq TEXT\n",
    ],
    [
      ["done", "@p"],
      64,
      "error: t-pppppppp has children: its status follows from theirs\nhint: See them: ralphctl task tree t-pppppppp\n",
    ],
    [["fail", "@a"], 64, "error: --reason is missing\nhint: Say why: --reason TEXT\n"],
    [["park", "@a", " "], 64, "error: The question is blank\nhint: Write the question in quotes\n"],
    [["log", "@a", "--add", " "], 64, "error: --add is missing\nhint: Write what to note: --add TEXT\n"],
    [
      ["edit", "@a"],
      64,
      "error: Nothing to change: no option was given\nhint: Give an option, for example --priority 1\n",
    ],
    [["add", " "], 65, "error: A task needs a title\nhint: Describe the task in one line\n"],
    [["add", "x", "--parent", "zz"], 64, 'error: There is no task "zz"\nhint: List them: ralphctl task list\n'],
    [["add", "x", "--needs", "t-"], 64, "error: Ambiguous task id 't-'. Matches: "],
    [
      ["add", "x", "--priority", "high"],
      64,
      'error: --priority must be a whole number, not "high"\nhint: Write --priority 2\n',
    ],
    [
      ["add", "x", "--attempts", "0"],
      64,
      'error: --attempts must be a positive whole number, not "0"\nhint: Write --attempts 1\n',
    ],
    [
      ["add", "x", "--gate", "npm test"],
      64,
      'error: --gate takes a name and a command, not "npm test"\nhint: Write --gate "NAME=COMMAND"\n',
    ],
    [
      ["add", "x", "--project", "a", "--sprint", "b"],
      64,
      "error: --project and --sprint cannot be used together\nhint: Use one of --project, --change and --sprint; --module alone or with --change\n",
    ],
    [["add", "x", "--project", ".."], 64, 'error: The project name ".." starts with a dot\n'],
    [
      ["rm", "@a"],
      64,
      "error: t-aaaaaaaa cannot be removed: needed by t-nnnnnnnn\nhint: Remove the edge first: ralphctl task dep rm t-nnnnnnnn --needs t-aaaaaaaa\n",
    ],
    [["dep", "add", "@a"], 64, "error: --needs is missing\nhint: Name the tasks it waits for: --needs ID\n"],
    [
      ["edit", "@a", "--allow-no-change", "maybe"],
      64,
      'error: --allow-no-change "maybe" is not one of: yes, no\nhint: Choose one of them\n',
    ],
  ];

  test.each(mistakes)("%j gets a sentence and a hint", async (argv, code, stderr) => {
    const { run, add } = await withTasks("a", "d", "p", "q");
    await add("n", "Needs", "--needs", "@a");
    await add("k", "Child", "--parent", "@p");
    await run("task", "done", "@d");
    await run("task", "park", "@q", "Why?");
    const before = (await run("task", "list", "--json")).stdout;
    const answer = await run("task", ...argv);
    expect({ code: answer.code, stdout: answer.stdout }).toEqual({ code, stdout: "" });
    expect(answer.stderr.slice(0, stderr.length)).toBe(stderr);
    expect((await run("task", "list", "--json")).stdout).toBe(before);
  });

  test("X-78 outside a workspace nothing is made", async () => {
    const cwd = temporaryRepository();
    expect(await taskSession(cwd).run("task", "add", "x")).toEqual({
      code: 78,
      stdout: "",
      stderr: `error: No workspace here: no .ralph/ in ${cwd} or above it\nhint: Run ralphctl init\n`,
    });
  });
});

describe("task edit", () => {
  test("changes what is named and nothing else; none and blank take away", async () => {
    const { run, add, json } = await withTasks("p");
    await add("a", "Old", "--tag", "x", "--acceptance", "y", "--model", "opus", "--attempts", "4");
    const edited = await run(
      "task",
      "edit",
      "@a",
      "--title",
      "New",
      "-d",
      "Words",
      "--priority",
      "0",
      "--parent",
      "@p",
      "--model",
      "none",
      "--attempts",
      "none",
      "--tag",
      "",
      "--gate",
      "lint=npm run lint",
      "--allow-no-change",
      "yes",
      "--may-change",
      "Makefile",
      "--summary",
      "s",
    );
    expect(edited).toEqual({
      code: 0,
      stdout: "",
      stderr:
        "t-aaaaaaaa changed: title, description, priority, tags, gates, model, allowNoChange, mayChange, attemptLimit, summary, parent\n",
    });
    expect(await json("task", "show", "@a")).toMatchObject({
      title: "New",
      description: "Words",
      priority: 0,
      acceptance: ["y"],
      tags: [],
      gates: [{ id: "lint", run: "npm run lint" }],
      parent: "t-pppppppp",
      model: null,
      attemptLimit: null,
      allowNoChange: true,
      mayChange: ["Makefile"],
      summary: "s",
    });
    expect(
      await json("task", "edit", "@a", "--parent", "none", "--allow-no-change", "no", "--may-change", "", "--gate", ""),
    ).toMatchObject({
      parent: null,
      allowNoChange: false,
      mayChange: [],
      gates: [],
    });
  });

  test("dag-R4 a parent that would wait for its own part is refused", async () => {
    const { run, add } = await withTasks("a");
    await add("b", "Part", "--parent", "@a");
    expect(await run("task", "edit", "@a", "--parent", "@b")).toMatchObject({
      code: 65,
      stderr: expect.stringContaining("These tasks would wait for each other: "),
    });
  });
});

describe("task rm", () => {
  test("dag-R7 removes what is beneath, too, and says how many went", async () => {
    const { run, add } = await withTasks("a", "z");
    await add("b", "Part", "--parent", "@a");
    await add("c", "Part of it", "--parent", "@b");
    expect(await run("task", "rm", "@a", "@b", "@z")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Removed t-aaaaaaaa and 2 tasks below it\nRemoved t-zzzzzzzz\n",
    });
    expect((await run("task", "list", "--json")).stdout).toBe("[]\n");
  });

  test("--json tells what the task was", async () => {
    const { json } = await withTasks("a");
    expect(await json("task", "rm", "@a")).toMatchObject({ id: "t-aaaaaaaa", title: "Task a", removed: 1 });
  });
});

describe("task dep", () => {
  test("edges are added, listed and removed, several at once", async () => {
    const { run, json } = await withTasks("a", "b", "c", "d");
    expect(await run("task", "dep", "add", "@a", "--needs", "@b", "@c", "--needs", "@d")).toEqual({
      code: 0,
      stdout: "",
      stderr: "t-aaaaaaaa now needs t-bbbbbbbb\nt-aaaaaaaa now needs t-dddddddd\nt-aaaaaaaa now needs t-cccccccc\n",
    });
    await run("task", "dep", "add", "@b", "--needs", "@c");
    expect((await run("task", "dep", "list", "@b")).stdout).toBe(
      "needs      t-cccccccc  ready  Task c\nneeded by  t-aaaaaaaa  blocked  Task a\n",
    );
    expect(await json("task", "dep", "@c")).toEqual({
      id: "t-cccccccc",
      needs: [],
      dependents: ["t-aaaaaaaa", "t-bbbbbbbb"],
    });
    expect(await json("task", "dep", "rm", "@a", "--needs", "@b", "@c", "@d")).toMatchObject({
      needs: [],
      ready: true,
    });
    expect(await run("task", "dep", "list", "@d")).toEqual({
      code: 0,
      stdout: "",
      stderr:
        "t-dddddddd needs nothing and nothing needs it. Add a dependency: ralphctl task dep add t-dddddddd --needs ID\n",
    });
  });

  test("dag-R4 a cycle is refused with its path, and nothing changes", async () => {
    const { run, json } = await withTasks("a", "b", "c");
    await run("task", "dep", "add", "@b", "--needs", "@a");
    await run("task", "dep", "add", "@c", "--needs", "@b");
    expect(await run("task", "dep", "add", "@a", "--needs", "@c")).toEqual({
      code: 65,
      stdout: "",
      stderr:
        "error: These tasks would wait for each other: t-aaaaaaaa → t-cccccccc → t-bbbbbbbb → t-aaaaaaaa\nhint: Leave out one of these edges\n",
    });
    expect(await run("task", "dep", "add", "@a", "--needs", "@a")).toMatchObject({
      code: 65,
      stderr: expect.stringContaining("t-aaaaaaaa → t-aaaaaaaa"),
    });
    expect(await json("task", "show", "@a")).toMatchObject({ needs: [] });
  });
});
