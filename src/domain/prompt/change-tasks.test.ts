import { expect, test } from "vitest";
import { type ChangeTasks, changeTasksText } from "./change-tasks.ts";

const CHANGE: ChangeTasks = {
  changeId: "014-01_add-docs",
  planFile: ".ito/changes/014-01_add-docs/tasks.md",
  documents: [],
  all: 7,
  settled: 2,
  failed: 0,
  parked: 0,
};

test("S002-05 the status of a change's tasks names the next one", () => {
  expect(changeTasksText(CHANGE, { taskId: "t-1a2b3c4d", title: "Write\nthem" }))
    .toBe(`## Change Tasks (014-01_add-docs)

- Status: 2 of 7 done
- Next: [t-1a2b3c4d] Write them
- Listed in: .ito/changes/014-01_add-docs/tasks.md`);
});

test("S002-05 it says what failed or waits, and what else is to be read", () => {
  const change = { ...CHANGE, failed: 1, parked: 3, documents: [".ito/changes/014-01_add-docs/design.md"] };
  expect(changeTasksText(change, undefined)).toBe(`## Change Tasks (014-01_add-docs)

- Status: 2 of 7 done, 1 failed, 3 waiting for a person
- Listed in: .ito/changes/014-01_add-docs/tasks.md
- Read also: .ito/changes/014-01_add-docs/design.md`);
});

test("S002-05 a change without tasks says so", () => {
  expect(changeTasksText({ ...CHANGE, all: 0, settled: 0 }, undefined)).toContain("- Status: no tasks yet\n");
});
