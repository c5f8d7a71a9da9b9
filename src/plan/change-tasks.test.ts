import { describe, expect, test } from "vitest";
import { changeTasks } from "./checkboxes.ts";
import { planContract, textOfLines } from "./plan.contract.ts";
import type { PlanEntry } from "./plan.ts";

planContract(
  changeTasks,
  textOfLines([
    "# Tasks",
    "## 1. Section",
    "- [ ] 1.1 First",
    "- [x] 1.2 second",
    "## Wave 1",
    "## Wave 2: Verify",
    "- **Depends On**: Wave 1",
    "- **Depends On**: None",
    "### Task 1.1: Do it",
    "### Task 2.1: Check it",
    "- **Files**: `a.ts`",
    "- **Dependencies**: Task 1.1",
    "- **Status**: [ ] pending",
    "- **Status**: [x] complete",
    "- **Status**: \\[>\\] in-progress",
    "- **Done When**: it works",
    "  - [ ] a step of it",
    "```",
    "",
  ]),
);

const bare = { description: "", acceptance: [], needs: [] };

describe("sections with numbered check boxes", () => {
  const text = `## 1. Database

- [x] 1.1 Add the \`sessions\` table
- [ ] 1.2 add an index
  - Test plan: run the migration twice

## 2. Interface
- [>] 2.1 Login page
`;

  test("numbers are ids, also before a lower-case word; sections are parents without edges", () => {
    const { entries } = changeTasks.read(text);
    const [first, , , second] = entries.map(({ key }) => key);
    const box = (needle: string) => ({ start: text.indexOf(needle) - 3, end: text.indexOf(needle) - 2 });
    expect(entries).toEqual([
      { ...bare, key: first, kind: "group", title: "1. Database", status: "open", line: 1 },
      {
        ...bare,
        key: "id:1.1",
        kind: "task",
        id: "1.1",
        title: "Add the `sessions` table",
        status: "done",
        parentKey: first,
        line: 3,
        mark: box("1.1 Add"),
      },
      {
        ...bare,
        key: "id:1.2",
        kind: "task",
        id: "1.2",
        title: "add an index",
        description: "- Test plan: run the migration twice",
        status: "open",
        parentKey: first,
        line: 4,
        mark: box("1.2 add"),
      },
      { ...bare, key: second, kind: "group", title: "2. Interface", status: "open", line: 7 },
      {
        ...bare,
        key: "id:2.1",
        kind: "task",
        id: "2.1",
        title: "Login page",
        status: "started",
        parentKey: second,
        line: 8,
        mark: box("2.1 Login"),
      },
    ]);
  });

  test("P-50 one character changes", () => {
    expect(changeTasks.write(text, new Map([["id:1.2", "done"]]))).toBe(text.replace("[ ] 1.2", "[x] 1.2"));
  });
});

const WAVES = `# Tasks for: 014-01_sessions

## Execution Notes

- **Status legend**: \`[ ] pending\` · \`[x] complete\`

\`\`\`markdown
### Task 9.9: An example
- **Status**: [ ] pending
\`\`\`

## Wave 1

- **Depends On**: None

### Task 1.1: Store sessions

- **Files**: \`src/session.ts\`
- **Dependencies**: None
- **Action**:
  - [ ] write the table
  - [ ] read it back
- **Verify**: \`npm test\`
- **Done When**: a session survives a restart
- **Updated At**: 2026-02-01
- **Status**: [>] in-progress

### Task 1.2: Expire sessions

- **Dependencies**: Task 1.1
- **Status**: [ ] pending

## Wave 2 (Checkpoint)

### Task 2.1: Review

- **Status**: \\[-\\] shelved

## Wave 3

- **Depends On**: Wave 1, Wave 7

### Task 3.1: Ship

- **Status**: [ ] pending
`;

