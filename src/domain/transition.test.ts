import { describe, expect, test } from "vitest";
import { RalphError } from "./error.ts";
import { type TaskStatus, taskStatuses } from "./task.ts";
import { type Actor, canMove, type StatusChange, transition } from "./transition.ts";

const actors: readonly Actor[] = ["person", "loop", "agent", "plan"];

test("dag-R6 the whole table", () => {
  const shown = taskStatuses.flatMap((from) =>
    taskStatuses
      .map((to) => ({ to, who: actors.filter((actor) => canMove(from, to, actor)) }))
      .filter(({ who }) => who.length > 0)
      .map(({ to, who }) => `${from} → ${to}: ${who.join(" ")}`),
  );
  expect(shown).toEqual([
    "pending → in_progress: person loop agent plan",
    "pending → dropped: person plan",
    "in_progress → pending: person loop plan",
    "in_progress → parked: person loop agent plan",
    "in_progress → done: person loop plan",
    "in_progress → failed: person loop plan",
    "parked → pending: person",
    "done → pending: person loop",
    "failed → pending: person loop",
    "dropped → pending: person plan",
  ]);
});

describe("dag-R6 changes", () => {
  const step = (status: TaskStatus, change: StatusChange, by: Actor = "person"): TaskStatus[] =>
    transition({ id: "a", status }, change, by);

  test("done, failed and parked pass through in_progress", () => {
    expect(step("pending", { kind: "complete" })).toEqual(["in_progress", "done"]);
    expect(step("pending", { kind: "fail", reason: "r" })).toEqual(["in_progress", "failed"]);
    expect(step("pending", { kind: "park", question: "q" }, "agent")).toEqual(["in_progress", "parked"]);
    expect(step("in_progress", { kind: "complete" })).toEqual(["done"]);
    expect(step("pending", { kind: "drop" })).toEqual(["dropped"]);
  });

  test.each<[TaskStatus, StatusChange, Actor]>([
    ["pending", { kind: "reset" }, "person"],
    ["pending", { kind: "answer", answer: "x" }, "person"],
    ["pending", { kind: "drop" }, "loop"],
    ["pending", { kind: "complete" }, "agent"],
    ["failed", { kind: "complete" }, "person"],
    ["failed", { kind: "answer", answer: "x" }, "person"],
    ["done", { kind: "reset" }, "plan"],
    ["dropped", { kind: "reset" }, "agent"],
    ["in_progress", { kind: "drop" }, "person"],
    ["parked", { kind: "drop" }, "person"],
    ["parked", { kind: "reset" }, "person"],
    ["parked", { kind: "reset" }, "loop"],
  ])("%s: %j by the %s is an error", (status, change, by) => {
    expect(() => step(status, change, by)).toThrow(RalphError);
  });
});
