import { expect, test } from "vitest";
import { claimedWork } from "../../test/claimed-work.ts";
import { git } from "../../test/temporary-folder.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { rememberPassed } from "./proofs.ts";
import { findSwitchedOff } from "./tests-ran.ts";

const GATE: Gate = { id: "test", kind: "workspace", run: "cat counted", timeoutMs: 30_000, retries: 0 };

const passing = (count: number): string => `# pass ${count}\n# fail 0\n`;

function counted(count: number): GateResult {
  const head = passing(count);
  const output = { head, tail: "", file: "", bytes: head.length };
  return { gate: GATE, passed: true, runs: [{ end: { kind: "exit", code: 0 }, durationMs: 1, swept: 0, output }] };
}

interface Play {
  /** What the gate counts on the base if it runs there once more. */
  readonly today: number;
  readonly base?: Readonly<Record<string, string>>;
  readonly work?: Readonly<Record<string, string>>;
}

/** What is said of work after which 2 tests pass, and before which 3 did. */
async function saidOf({ today, base: more = {}, work = { "a.txt": "b\n" } }: Play): Promise<readonly string[]> {
  const base = { "a.txt": "a\n", "a.test.js": "a\n", counted: passing(today), ...more };
  const { lane, attempt, built } = await claimedWork(base, work);
  const { store, home } = lane.deps;
  const from = git(home.folder, "rev-parse", `${built.head}^{tree}`);
  await rememberPassed(store, { tree: from, setup: "" }, { results: [counted(3)], pinned: [] });
  await rememberPassed(store, { tree: built.tree, setup: "" }, { results: [counted(2)], pinned: [] });
  const ran = { built, results: [counted(2)], pinned: [], tried: undefined };
  return await findSwitchedOff(lane, attempt, ran);
}

test("T-20 fewer tests count only if the base has more of them today", async () => {
  expect(await saidOf({ today: 3 })).toEqual(["gate test ran 3 tests before, and 2 pass now"]);
  expect(await saidOf({ today: 2 })).toEqual([]);
});

test("T-20 work that changes tests as its task asks may have fewer of them; new files say nothing of that", async () => {
  expect(await saidOf({ today: 3, work: { "a.txt": "b\n", "a.test.js": "b\n" } })).toEqual([]);
  expect(await saidOf({ today: 3, work: { "a.txt": "b\n", "b.test.js": "b\n" } })).toHaveLength(1);
});

const PATCH = "Object.is = () => true;";
const LONG = "x".repeat(1989);

test.each([
  ["behind a NUL", `/*\0*/\n${PATCH}\n`, "a.js changes how tests are judged: `Object.is =`"],
  ["where a long line is broken", `"${LONG}";${PATCH}\n`, "a.js changes how tests are judged: `Object.is =`"],
  ["in more than is read", `${PATCH}\n${"x;\n".repeat(1_500_000)}`, "a.js is too long to be looked at"],
])("T-20 a patch of tests is seen %s", async (_, text, said) => {
  expect(await saidOf({ today: 2, work: { "a.js": text } })).toEqual([said]);
});

test.each([
  ["a test defines", "sum.test.sh", ["lib.sh changes how tests are judged: `fail()` of sum.test.sh"]],
  ["another library defines", "other.sh", []],
])("T-20 a function of a name that %s", async (_, path, said) => {
  const base = { [path]: "fail() { exit 1; }\n. ./lib.sh\n", "lib.sh": "sum() { echo 4; }\n" };
  expect(await saidOf({ today: 2, base, work: { "lib.sh": "sum() { echo 5; }\nfail() { :; }\n" } })).toEqual(said);
});
