import { describe, expect, test } from "vitest";
import { backlogTask } from "./backlog-task.ts";
import { planContract, textOfLines } from "./plan.contract.ts";

const FRONT = [
  "---",
  "id: TASK-7",
  "title: 'Greet: by name'",
  "status: To Do",
  "priority: high",
  "dependencies:",
  "  - task-3",
  "---",
];

planContract(
  backlogTask,
  textOfLines([
    "",
    "## Description",
    "Greet people.",
    "## Acceptance Criteria",
    "- [ ] #1 It greets",
    "- [x] #2 By name",
  ]).map((body) => `${body.startsWith("\uFEFF") ? "\uFEFF" : ""}${FRONT.join("\n")}\n${body.replace("\uFEFF", "")}`),
);

const TASK = `---
id: TASK-7
title: Greet by name
status: To Do
assignee: []
labels: [ui]
dependencies:
  - task-3
  - TASK-4
parent_task_id: TASK-1
priority: high
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Greet people by their name.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 It says the name
- [x] #2 It works without one
<!-- AC:END -->

## Notes

Ask Ann.
`;

const entry = (text: string) => backlogTask.read(text).entries[0]!;

describe("a task of Backlog.md", () => {
  test("is one entry with its links to other files", () => {
    expect(backlogTask.read(TASK)).toEqual({
      entries: [
        {
          key: "id:TASK-7",
          kind: "task",
          id: "TASK-7",
          title: "Greet by name",
          description: "## Description\n\nGreet people by their name.\n\n## Notes\n\nAsk Ann.",
          acceptance: ["It says the name", "It works without one"],
          status: "open",
          needs: [],
          links: { needs: ["task-3", "TASK-4"], partOf: "TASK-1" },
          priority: 1,
          line: 1,
          mark: { start: TASK.indexOf("To Do"), end: TASK.indexOf("To Do") + 5 },
        },
      ],
      notices: [],
    });
  });

  test.each([
    ["To Do", "open"],
    ["In Progress", "started"],
    ["in review", "started"],
    ["Done", "done"],
    ['"Done"', "done"],
    ["Complete", "done"],
    ["Someday", "open"],
    ["", "open"],
  ])("status %s is %s", (word, status) => {
    expect(entry(TASK.replace("To Do", word)).status).toBe(status);
  });

  test("P-50 done and open again changes the word alone", () => {
    const done = backlogTask.write(TASK, new Map([["id:TASK-7", "done"]]));
    expect(done).toBe(TASK.replace("status: To Do", "status: Done"));
    expect(backlogTask.write(done, new Map([["id:TASK-7", "open"]]))).toBe(TASK);
  });

  test.each(["parked", "failed", "dropped"] as const)("P-50 %s has no word here, and changes nothing", (change) => {
    expect(backlogTask.write(TASK, new Map([["id:TASK-7", change]]))).toBe(TASK);
  });

  test("P-50 quotes, line ends and a byte order mark stay", () => {
    const text = `\uFEFF${TASK.replace("To Do", '"To Do"').replaceAll("\n", "\r\n")}`;
    expect(backlogTask.write(text, new Map([["id:TASK-7", "done"]]))).toBe(text.replace('"To Do"', '"Done"'));
  });

  test("a folded title and one dependency without a list are read", () => {
    const text = "---\nid: T-1\ntitle: >-\n  Greet\n  by name\nstatus: To Do\ndependencies: T-2\n---\n";
    expect(entry(text)).toMatchObject({ title: "Greet by name", links: { needs: ["T-2"] } });
  });

  test.each(["# Read me\n", "", "---\nid: x\n", "text\n---\nid: x\n---\n"])("%j is no task", (text) => {
    expect(backlogTask.read(text)).toEqual({ entries: [], notices: [] });
  });

  test.each([
    ["---\n- a\n---\n", "Line 1, column 1: The front matter is not a map"],
    ["---\nid: x\n---\n", "Line 2, column 1: The task has no `title`"],
    ["---\nid: [\n---\n", "Line 3, column 1"],
    ["---\ntitle: a\nstatus: To Do\nstatus: Done\n---\n", "Line 4, column 1: Duplicate key `status`"],
  ])("P-53 %j is refused with its place", (text, message) => {
    expect(() => backlogTask.read(text)).toThrow(message);
  });

  test("P-53 a task without a status cannot be marked, and says so", () => {
    expect(() => backlogTask.write("---\nid: x\ntitle: a\n---\n", new Map([["id:x", "done"]]))).toThrow("no `status`");
  });

  test("reading is linear in the length of the text", { timeout: 20_000 }, () => {
    for (const piece of ["- [ ] #1 a\n", "## \n", "<!--\n", "---", "-", "  - a\n", "a: &a\n"]) {
      const body = piece.repeat(300_000);
      for (const text of [TASK + body, `---\ntitle: a\n${body}`]) {
        try {
          backlogTask.read(text);
        } catch {
          // refused is fine, hanging is not
        }
      }
    }
  });
});
