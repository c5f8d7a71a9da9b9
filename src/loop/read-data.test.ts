import { expect, test } from "vitest";
import { claimedWork } from "../../test/claimed-work.ts";
import { byLane } from "../../test/lane.ts";
import type { Gate } from "../domain/gate.ts";
import { readDeciding } from "./as-base.ts";
import { findReadData } from "./read-data.ts";

type Files = Readonly<Record<string, string>>;

interface Play {
  readonly run?: string;
  readonly base?: Files;
  readonly work: Files;
  readonly mayChange?: readonly string[];
  readonly redBefore?: readonly string[];
  readonly tests?: "free";
  readonly isOnLane?: true;
  readonly durationMs?: number;
}

const BASE = { sum: "4\n", other: "4\n", "tests/a.sh": "true\n", "src/print.sh": "echo 4\n" };

/** What is said of work that the gate passes, if the data that it reads is as it was. */
async function saidOf(play: Play): Promise<string> {
  const { run = "cmp sum other", base, work, mayChange = [], redBefore = [], tests, isOnLane, durationMs = 1 } = play;
  const gate: Gate = { id: "test", kind: "workspace", run, timeoutMs: 30_000, retries: 0 };
  const { lane, attempt, built } = await claimedWork({ ...BASE, ...base }, work);
  const { deps } = lane;
  lane.run.redBefore = redBefore;
  const output = { head: "", tail: "", file: "", bytes: 0 };
  const ran = { end: { kind: "exit", code: 0 }, durationMs, swept: 0, output } as const;
  const results = [{ gate, passed: true, runs: [ran] }];
  const room = { ...deps.room, ...(isOnLane && { isLane: isOnLane }) };
  const rules = { ...deps.rules, testFiles: ["tests/**"], ...(tests && { tests }) };
  const there = { ...lane, deps: { ...deps, room, rules } };
  const claim = { ...attempt.claim, task: { ...attempt.claim.task, mayChange } };
  const deciding = readDeciding(there, built, [gate]);
  const look = await findReadData(there, { ...attempt, claim }, { built, results, deciding, tried: undefined });
  return look.join("; ") || "nothing";
}

const BOTH = { sum: "5\n", other: "5\n" };
const caught = (paths: string): string => `gate test fails with the old content of what it reads: ${paths}`;
const LIMIT = 'test "$(cat sum)" -le "$(cat limit)"';
const NEEDS = "for test in tests/*.sh; do sh $test || exit 1; done; test -s sum";

test.each<[string, Play, string]>(
  byLane(
    [["that are compared with one another", { work: BOTH }, caught("sum")]],
    [
      ["that are compared with one another", { work: BOTH }, caught("sum")],
      [
        "of which the first is a limit",
        { run: LIMIT, base: { limit: "4\n" }, work: { sum: "5\n", limit: "5\n" } },
        caught("limit"),
      ],
      [
        "beside what a program prints",
        { run: "sh src/print.sh | cmp - other", work: { other: "5\n", "src/print.sh": "echo 5\n" } },
        caught("other"),
      ],
      ["in a gate that was red", { work: { sum: "4\n" }, base: { sum: "3\n" }, redBefore: ["test"] }, "nothing"],
      ["that got more lines", { work: { sum: "4\nx\n", other: "4\nx\n" } }, "nothing"],
      ["that the task may change", { work: BOTH, mayChange: ["other", "sum"] }, "nothing"],
      ["where tests are free", { work: BOTH, tests: "free" }, "nothing"],
      ["where gates run in the lane", { work: BOTH, isOnLane: true }, "nothing"],
      ["in a gate that takes too long", { work: BOTH, durationMs: 9e9 }, "nothing"],
      ["that only a new test wants", { run: NEEDS, work: { sum: "6\n", "tests/b.sh": "grep -qx 6 sum\n" } }, "nothing"],
    ],
  ),
)("T-11 data %s", async (_, play, said) => {
  expect(await saidOf(play)).toBe(said);
});
