import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../test/any-text.ts";
import { byLane } from "../../test/lane.ts";
import { RalphError } from "../domain/error.ts";
import { cleanTask } from "../domain/task-input.ts";
import { openTasks, type TaskDatabase } from "./foreign.ts";
import * as databases from "./index.ts";

const place = { scope: "workspace", tag: "x" };
const read = (database: TaskDatabase, content: unknown) => openTasks(database.read(content as never), place);
const { beads, progressDb, taskMaster } = databases;
const lines = (...issues: readonly object[]): string => issues.map((issue) => `${JSON.stringify(issue)}\n`).join("");

/** Only what a test is about. */
const brief = ({ tasks }: ReturnType<typeof openTasks>) =>
  tasks.map(({ id, parent, needs, status, priority }) => [id, parent, needs, status, priority]);

describe("beads", () => {
  test("an issue is a task with its texts, labels and place in the graph", () => {
    const epic = { id: "bd-1", title: "Epic", issue_type: "epic", priority: 1, status: "open" };
    const issue = {
      id: "bd-1.1",
      title: "Greet",
      description: "Say hello.",
      design: "One function.",
      notes: "Ask Ann.",
      acceptance_criteria: "It greets.",
      priority: 0,
      status: "in_progress",
      labels: ["ui"],
      created_at: "2026-01-02T03:04:05Z",
      dependencies: [
        { issue_id: "bd-1.1", depends_on_id: "bd-1", type: "parent-child" },
        { issue_id: "bd-1.1", depends_on_id: "bd-2", type: "blocks" },
        { issue_id: "bd-1.1", depends_on_id: "bd-3", type: "related" },
        { issue_id: "bd-1.1", depends_on_id: "bd-4", type: "blocks" },
      ],
    };
    const first = { id: "bd-2", title: "First", status: "open", priority: 2 };
    const closed = { id: "bd-4", title: "Closed", status: "closed", priority: 2 };
    const found = read(beads, lines(epic, issue, first, closed));
    expect(found.tasks[1]).toEqual({
      id: "bd-1.1",
      scope: "workspace",
      title: "Greet",
      description: "Say hello.\n\nDesign:\nOne function.\n\nNotes:\nAsk Ann.",
      acceptance: ["It greets."],
      priority: 0,
      tags: ["x", "ui"],
      parent: "bd-1",
      needs: ["bd-2"],
      createdAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    });
    expect([found.tasks.length, found.settled, found.notices]).toEqual([3, 1, []]);
  });

  test("what is deferred asks a person; messages, templates and graves are no work", () => {
    const found = read(
      beads,
      lines(
        { id: "a", title: "A", status: "deferred" },
        { id: "b", title: "B", status: "tombstone" },
        { id: "c", title: "C", issue_type: "message" },
        { id: "d", title: "D", is_template: true },
      ),
    );
    expect(found.tasks).toMatchObject([{ id: "a", status: "parked", question: expect.stringContaining("deferred") }]);
  });

  test.each([
    [`{"id":"a","title":"A"}\n<<<<<<< HEAD\n`, "Line 2 is not an issue of beads: it is not a JSON object"],
    [`{"id":"a"}\n`, "Line 1 is not an issue of beads: it has no id or no title"],
    [`[]\n`, "Line 1 is not an issue of beads"],
  ])("%j is refused with its line", (text, message) => {
    expect(() => beads.read(text as never)).toThrow(message);
  });

  test("matches exports of issues, and nothing else that lies beside them", () => {
    const paths = [
      ".beads/issues.jsonl",
      "x/.beads/beads.jsonl",
      ".beads/deletions.jsonl",
      "issues.jsonl",
      ".beads/beads.db",
    ];
    expect(paths.filter((path) => beads.matches(path))).toEqual([".beads/issues.jsonl", "x/.beads/beads.jsonl"]);
  });
});

describe("task-master", () => {
  const task = (id: number, more: object = {}) => ({
    id,
    title: `Task ${id}`,
    status: "pending",
    dependencies: [],
    ...more,
  });

  test("tasks and subtasks keep their numbers, and siblings their order", () => {
    const text = JSON.stringify({
      master: {
        tasks: [
          task(1, { priority: "high", details: "How.", testStrategy: "Try it.", description: "What." }),
          task(2, {
            dependencies: [1, 3],
            subtasks: [
              { id: 1, title: "Part 1", status: "pending" },
              { id: 2, title: "Part 2", status: "pending", dependencies: [1, "1"] },
              { id: 3, title: "Part 3", status: "done" },
            ],
          }),
          task(3, { status: "done" }),
        ],
      },
    });
    const found = read(taskMaster, text);
    expect(brief(found)).toEqual([
      ["tm-1", undefined, [], undefined, 1],
      ["tm-2", undefined, ["tm-1"], undefined, undefined],
      ["tm-2.1", "tm-2", [], undefined, undefined],
      ["tm-2.2", "tm-2", ["tm-2.1"], undefined, undefined],
    ]);
    expect(found.tasks[0]!.description).toBe("What.\n\nDetails:\nHow.\n\nHow to test it:\nTry it.");
    expect(found.settled).toBe(2);
  });

  test("an old file has one list; of several tags the one with work is taken, and the others are named", () => {
    expect(brief(read(taskMaster, JSON.stringify({ tasks: [task(1)] })))).toHaveLength(1);
    const tags = {
      master: { tasks: [task(1, { status: "done" })] },
      ui: { tasks: [task(2)] },
      api: { tasks: [task(3)] },
    };
    const found = read(taskMaster, JSON.stringify(tags));
    expect([brief(found).map(([id]) => id), found.notices]).toEqual([
      ["tm-2"],
      ["Left out are the tags api of Task Master"],
    ]);
  });

  test("what waits for a person there asks one here; what is cancelled stays there", () => {
    const all = ["deferred", "review", "cancelled", "in-progress"].map((status, at) => task(at + 1, { status }));
    expect(read(taskMaster, JSON.stringify({ tasks: all })).tasks.map(({ id, status }) => [id, status])).toEqual([
      ["tm-1", "parked"],
      ["tm-2", "parked"],
      ["tm-4", undefined],
    ]);
  });

  test.each(["", "[]", "{}", '{"tasks": 3}', '{"tasks": [{"id": 1}]}', "[".repeat(1000)])(
    "%.30j is refused",
    (text) => {
      expect(() => taskMaster.read(text as never)).toThrow("This is no tasks.json of Task Master");
    },
  );
});