describe("waves", () => {
  const { entries, notices } = changeTasks.read(WAVES);
  const key = (title: string): string => entries.find((entry) => entry.title === title)!.key;
  const mark = (word: string) => ({ start: WAVES.indexOf(word), end: WAVES.indexOf(word) + word.length });

  test("a task is a heading with a status field; its check boxes are part of its text", () => {
    const tasks: readonly PlanEntry[] = entries.filter(({ kind }) => kind === "task");
    expect(tasks).toEqual([
      {
        key: "id:1.1",
        kind: "task",
        id: "1.1",
        title: "Store sessions",
        description:
          "- **Files**: `src/session.ts`\n- **Action**:\n  - [ ] write the table\n  - [ ] read it back\n- **Verify**: `npm test`\n- **Done When**: a session survives a restart",
        acceptance: ["a session survives a restart"],
        status: "started",
        parentKey: key("Wave 1"),
        needs: [],
        line: 16,
        mark: mark(">] in-progress"),
      },
      {
        ...bare,
        key: "id:1.2",
        kind: "task",
        id: "1.2",
        title: "Expire sessions",
        status: "open",
        parentKey: key("Wave 1"),
        needs: ["id:1.1"],
        line: 28,
        mark: {
          start: WAVES.indexOf("Task 1.1\n- **Status**: [ ]") + 24,
          end: WAVES.indexOf("Task 1.1\n- **Status**: [ ]") + 34,
        },
      },
      {
        ...bare,
        key: "id:2.1",
        kind: "task",
        id: "2.1",
        title: "Review",
        status: "dropped",
        parentKey: key("Wave 2 (Checkpoint)"),
        line: 35,
        mark: mark("-\\] shelved"),
      },
      {
        ...bare,
        key: "id:3.1",
        kind: "task",
        id: "3.1",
        title: "Ship",
        status: "open",
        parentKey: key("Wave 3"),
        line: 43,
        mark: { start: WAVES.lastIndexOf(" ] pending"), end: WAVES.lastIndexOf(" ] pending") + 10 },
      },
    ]);
  });

  test("a wave waits for the waves it names, or for the one before it", () => {
    const groups = entries.filter(({ kind }) => kind === "group").map(({ title, needs }) => [title, needs]);
    expect(groups).toEqual([
      ["Tasks for: 014-01_sessions", []],
      ["Wave 1", []],
      ["Wave 2 (Checkpoint)", [key("Wave 1")]],
      ["Wave 3", [key("Wave 1")]],
    ]);
    expect(notices).toEqual([{ line: 39, message: "There is no wave 7" }]);
  });

  test("a wave without tasks hands on what it waits for", () => {
    const text =
      "## Wave 1\n### Task 1: A\n- **Status**: [ ] pending\n## Wave 2\n## Wave 3\n### Task 3: C\n- **Status**: [ ] pending\n";
    const [first, , third] = changeTasks.read(text).entries;
    expect(third).toMatchObject({ title: "Wave 3", needs: [first!.key] });
  });

  test("P-50 box and word change together, and nothing else", () => {
    const marks = new Map([
      ["id:1.1", "done"],
      ["id:1.2", "dropped"],
      ["id:2.1", "failed"],
    ] as const);
    expect(changeTasks.write(WAVES, marks)).toBe(
      WAVES.replace("[>] in-progress", "[x] complete")
        .replace("Task 1.1\n- **Status**: [ ] pending", "Task 1.1\n- **Status**: [-] shelved")
        .replace("\\[-\\] shelved", "\\[ \\] pending"),
    );
  });

  test.each([
    ["- **Status**: [ ] pending", "open"],
    ["**Status:** [x] complete", "done"],
    ["- Status: [ ] in-progress", "started"],
    ["- **Status**: [x] pending", "done"],
    ["- **Status**: [x]", "done"],
  ])("%s", (field, status) => {
    expect(changeTasks.read(`### Task 1.1: A\n${field}\n`).entries.map((entry) => entry.status)).toEqual([status]);
  });
});
