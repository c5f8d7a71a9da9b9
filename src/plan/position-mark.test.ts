import { expect, test } from "vitest";
import { writePosition } from "./position-mark.ts";

const file = (marks: readonly string[], { status = "in-progress", current = "phase: 0, step: null" } = {}) => {
  const [first, one, two, last] = marks;
  return `# mine
status: ${status} # by hand
phases:
  - { id: prepare, prompt: Prepare, status: ${first} }
  - id: develop
    status: pending
    steps:
      - { id: one, prompt: One, status: ${one} }
      - { id: two, prompt: Two, status: ${two} }
  - { id: qa, prompt: Check, status: ${last} }
current: { ${current} }
`;
};

test.each([
  [["completed", "pending", "pending", "pending"], "in-progress", "phase: 1, step: 0"],
  [["completed", "completed", "pending", "pending"], "in-progress", "phase: 1, step: 1"],
  [["completed", "completed", "skipped", "pending"], "in-progress", "phase: 2, step: null"],
  [["completed", "completed", "completed", "completed"], "completed", "phase: 3, step: null"],
] as const)("S003-04 %j is the status %s at %s", (marks, status, current) => {
  const to = file(marks, { status, current });
  expect([writePosition(file(marks)), writePosition(to)]).toEqual([to, to]);
});

test("S003-04 a sprint that has begun says so, and one that is reopened goes on", () => {
  const begun = ["completed", "pending", "pending", "pending"];
  for (const status of ["not-started", "completed", "in-progress"]) {
    expect(writePosition(file(begun, { status }))).toContain("status: in-progress # by hand\n");
  }
  const waiting = file(["pending", "pending", "pending", "pending"], { status: "not-started" });
  expect(writePosition(waiting)).toBe(waiting);
});

test("S003-04 keys that are not there are not added, but for the end; a file that cannot be read stays", () => {
  const open = "phases: # two\n  - { id: a, prompt: A, status: completed }\n  - { id: b, prompt: B }\n";
  expect(writePosition(open)).toBe(open);
  const done = open.replace("prompt: B", "prompt: B, status: completed");
  expect(writePosition(done)).toBe(`status: completed\n${done}`);
  for (const text of ["", "- x\n", "phases: [", "phases: 5\n", "status: [a]\nphases: [{id: a, prompt: A}]\n"]) {
    expect(writePosition(text)).toBe(text);
  }
});