describe("progress.db of the Rust ralph", () => {
  test("rows are tasks, edges are needs, a feature is a tag", () => {
    const tasks = [
      {
        id: "t-aaaaaa",
        title: "Root",
        description: null,
        status: "pending",
        priority: 0,
        parent_id: null,
        feature_id: "f-1",
      },
      { id: "t-bbbbbb", title: "One", description: "D", status: "blocked", priority: 3, parent_id: "t-aaaaaa" },
      {
        id: "t-cccccc",
        title: "Two",
        status: "failed",
        parent_id: "t-aaaaaa",
        created_at: "2026-01-02T03:04:05+00:00",
      },
      { id: "t-dddddd", title: "Done", status: "done" },
    ];
    const dependencies = [
      { blocker_id: "t-cccccc", blocked_id: "t-bbbbbb" },
      { blocker_id: "t-dddddd", blocked_id: "t-cccccc" },
    ];
    const found = read(progressDb, { tasks, dependencies, features: [{ id: "f-1", name: "auth" }] });
    expect(brief(found)).toEqual([
      ["t-aaaaaa", undefined, [], undefined, undefined],
      ["t-bbbbbb", "t-aaaaaa", ["t-cccccc"], undefined, 3],
      ["t-cccccc", "t-aaaaaa", [], undefined, undefined],
    ]);
    expect([found.tasks[0]!.tags, found.settled]).toEqual([["x", "auth"], 1]);
  });

  test("a database without these tables has no tasks", () => {
    expect(read(progressDb, {}).tasks).toEqual([]);
  });
});

describe("all of them", () => {
  const odd = [
    { id: "a", title: "A", dependencies: [{ depends_on_id: "a", type: "parent-child" }] },
    { id: "b", title: "B", dependencies: [{ depends_on_id: "c", type: "parent-child" }] },
    { id: "c", title: "C", dependencies: [{ depends_on_id: "b", type: "parent-child" }] },
    { id: "d", title: "D" },
    {
      id: "e",
      title: "E",
      dependencies: [
        { depends_on_id: "d", type: "parent-child" },
        { depends_on_id: "d", type: "blocks" },
      ],
    },
    { id: "d", title: "Again" },
    { id: "../../f g", title: "x".repeat(5000) },
  ];

  test("what cannot be is left out, and said", () => {
    const found = read(beads, lines(...odd));
    expect(brief(found).map(([id, parent, needs]) => [id, parent, needs])).toEqual([
      ["a", undefined, []],
      ["b", undefined, []],
      ["c", undefined, []],
      ["d", undefined, []],
      ["e", "d", []],
      ["----f-g", undefined, []],
    ]);
    expect(found.notices).toEqual([
      "The id d is there twice: the second one was left out",
      "These are parts of each other, and became tasks side by side: a, b, c",
      "e needs a part of itself, or what it is a part of: left out",
    ]);
    for (const task of found.tasks) expect(() => cleanTask(task)).not.toThrow();
  });

  test.each([beads, taskMaster])("$name: any text is read or refused with a sentence and a hint", (database) => {
    const piece = fc.constantFrom(
      '{"id":"a",',
      '"title":"b"}',
      "\n",
      "[",
      "]",
      "{",
      "}",
      ",",
      '"tasks":',
      '"master":',
      "null",
      "1",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          fc.array(piece).map((all) => all.join("")),
        ),
        (text) => {
          try {
            for (const task of read(database, text).tasks) cleanTask(task);
          } catch (error) {
            expect(error).toBeInstanceOf(RalphError);
            expect((error as RalphError).hint).toBeTruthy();
          }
        },
      ),
      { numRuns: byLane(200, 1000) },
    );
  });

  test("B-04 reading is linear: twenty thousand tasks in one chain", { timeout: 30_000 }, () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => ({
      id: `b-${at}`,
      title: "x",
      dependencies: [
        { depends_on_id: `b-${at + 1}`, type: "blocks" },
        { depends_on_id: `b-${at + 1}`, type: "parent-child" },
      ],
    }));
    expect(read(beads, lines(...chain)).tasks).toHaveLength(20_000);
  });
});
