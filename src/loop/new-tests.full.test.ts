import { join } from "node:path";
import { expect, test } from "vitest";
import { claimedWork } from "../../test/claimed-work.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import type { Findings } from "../domain/verdict.ts";
import { judgeWithNewTests } from "./new-tests.ts";

type Files = Readonly<Record<string, string>>;

const GATE: Gate = { id: "test", kind: "workspace", run: "sh check.sh", timeoutMs: 30_000, retries: 0 };
const LINT: Gate = { ...GATE, id: "lint", run: "true" };
const CHECK = 'for test in *.test.sh; do sh "$test" || exit 1; done\n';

interface Play {
  readonly base?: Files;
  readonly work: Files;
  /** A file that the work removes. */
  readonly gone?: string;
  readonly gate?: Partial<Gate>;
  readonly isOnLane?: boolean;
}

/** How strong work is that the gate `test`, and one that runs no tests, passed. */
async function strengthOf({ base = {}, work, gone, gate, isOnLane = false }: Play): Promise<string> {
  const old = { "check.sh": CHECK, "old.test.sh": "true\n", ...base };
  const { lane, attempt, built } = await claimedWork(old, work, gone);
  const passed = (one: Gate): GateResult => ({ gate: one, passed: true, runs: [] });
  const findings: Findings = {
    results: [passed(LINT), passed({ ...GATE, ...gate })],
    changes: Object.keys(work).map((path) => ({ path, kind: "added", before: undefined, after: undefined })),
    uncommittable: [],
    protect: [],
    granted: [],
    notWork: [],
    allowNoChange: false,
    earlierNoChange: 0,
    look: [],
    redFirst: [],
    shownLittle: [],
    isOnLane,
  };
  const verdict = await judgeWithNewTests(lane, attempt, { findings, built });
  return verdict.kind === "accepted" ? `${verdict.strength} ${verdict.why.join("; ")}`.trim() : verdict.kind;
}

const HONEST = { "a.txt": "yes", "a.test.sh": "grep -q yes a.txt\n" };
const FLAKY = (counter: string): string =>
  `test -f a.txt && exit 0; echo x >> ${counter}; test "$(wc -l < ${counter})" -ne 1\n`;
const SHOWN = "proven test failed with the new tests and without the work";

test.each<[string, Play, string]>([
  ["that fails without the work proves it", { work: HONEST }, SHOWN],
  [
    "that only misses a name shows little",
    { work: { "a.txt": "", "a.test.sh": "test -f a.txt || { echo NameError: a; exit 1; }\n" } },
    "unbroken test passes; without the work its new tests fail only because a name is missing, which shows little",
  ],
  ["that passes without the work says nothing", { work: { "a.txt": "", "a.test.sh": "true\n" } }, "unbroken"],
  [
    "that fails only at times says nothing",
    { work: { "a.txt": "", "a.test.sh": FLAKY(join(temporaryFolder(), "times")) } },
    "unbroken",
  ],
  [
    "says nothing if the gate fails on the base, too",
    { base: { "old.test.sh": "test -f a.txt\n" }, work: { "a.txt": "", "a.test.sh": "true\n" } },
    "unbroken",
  ],
  [
    "that moved does not run beside the old one",
    {
      base: { "check.sh": 'set -- *.test.sh; test $# -eq 1 && sh "$1"\n' },
      work: { "a.txt": "", "new.test.sh": "true # moved\n" },
      gone: "old.test.sh",
    },
    "unbroken",
  ],
  ["says nothing to a gate that an agent wrote", { work: HONEST, gate: { isAgents: true } }, "unbroken"],
  [
    "says nothing to a gate that runs no tests",
    { base: { "all.sh": CHECK }, work: HONEST, gate: { id: "build", run: "sh all.sh" } },
    "unbroken",
  ],
  [
    "says nothing if gates ran on the files as they lay",
    { work: HONEST, isOnLane: true },
    "unbroken the gates passed on the files as they lay",
  ],
  [
    "without a program to run it says nothing",
    { work: { "a.txt": "", tool: "", "a.test.sh": "test -f tool || exit 127\n" }, gate: { run: "sh a.test.sh" } },
    "unbroken",
  ],
])("T-21 a new test %s", async (_name, play, expected) => {
  expect(await strengthOf(play)).toBe(expected);
});
