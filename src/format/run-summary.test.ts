import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryEvent } from "../../test/arbitrary-event.ts";
import { iterationFinished, login, mail, runFinished, runStarted, shortRun } from "../../test/run-events.ts";
import type { RunEvent, RunFinished } from "../domain/run/event.ts";
import { addEvent, emptySummary } from "../domain/run/summary.ts";
import { runSummary } from "./run-summary.ts";

const text = (finished: Partial<RunFinished>, before: readonly RunEvent[] = shortRun()): string => {
  const end = { ...runFinished, ...finished };
  return runSummary(end, [...before, end].reduce(addEvent, emptySummary));
};

const left = runFinished.left;

describe("summary of a run", () => {
  test("complete: what was done, what it took, and how to look at it", () => {
    expect(text({ reason: "" })).toBe(`Complete and verified

  Tasks       4 unbroken
  Iterations  7 in 42m10s
  Cost        $3.20 · 1,234,567 tokens
  Commits     4 on main

Next:
  git log --oneline 0123456789..main
`);
  });

  test("L-43 with several lanes it says how many", () => {
    expect(text({}, [{ ...runStarted, lanes: 4 }])).toContain("\n  Iterations  7 in 42m10s, in 4 lanes\n");
  });

  test("a plan: it is written, and can be built", () => {
    const plan: RunEvent = { ...runStarted, mode: "plan", scope: "project/auth" };
    const end = {
      mode: "plan" as const,
      verified: 0,
      commits: 1,
      iterations: 1,
      left: { ...left, ready: 3, settled: 0 },
    };
    expect(text(end, [plan])).toBe(`The plan is written

  Tasks       3 ready
  Iterations  1 in 42m10s
  Cost        $3.20 · 1,234,567 tokens
  Commits     1 on main

Next:
  ralphctl task list --project auth
  ralphctl run --project auth
`);
  });

  test("P-19 unverified: says so first, and how to add a gate", () => {
    const reason = "no gate has proven anything";
    expect(text({ ending: "unverified", reason, verified: 1, unverified: 3 }))
      .toBe(`Complete, but unverified: no gate has proven anything

  Tasks       1 unbroken · 3 to look at
  Iterations  7 in 42m10s
  Cost        $3.20 · 1,234,567 tokens
  Commits     4 on main

Next:
  Add gates to .ralph/config.yaml, such as gates: [{ id: test, run: COMMAND }]
  ralphctl verify
`);
  });

  test("T-15 T-20 names done tasks that are not enough, why, and how to approve one", () => {
    const look = [
      { ...mail, standing: "look", reason: "tests changed: a.test.ts" },
      { ...login, standing: "unrecorded", reason: "its verdict is not on record" },
    ] as const;
    const done = { proven: 1, unbroken: 0, word: 0, look: 1, unrecorded: 1 };
    expect(
      text({ ending: "unverified", reason: "All tasks are done", proven: 1, verified: 1, unverified: 1, done, look }),
    ).toBe(`Complete, but unverified: 3 tasks (1 proven, 1 to look at, 1 not on record)

  Tasks       1 proven · 1 to look at
  Iterations  7 in 42m10s
  Cost        $3.20 · 1,234,567 tokens
  Commits     4 on main

Look at these
  ${mail.id} "${mail.title}": tests changed: a.test.ts
  ${login.id} "${login.title}" (not on record): its verdict is not on record

Next:
  ralphctl task show ${mail.id}
  ralphctl task approve ${mail.id}
`);
  });

  test("P-44 a cost that was computed from tokens is called an estimate, beside one that is not known it is the least", () => {
    const guessed: RunEvent = { ...iterationFinished, isEstimated: true };
    const cost = (events: readonly RunEvent[]): string | undefined =>
      text({ ending: "complete" }, [runStarted, ...events])
        .split("\n")
        .find((line) => line.includes("Cost"));
    expect([
      cost([iterationFinished]),
      cost([guessed, iterationFinished]),
      cost([guessed, { ...iterationFinished, costUsd: undefined }]),
    ]).toEqual([
      "  Cost        $3.20 · 1,234,567 tokens",
      "  Cost        about $3.20 (estimated) · 1,234,567 tokens",
      "  Cost        at least $3.20 (estimated) · 1,234,567 tokens",
    ]);
  });

  test("P-33 failure: which tasks, why, where their work is, and how to try again", () => {
    const kept: RunEvent = {
      type: "work.kept",
      task: mail.id,
      ref: "refs/ralph/r-1/t-5e6f7a8b",
      commit: "abc",
      why: "the task failed",
    };
    const unpriced: RunEvent = { ...iterationFinished, costUsd: undefined };
    const failed = [{ ...mail, reason: "Gate test failed\nthree times" }];
    expect(
      text({ ending: "failure", reason: "1 task failed", verified: 3, failed, left: { ...left, failed: 1 } }, [
        runStarted,
        unpriced,
        kept,
      ]),
    ).toBe(`Failed: 1 task failed

  Tasks       3 unbroken · 1 failed
  Iterations  7 in 42m10s
  Cost        at least $3.20 · 1,234,567 tokens
  Commits     4 on main

Failed
  t-5e6f7a8b "Send mail": Gate test failed three times

Saved work
  refs/ralph/r-1/t-5e6f7a8b: the task failed. Take it: ralphctl lanes take t-5e6f7a8b

Next:
  ralphctl task show t-5e6f7a8b
  ralphctl task reset t-5e6f7a8b && ralphctl run
  git log refs/ralph/r-1/t-5e6f7a8b
`);
  });

  test("L-42 work that several lanes left is one line each, with the commands once", () => {
    const unfinished = [1, 2, 3, 4, 5, 6, 7].map((at) => ({
      task: `t-${at}`,
      ref: `refs/ralph/work/t-${at}`,
      files: at,
    }));
    const { length } = unfinished;
    expect(text({ ending: "interrupted", reason: "Stopped by you", unfinished }, [runStarted])).toContain(`
Unfinished work
  refs/ralph/work/t-1 (1 file)
  refs/ralph/work/t-2 (2 files)
  refs/ralph/work/t-3 (3 files)
  refs/ralph/work/t-4 (4 files)
  refs/ralph/work/t-5 (5 files)
  and ${length - 5} more: ralphctl lanes
  See one: git diff REF^ REF; take it: ralphctl lanes take TASK; drop it: ralphctl lanes drop TASK

`);
  });

  test("failure of the harness: where the last session is", () => {
    const end = {
      ending: "failure",
      reason: "The harness failed 5 times in a row",
      limit: "errors",
      verified: 0,
      commits: 0,
    } as const;
    expect(text({ ...end, costUsd: undefined, tokens: 0, left: { ...left, ready: 4, settled: 0 } }))
      .toBe(`Failed: the harness failed 5 times in a row

  Tasks       4 ready
  Iterations  7 in 42m10s
  Cost        not reported
  Commits     none

Next:
  ls .ralph/runs/r-20261116-014755-3f2a/3
  ralphctl run
`);
  });

  test("P-42 stuck, and all that is left waits for a person: the answers come first", () => {
    const waiting = [{ ...login, question: "What is in the way?" }];
    const end = { ending: "failure", reason: "The same again, and nothing else is ready", waiting } as const;
    const shown = text({ ...end, left: { ...left, ready: 0, blocked: 0, waiting: 1 } });
    expect(shown.split("\nNext:\n")[1]).toBe(`  ralphctl task answer ${login.id} TEXT\n  ralphctl run\n`);
  });

  test("P-42 at a limit, tasks that only wait for their turn are no problem, and many are counted whole", () => {
    const blocked = [{ ...mail, by: [login.id] }];
    const failed = Array.from({ length: 20 }, (_, at) => ({ id: `t-${at}`, title: "Fail", reason: "no" }));
    const end = { ending: "limit", limit: "iterations", reason: "Reached the limit of 7 iterations" } as const;
    const shown = text({ ...end, blocked, failed, left: { ...left, ready: 1, blocked: 1, failed: 34 } });
    expect([shown.includes("\nBlocked\n"), shown.includes("and 29 more: ralphctl task list")]).toEqual([false, true]);
  });

  test("P-02 complete for the tasks that were asked for: says that others are ready", () => {
    const end = { ending: "complete", reason: "The work of this run is done", othersReady: 5 } as const;
    expect(text(end)).toContain("Next:\n  ralphctl run  # 5 other tasks are ready\n  git log");
  });

  test("blocked: who waits for an answer, and what is blocked by what", () => {
    const waiting = Array.from({ length: 7 }, (_, n) => ({ ...login, id: `t-${n}`, question: "Which provider?" }));
    const blocked = [{ ...mail, by: ["t-0", "t-1"] }];
    const counts = { ...left, waiting: 7, blocked: 1 };
    const look = [{ ...mail, id: "t-9", standing: "look" as const, reason: "tests changed: a.test.ts" }];
    expect(text({ ending: "blocked", reason: "7 tasks wait", look, waiting, blocked, left: counts }))
      .toBe(`Blocked until you act: 7 tasks wait

  Tasks       4 unbroken · 7 waiting for a person · 1 blocked
  Iterations  7 in 42m10s
  Cost        $3.20 · 1,234,567 tokens
  Commits     4 on main

Look at these
  t-9 "Send mail": tests changed: a.test.ts

Waiting for a person
  t-0 "Add login" asks: Which provider?
  t-1 "Add login" asks: Which provider?
  t-2 "Add login" asks: Which provider?
  t-3 "Add login" asks: Which provider?
  t-4 "Add login" asks: Which provider?
  and 2 more: ralphctl task list

Blocked
  t-5e6f7a8b "Send mail" needs t-0, t-1

Next:
  ralphctl task answer t-0 TEXT
  ralphctl task answer t-1 TEXT
  ralphctl task answer t-2 TEXT
  ralphctl task approve t-9  # ralphctl task show t-9 shows the change
  ralphctl run
`);
  });

  test("P-05 nothing to do: the commands that would help", () => {
    const none = { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 0 };
    const end = { iterations: 0, verified: 0, commits: 0, costUsd: undefined, tokens: 0, durationMs: 0, left: none };
    const start: RunEvent = { ...runStarted, scope: "sprint/sprints/log in" };
    expect(text({ ...end, ending: "nothing", reason: "Nothing to do: no specs and no tasks" }, [start]))
      .toBe(`Nothing to do: no specs and no tasks

Next:
  ralphctl run plan --sprint 'sprints/log in'
  ralphctl task add TITLE --sprint 'sprints/log in'
`);
  });

  test("X-77 a refused login: what to do about it, and how to go on", () => {
    const end = { ending: "login", reason: "The login was refused: 401" } as const;
    const next = (help: { readonly help?: readonly string[] }) => text({ ...end, ...help }).split("Next:\n")[1];
    expect(next({ help: ["Run claude and /login there"] })).toBe("  Run claude and /login there\n  ralphctl run\n");
    expect(next({})).toBe("  Log in to claude, then ralphctl run\n");
  });

  test("a limit: how to go on", () => {
    const next = (limit: "cost" | "tokens" | "time"): string =>
      text({ ending: "limit", limit }, [{ ...runStarted, limits: { iterations: 32, costUsd: 20, tokens: 5000 } }])
        .trimEnd()
        .split("\n")
        .at(-1)!;
    expect([next("cost"), next("tokens"), next("time")]).toEqual([
      "  ralphctl run --max-cost 20",
      "  ralphctl run --max-tokens 5000",
      "  ralphctl run",
    ]);
    const end = { ending: "limit", reason: "Reached the limit of 20 iterations", limit: "iterations" } as const;
    expect(text({ ...end, left: { ...left, ready: 2 } }))
      .toBe(`Stopped at a limit, with work left: reached the limit of 20 iterations

  Tasks       4 unbroken · 2 ready
  Iterations  7 in 42m10s
  Cost        $3.20 · 1,234,567 tokens
  Commits     4 on main

Next:
  ralphctl run
`);
    expect(
      text({ ...end, limit: "wait" })
        .split("\n")
        .at(-2),
    ).toBe("  ralphctl run --max-wait 24h");
  });

  test("dag-R6 what was dropped is named, with the reason: it counts as settled, and nobody did it", () => {
    const droppedTasks = [
      { ...mail, reason: "Its entry is gone from IMPLEMENTATION_PLAN.md." },
      { ...login, reason: "" },
    ];
    const done = { proven: 3, unbroken: 2, word: 1, look: 0, unrecorded: 0 };
    expect(text({ reason: "All tasks are done or dropped", done, dropped: 2, droppedTasks }))
      .toBe(`Complete and verified: 6 tasks (3 proven, 2 unbroken, 1 by your word), 2 dropped

  Tasks       4 unbroken · 2 dropped
  Iterations  7 in 42m10s
  Cost        $3.20 · 1,234,567 tokens
  Commits     4 on main

Dropped, not done
  ${mail.id} "${mail.title}": Its entry is gone from IMPLEMENTATION_PLAN.md.
  ${login.id} "${login.title}"

Next:
  git log --oneline 0123456789..main
`);
  });

  test("P-32 what commits left out is named at the end as well, each once", () => {
    const commit: RunEvent = {
      type: "commit.made",
      iteration: 1,
      commit: "abc",
      subject: "Add it",
      files: 1,
      leftOut: [...Array(6).keys()].map((index) => ({ path: `big${index}.bin`, why: "it is larger than 5MB" })),
    };
    expect(text({}, [...shortRun(), commit, commit])).toContain(`
Not committed
  big0.bin: it is larger than 5MB
  big1.bin: it is larger than 5MB
  big2.bin: it is larger than 5MB
  big3.bin: it is larger than 5MB
  big4.bin: it is larger than 5MB
  and 1 more: git status

Next:
`);
  });

  test("P-40 interrupted when all was done: there is nothing to go on with", () => {
    const left = { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 4 };
    expect(text({ ending: "interrupted", reason: "All tasks were done", left }).split("\n\n").at(-1)).toBe(
      "Next:\n  ralphctl verify\n  git log --oneline 0123456789..main\n",
    );
  });

  test("what is to be verified next is of the same scope", () => {
    const left = { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 4 };
    const before = [{ ...runStarted, scope: "change/add-login" }];
    const next = (["unverified", "interrupted"] as const).map((ending) => text({ ending, left }, before));
    expect(next.map((each) => each.includes("  ralphctl verify --change add-login\n"))).toEqual([true, true]);
  });

  test("P-40 interrupted: the next command goes on", () => {
    const left = { ready: 1, blocked: 0, waiting: 0, failed: 0, settled: 4 };
    expect(text({ ending: "interrupted", reason: "Stopped by you", dropped: 1, left })).toBe(`Stopped by you

  Tasks       4 unbroken · 1 ready · 1 dropped
  Iterations  7 in 42m10s
  Cost        $3.20 · 1,234,567 tokens
  Commits     4 on main

Next:
  ralphctl run
`);
  });

  test("W-04 no run gets a control character to the terminal, and none makes it throw", () => {
    const end = arbitraryEvent().filter((event): event is RunFinished => event.type === "run.finished");
    fc.assert(
      fc.property(fc.array(arbitraryEvent()), end, (events, finished) => {
        // oxlint-disable-next-line no-control-regex
        expect(text(finished, events)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        );
      }),
      { numRuns: 50 },
    );
  });
});
