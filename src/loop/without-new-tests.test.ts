import { expect, test } from "vitest";
import { claimedWork } from "../../test/claimed-work.ts";
import type { Gate } from "../domain/gate.ts";
import { findNeedsNewTests } from "./without-new-tests.ts";

const unless = (words: string): string => `test -f a.test.sh || { echo "${words}"; exit 1; }`;

const gate = (id: string, run: string): Gate => ({ id, kind: "workspace", run, timeoutMs: 30_000, retries: 0 });

test("T-11 the old tests pass without the new ones, or a person looks; gates may ask for the new ones", async () => {
  const { lane, attempt, built } = await claimedWork(
    { "sum.test.sh": "grep -q 4 sum.txt || exit 1\n", "sum.txt": "4\n" },
    { "a.test.sh": "exit 0\n", "sum.txt": "5\n" },
  );
  const gates = [
    gate("misled test", 'for t in *.test.sh; do . "./$t"; done'),
    gate("test that names it", unless("no a.test.sh")),
    gate("test that lacks coverage", unless("Tests: 3 passed")),
    gate("test that lacks a name", unless("Cannot find module")),
    { ...gate("test of the task", unless("no")), kind: "task" as const },
  ];
  const results = gates.map((one) => ({ gate: one, passed: true, runs: [] }));
  const found = await findNeedsNewTests(lane, attempt, { built, results, tried: undefined });
  expect(found).toEqual(["gate misled test fails without the new test files: a.test.sh"]);
});
