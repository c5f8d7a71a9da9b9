import { expect, test } from "vitest";
import type { Task } from "./task.ts";
import { isoTime, TASK_JSON_FIELDS, taskJson } from "./task-json.ts";

const task: Task = {
  id: "t-1",
  scope: "workspace",
  parent: "t-0",
  title: "T",
  description: "",
  acceptance: [],
  priority: 2,
  status: "in_progress",
  ready: false,
  blocked: false,
  isParent: false,
  needs: [],
  tags: [],
  gates: [{ id: "unit", run: "npm test", retries: 1 }],
  model: undefined,
  keepsWork: false,
  allowNoChange: false,
  mayChange: [],
  attempts: 1,
  attemptLimit: undefined,
  retry: false,
  summary: undefined,
  source: { file: "PLAN.md", key: "k" },
  question: undefined,
  reason: undefined,
  lease: { owner: { host: "h", pid: 7, startTime: "9" }, fence: 3, untilMs: 1000, run: undefined },
  createdAt: 0,
  updatedAt: 1,
  startedAt: 2,
  endedAt: undefined,
};

test("every field is documented, absent ones are null, times are ISO", () => {
  const json = taskJson(task);
  expect(Object.keys(json)).toEqual(Object.keys(TASK_JSON_FIELDS));
  expect(Object.values(json)).not.toContain(undefined);
  expect(json).toMatchObject({
    parent: "t-0",
    model: null,
    source: { file: "PLAN.md", key: "k" },
    gates: [{ id: "unit", run: "npm test", timeoutMs: null, retries: 1 }],
    lease: { host: "h", pid: 7, startTime: "9", fence: 3, until: "1970-01-01T00:00:01.000Z", run: null },
    startedAt: "1970-01-01T00:00:00.002Z",
    endedAt: null,
  });
});

test("a time that no calendar has does not keep a task from being shown", () => {
  expect(isoTime(Number.MAX_SAFE_INTEGER)).toBe("1970-01-01T00:00:00.000Z");
});
