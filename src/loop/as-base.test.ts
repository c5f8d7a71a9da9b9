import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { claimedWork } from "../../test/claimed-work.ts";
import type { Gate } from "../domain/gate.ts";
import { proveAsBase, readDeciding } from "./as-base.ts";

test("T-11 a gate that is a function runs once more with the tests of the base", async () => {
  const { lane, attempt, built } = await claimedWork(
    { "sum.test.sh": "grep -q 4 sum.txt\n", "sum.txt": "4\n" },
    { "sum.test.sh": "true\n", "sum.txt": "5\n" },
  );
  const check = ({ folder }: { readonly folder: string }): boolean =>
    spawnSync("sh", ["sum.test.sh"], { cwd: folder }).status === 0;
  const gate: Gate = { id: "code", kind: "command", run: "", timeoutMs: 30_000, retries: 0, check };
  const green = { built, results: [{ gate, passed: true, runs: [] }], hasLost: false, pinned: [] };
  const deciding = readDeciding(lane, built, [gate]);
  expect(await proveAsBase(lane, attempt, { ...green, deciding })).toMatchObject({
    tests: { changes: [{ path: "sum.test.sh", gates: ["code"] }], why: "gate code fails with the old files" },
  });
});

/** Runs the tests of all packages that a list names. */
const eachMember = ({ folder }: { readonly folder: string }): boolean =>
  spawnSync(
    "sh",
    ["-ec", "for p in $(cat members); do (cd $p && for t in tests/*; do [ ! -f $t ] || sh $t || exit 1; done); done"],
    {
      cwd: folder,
    },
  ).status === 0;

test.each([
  ["as they were, in a package that moved, are those of the base", "grep -q 4 sum.txt\n", true],
  ["that changed in a package that moved are not those of the base", "grep -q . sum.txt\n", false],
])("T-11 tests %s", async (_what, text, isSame) => {
  const { lane, attempt, built } = await claimedWork(
    { members: "beta\n", "beta/sum.txt": "4\n", "beta/tests/sum.test.sh": "grep -q 4 sum.txt\n" },
    {
      members: "delta\n",
      "delta/sum.txt": "4\n",
      "delta/tests/sum.test.sh": text,
    },
    "beta",
  );
  const gate: Gate = { id: "code", kind: "command", run: "", timeoutMs: 30_000, retries: 0, check: eachMember };
  const green = { built, results: [{ gate, passed: true, runs: [] }], hasLost: false, pinned: [] };
  const { tried } = await proveAsBase(lane, attempt, { ...green, deciding: readDeciding(lane, built, [gate]) });
  expect(tried === built.tree).toBe(isSame);
});

test("T-11 tests inside of a source run once more as the base has them, with the source of the work", async () => {
  const rust = (sum: number, expected: number) =>
    `// ${sum}\nsum = ${sum}\n\n#[cfg(test)]\nmod tests {\nassert ${expected}\n}\n`;
  const { lane, attempt, built } = await claimedWork({ "src/lib.rs": rust(4, 4) }, { "src/lib.rs": rust(5, 5) });
  const run = `test "$(sed -n 's/^sum = //p' src/lib.rs)" = "$(sed -n 's/^assert //p' src/lib.rs)"`;
  const gate: Gate = { id: "cargo", kind: "workspace", run, timeoutMs: 30_000, retries: 0 };
  const green = { built, results: [{ gate, passed: true, runs: [] }], hasLost: false, pinned: [] };
  const deciding = readDeciding(lane, built, [gate]);
  expect(await proveAsBase(lane, attempt, { ...green, deciding })).toMatchObject({
    tests: { changes: [{ path: "src/lib.rs", isInside: true }], why: "gate cargo fails with the old files" },
  });
});
