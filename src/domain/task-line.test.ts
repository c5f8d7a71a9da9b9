import { describe, expect, test } from "vitest";
import { RalphError } from "./error.ts";
import { lineToTask, taskToLine } from "./task-line.ts";
import type { Task } from "./task.ts";

const RULES = { scope: "workspace", needsId: true };

const bare: Task = {
  id: "t-1",
  scope: "workspace",
  parent: undefined,
  title: "Log in",
  description: "",
  acceptance: [],
  priority: 2,
  status: "pending",
  ready: true,
  blocked: false,
  isParent: false,
  needs: [],
  tags: [],
  gates: [],
  model: undefined,
  allowNoChange: false,
  keepsWork: false,
  mayChange: [],
  attempts: 0,
  attemptLimit: undefined,
  retry: false,
  summary: undefined,
  source: undefined,
  question: undefined,
  reason: undefined,
  lease: undefined,
  createdAt: 0,
  updatedAt: 1,
  startedAt: undefined,
  endedAt: undefined,
};

const full: Task = {
  ...bare,
  parent: "t-0",
  description: "two\nlines",
  acceptance: ["it works"],
  status: "failed",
  needs: ["t-9", "t-3"],
  tags: ["a"],
  gates: [{ retries: 1, timeoutMs: 5, run: "npm test", id: "unit" }],
  model: "opus",
  allowNoChange: true,
  mayChange: ["package.json", "scripts/**"],
  attempts: 2,
  attemptLimit: 4,
  retry: true,
  summary: "s",
  source: { key: "id:1.2", file: "PLAN.md" },
  question: "q",
  reason: "r",
  startedAt: 1_700_000_000_000,
  endedAt: 1_700_000_000_001,
};

describe("a task as a line", () => {
  test("what is empty is left out, times are ISO", () => {
    expect(taskToLine(bare)).toBe(
      '{"id":"t-1","scope":"workspace","title":"Log in","priority":2,"status":"pending",' +
        '"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.001Z"}',
    );
  });

  test("everything that must survive is there, in a fixed order, needs sorted", () => {
    expect(taskToLine(full)).toBe(
      '{"id":"t-1","scope":"workspace","parent":"t-0","title":"Log in","description":"two\\nlines",' +
        '"acceptance":["it works"],"priority":2,"status":"failed","needs":["t-3","t-9"],"tags":["a"],' +
        '"gates":[{"id":"unit","run":"npm test","timeoutMs":5,"retries":1}],"model":"opus","allowNoChange":true,"mayChange":["package.json","scripts/**"],' +
        '"attempts":2,"attemptLimit":4,"retry":true,"summary":"s","source":{"file":"PLAN.md","key":"id:1.2"},' +
        '"question":"q","reason":"r","createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.001Z",' +
        '"startedAt":"2023-11-14T22:13:20.000Z","endedAt":"2023-11-14T22:13:20.001Z"}',
    );
  });

  test("a lease is not written: a task in progress is pending", () => {
    const owner = { host: "h", pid: 1, startTime: "s" };
    const claimed: Task = { ...bare, status: "in_progress", lease: { owner, fence: 1, untilMs: 1, run: undefined } };
    expect(taskToLine(claimed)).toBe(taskToLine(bare));
  });

  test("is read as it was written", () => {
    expect(lineToTask(taskToLine(full), 1, RULES)).toEqual({
      id: "t-1",
      scope: "workspace",
      parent: "t-0",
      title: "Log in",
      description: "two\nlines",
      acceptance: ["it works"],
      priority: 2,
      status: "failed",
      needs: ["t-3", "t-9"],
      tags: ["a"],
      gates: [{ id: "unit", run: "npm test", timeoutMs: 5, retries: 1 }],
      model: "opus",
      allowNoChange: true,
      mayChange: ["package.json", "scripts/**"],
      attempts: 2,
      attemptLimit: 4,
      retry: true,
      summary: "s",
      source: { file: "PLAN.md", key: "id:1.2" },
      question: "q",
      reason: "r",
      createdAt: 0,
      updatedAt: 1,
      startedAt: 1_700_000_000_000,
      endedAt: 1_700_000_000_001,
    });
  });

  test("a time is a day, a moment with its zone, or milliseconds", () => {
    const read = (at: unknown): unknown => lineToTask(JSON.stringify({ id: "a", title: "A", createdAt: at }), 1, RULES);
    const day = Date.UTC(2026, 0, 31);
    for (const at of ["2026-01-31", "2026-01-31T02:00+02:00", new Date(day).toISOString(), day])
      expect(read(at)).toMatchObject({ createdAt: day });
    expect(read(new Date(-8.64e15).toISOString())).toMatchObject({ createdAt: -8.64e15 });
  });

  test("null is nothing, what list --json adds is passed over, the scope may be left out", () => {
    const line = '{"id":"a","title":"A","parent":null,"ready":true,"blocked":false,"isParent":false,"lease":null}';
    expect(lineToTask(line, 1, RULES)).toEqual({ id: "a", title: "A", scope: "workspace" });
  });
});

describe("a line that cannot be read", () => {
  test.each([
    ['{"id":"a"', /^Line 7, column 10: invalid JSON: the line ends too early$/],
    ["", /^Line 7, column 1: invalid JSON/],
    ["[1]", /^Line 7: a task must be a JSON object$/],
    ["null", /^Line 7: a task must be a JSON object$/],
    ['{"title":"x"}', /^Line 7: "id" is missing$/],
    ['{"id":"a"}', /^Line 7: "title" is missing$/],
    ['{"id":"a","title":5}', /^Line 7: "title" must be a string$/],
    ['{"id":"a","title":"x","needs":"b"}', /^Line 7: "needs" must be a list of strings$/],
    ['{"id":"a","title":"x","status":"open"}', /^Line 7: "status" must be one of pending, in_progress/],
    ['{"id":"a","title":"x","createdAt":"soon"}', /^Line 7: "createdAt" must be a time such as/],
    ['{"id":"a","title":"x","updatedAt":1.5}', /^Line 7: "updatedAt" must be a time such as/],
    ['{"id":"a","title":"x","createdAt":"2020"}', /^Line 7: "createdAt" must be a time such as/],
    ['{"id":"a","title":"x","createdAt":"2020-01-31T08:00"}', /^Line 7: "createdAt" must be a time such as/],
    ['{"id":"a","title":"x","createdAt":"2020-13-31"}', /^Line 7: "createdAt" must be a time such as/],
    ['{"id":"a","title":"x","priority":"1"}', /^Line 7: "priority" must be a number$/],
    ['{"id":"a","title":"x","retry":1}', /^Line 7: "retry" must be true or false$/],
    ['{"id":"a","title":"x","source":{"file":"f"}}', /^Line 7: "source" must be an object with file and key$/],
    ['{"id":"a","title":"x","gates":[{"id":"g"}]}', /^Line 7: "gates" must be a list of objects with id and run$/],
    ['{"id":"a","title":"x","__proto__":{"id":"b"}}', /^Line 7: unknown field "__proto__"$/],
    ['{"id":"a","title":"x","constructor":1}', /^Line 7: unknown field "constructor"$/],
  ])("%s", (text, message) => {
    expect(() => lineToTask(text, 7, RULES)).toThrow(message);
    expect(() => lineToTask(text, 7, RULES)).toThrow(RalphError);
  });

  test("a field that nearly has a name is told that name", () => {
    expect(() => lineToTask('{"id":"a","title":"x","need":[]}', 1, RULES)).toThrow(
      expect.objectContaining({ message: 'Line 1: unknown field "need"', hint: 'Did you mean "needs"?' }),
    );
  });
});
