import { expect, test } from "vitest";
import { type Check, type DecayFinding, describeFinding, gatesWithBroken, proposal } from "./decay.ts";
import type { Task } from "./task.ts";

const first = { id: "t-00000001", title: "Log in", scope: "project/web", gates: [] } as unknown as Task;
const second = { id: "t-00000002", title: "Log out" };
const own: Check = {
  gate: { id: "own", kind: "task", run: "grep -q it's a.txt", timeoutMs: 1, retries: 0 },
  task: first,
};
const unit: Check = { gate: { id: "unit", kind: "workspace", run: "make", timeoutMs: 1, retries: 0 }, task: undefined };
const commit = (digit: string) => ({ id: digit.repeat(40), author: "Ann", subject: `Work ${digit}` });

const found = (about: Partial<DecayFinding>): DecayFinding => ({
  check: own,
  result: { gate: own.gate, passed: false, runs: [] },
  kind: "broken",
  commit: commit("a"),
  candidates: [],
  skipped: [],
  action: "none",
  ...about,
});

test("T-30 each finding is one sentence that says since when, and whom it blames", () => {
  const said = (about: Partial<DecayFinding>): string =>
    describeFinding(found(about)).replace("Gate own of t-00000001 (Log in) ", "");
  const end = (why: DecayFinding["end"]) => said({ kind: "inherited", end: why });
  expect([
    said({ culprit: second, action: "reopened" }),
    said({ culprit: second, action: "open" }),
    said({ culprit: second, action: "again" }),
    said({ action: "proposed", skipped: [commit("b")] }),
    said({ kind: "one of", commit: undefined, candidates: [commit("a"), commit("b")] }),
    said({ kind: "known", culprit: second }),
    end("first commit"),
    end("since"),
    end("shallow"),
    end(undefined),
    said({ kind: "surroundings" }),
    said({ kind: "flaky" }),
    said({ kind: "not searched", commit: undefined }),
    describeFinding(found({ check: unit, kind: "flaky" })),
  ]).toEqual([
    "fails since aaaaaaaaaa (Work a), a commit of t-00000002: reopened",
    "fails since aaaaaaaaaa (Work a), a commit of t-00000002, which is open",
    "fails since aaaaaaaaaa (Work a), a commit of t-00000002, which was reopened for that before",
    "fails since aaaaaaaaaa (Work a) by Ann; skipped bbbbbbbbbb, which cannot be checked",
    "fails since one of these commits: aaaaaaaaaa, bbbbbbbbbb",
    "fails since aaaaaaaaaa, and t-00000002 is open because of it",
    "fails at or before aaaaaaaaaa, the first commit: inherited",
    "fails at or before aaaaaaaaaa, where the search begins: inherited",
    "fails at or before aaaaaaaaaa, where the history of this shallow clone ends",
    "fails at or before aaaaaaaaaa",
    "fails on the files of aaaaaaaaaa, on which it passed before: something outside the repository changed",
    "is flaky: it failed and passed on the files of aaaaaaaaaa",
    "fails. Older commits were not searched, because verify.in is tree",
    "Gate unit is flaky: it failed and passed on the files of aaaaaaaaaa",
  ]);
});

test("T-30 a task is proposed only for a person's commit, as a command that a shell takes", () => {
  expect(proposal(found({ action: "proposed" }))).toBe(
    `ralphctl task add --project web 'Mend the gate own of t-00000001, which aaaaaaaaaa broke' --gate 't-00000001.own=grep -q it'\\''s a.txt'`,
  );
  expect(
    proposal(found({ check: unit, kind: "one of", commit: undefined, candidates: [commit("b"), commit("c")] })),
  ).toBe("ralphctl task add 'Mend the gate unit, which one of bbbbbbbbbb, cccccccccc broke'");
  for (const action of ["reopened", "open", "none"] as const) expect(proposal(found({ action }))).toBeUndefined();
  for (const kind of ["flaky", "inherited", "surroundings", "known"] as const) {
    expect(proposal(found({ kind }))).toBeUndefined();
  }
});

test("T-30 a reopened task gets the gates of other tasks that it broke, each once", () => {
  const mine = { id: "own", run: "true", retries: 0 };
  const task = { id: "t-00000002", gates: [mine] };
  const given = { id: "t-00000001.own", run: own.gate.run, timeoutMs: 1, retries: 0 };
  expect(gatesWithBroken(task, [own, own, unit])).toEqual([mine, given]);
  expect(gatesWithBroken({ ...task, gates: [mine, given] }, [own])).toEqual([mine, given]);
  expect(gatesWithBroken({ id: first.id, gates: [mine] }, [own])).toEqual([mine]);
});
