import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryEvent } from "../../../test/arbitrary-event.ts";
import { hookFinished, iterationFinished, iterationStarted, login, mail } from "../../../test/run-events.ts";
import { runFinished, runStarted } from "../../../test/run-events.ts";
import type { RunEvent } from "./event.ts";
import { addEvent, countsOf, emptySummary, type RunSummary } from "./summary.ts";

const second = { ...iterationStarted, iteration: 4, task: mail };

const LEFT_OUT = [{ path: ".env", why: "it may hold secrets" }];

const events: readonly RunEvent[] = [
  runStarted,
  { type: "run.notice", level: "warning", text: "No branch is checked out" },
  iterationStarted,
  { type: "agent.text", iteration: 3, text: "Working" },
  { type: "commit.made", iteration: 3, commit: "abc", subject: "Add login", files: 1, leftOut: LEFT_OUT },
  iterationFinished,
  { type: "run.waiting", for: "limit", untilMs: 5 },
  { type: "run.resumed" },
  second,
  {
    ...iterationFinished,
    iteration: 4,
    task: mail,
    outcome: "gave-up",
    status: "failed",
    reason: "No server",
    costUsd: undefined,
    commit: "abc",
  },
  { type: "work.kept", task: mail.id, ref: "refs/ralph/r-1/t-5e6f7a8b", commit: "def", why: "It failed" },
  { ...hookFinished, costUsd: 0.08, tokens: 10, isEstimated: false },
  { ...hookFinished, passed: false, reason: "exit code 1" },
  { type: "run.waiting", for: "pause" },
];

const summaryOf = (some: readonly RunEvent[]): RunSummary => some.reduce(addEvent, emptySummary);

describe("summary", () => {
  test("a fold over the events of a run tells all that they said", () => {
    expect(summaryOf(events)).toEqual({
      started: runStarted,
      latest: second,
      changes: new Map(),
      tasks: new Map([
        [login.id, "proven"],
        [mail.id, "failed"],
      ]),
      commits: 1,
      costUsd: 0.5,
      isCostPartial: true,
      isCostEstimated: false,
      tokens: 24_700,
      notices: [{ level: "warning", text: "No branch is checked out" }],
      leftOut: LEFT_OUT,
      kept: [{ task: mail.id, ref: "refs/ralph/r-1/t-5e6f7a8b", why: "It failed" }],
      hooks: { runs: 2, failed: 1 },
      waiting: { for: "pause" },
      asked: { stop: false, pause: false },
      finished: undefined,
    });
  });

  test.each<[string, readonly RunEvent[], object]>([
    ["a proven task", [iterationFinished], { proven: 1 }],
    ["an unbroken task", [{ ...iterationFinished, strength: "unbroken" }], { unbroken: 1 }],
    ["a task without proof", [{ ...iterationFinished, strength: "look" }], { look: 1 }],
    ["a task that waits", [{ ...iterationFinished, outcome: "parked", status: "parked" }], { waiting: 1 }],
    ["a task that was rejected", [{ ...iterationFinished, outcome: "rejected", status: "pending" }], {}],
    [
      "a task that is open again",
      [iterationFinished, { type: "tasks.changed", change: "reopened", tasks: [login] }],
      {},
    ],
    ["a plan", [{ ...iterationFinished, task: undefined, status: undefined }], {}],
    ["dropped tasks", [{ type: "tasks.changed", change: "dropped", tasks: [login, mail] }], { dropped: 2 }],
    ["new tasks", [{ type: "tasks.changed", change: "added", tasks: [login, mail] }], {}],
    [
      "a run that is over: its own numbers",
      [iterationFinished, { ...runFinished, left: { ready: 0, blocked: 2, waiting: 3, failed: 5, settled: 4 } }],
      { unbroken: 4, blocked: 2, waiting: 3, failed: 5 },
    ],
  ])("counts %s", (_name, some, counts) => {
    const none = { proven: 0, unbroken: 0, look: 0, failed: 0, waiting: 0, dropped: 0, blocked: 0 };
    expect(countsOf(summaryOf(some))).toEqual({ ...none, ...counts });
  });

  test("P-44 the end's own numbers win over the sum of the iterations", () => {
    const { commits, costUsd, tokens, waiting, finished } = summaryOf([...events, runFinished]);
    expect({ commits, costUsd, tokens, waiting, finished }).toEqual({
      commits: 4,
      costUsd: 3.2,
      tokens: 1_234_567,
      waiting: undefined,
      finished: runFinished,
    });
  });

  test("keeps the last hundred notices", () => {
    const notices = Array.from({ length: 150 }, (_, n): RunEvent => ({
      type: "run.notice",
      level: "info",
      text: `${n}`,
    }));
    const kept = summaryOf(notices).notices.map(({ text }) => Number(text));
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, 50, 149]);
  });

  test("a fold over any events never throws, and is the same in one go and step by step", () => {
    fc.assert(
      fc.property(fc.array(arbitraryEvent()), (some) => {
        let summary = emptySummary;
        for (const event of some) {
          summary = addEvent(summary, event);
          countsOf(summary);
        }
        expect(summaryOf(some)).toEqual(summary);
        expect([emptySummary.latest, emptySummary.notices]).toEqual([undefined, []]);
      }),
    );
  });
});

test("S002-09 of several changes, the summary knows which is under way, also one that goes on after its end", () => {
  const begun = { ...runStarted, changes: ["a", "b"] };
  const ended = {
    change: "a",
    ending: "complete",
    reason: "",
    left: { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 1 },
  } as const;
  const late = { ...second, scope: "change/c" };
  const some: RunEvent[] = [begun, { type: "change.finished", ...ended }, late];
  expect([...summaryOf(some).changes]).toEqual([
    ["a", "complete"],
    ["b", undefined],
    ["c", undefined],
  ]);
  expect(summaryOf(some).started?.changes).toEqual(["a", "b", "c"]);
  expect([...summaryOf([...some, { ...second, scope: "change/a" }]).changes][0]).toEqual(["a", undefined]);
});
