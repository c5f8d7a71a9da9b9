import { join } from "node:path";
import { expect, test } from "vitest";
import { claimedWork } from "../../test/claimed-work.ts";
import { byLane } from "../../test/lane.ts";
import { git, temporaryFolder } from "../../test/temporary-folder.ts";
import type { Gate } from "../domain/gate.ts";
import { rememberPassed } from "./proofs.ts";
import { findNeedsNewTests } from "./without-new-tests.ts";

type Files = Readonly<Record<string, string>>;

interface Play {
  readonly base?: Files;
  readonly work: Files;
  /** A file that the work removes. */
  readonly gone?: string;
  readonly gate?: Partial<Gate>;
  readonly mayChange?: readonly string[];
  readonly redGates?: readonly string[];
  readonly isOnLane?: true;
  /** How many tests the gate counts on the base. */
  readonly counts?: number;
}

const CHECK = 'for test in tests/*.sh; do sh "$test" || exit 1; done\n';
const GATE: Gate = { id: "test", kind: "workspace", run: "sh check.sh", timeoutMs: 30_000, retries: 0 };
const BASE = { "check.sh": CHECK, "sum.txt": "4\n", "tests/m.sh": "grep -q 4 sum.txt\n" };

/** What is said of work that the gate passes, if its new tests are left out. */
async function saidOf(play: Play): Promise<string> {
  const { base, work, gone, gate, mayChange = [], redGates = [], isOnLane, counts } = play;
  const { lane, attempt, built } = await claimedWork({ ...BASE, ...base }, work, gone);
  const { deps, run } = lane;
  run.redGates = redGates;
  const results = [{ gate: { ...GATE, ...gate }, passed: true, runs: [] }];
  if (counts !== undefined) {
    const head = `# pass ${counts}\n`;
    const counted = {
      end: { kind: "exit", code: 0 },
      durationMs: 1,
      swept: 0,
      output: { head, tail: "", file: "", bytes: 9 },
    } as const;
    const tree = git(deps.root, "rev-parse", `${built.head}^{tree}`);
    const ran = results.map((result) => ({ ...result, runs: [counted] }));
    await rememberPassed(deps.store, { tree, setup: "" }, { results: ran, pinned: [] });
  }
  const room = { ...deps.room, ...(isOnLane && { isLane: isOnLane }) };
  const claim = { ...attempt.claim, task: { ...attempt.claim.task, mayChange } };
  const rules = { ...deps.rules, testFiles: ["tests/**"] };
  const wanted = { built, results, tried: undefined };
  const found = await findNeedsNewTests({ ...lane, deps: { ...deps, room, rules } }, { ...attempt, claim }, wanted);
  return found.look.join("; ") || (found.tried === undefined ? "nothing" : "they pass alone");
}

const MENDS = { "sum.txt": "5\n", "tests/a.sh": "echo 4 >sum.txt\n", "tests/z.sh": "echo 5 >sum.txt\n" };
const CAUGHT = "gate test fails without the new test files: tests/a.sh, tests/z.sh";
const ASSERTED = { "tests/m.sh": "grep -q 4 sum.txt || { echo 'AssertionError: 5 is not 4'; exit 1; }\n" };
/** Wants a test for each source, and counts as a test runner does. */
const COUNTS = `n=0; ${CHECK.replace("|| exit 1", "&& n=$((n+1)) || f=1").trim()}; echo "# pass $n"; echo "# fail \${f:-0}"; test "\${f:-0}" = 0 || exit 1; for file in *.txt; do test -f "tests/\${file%.txt}.sh" || exit 1; done\n`;
/** A test that loads what package.json names. */
const ENTRY = {
  "package.json": '{"main": "./sum.txt"}',
  "tests/m.sh": `grep -q 4 "$(sed 's/.*".\\/\\(.*\\)".*/\\1/' package.json)"\n`,
};
const COUNTED = { "check.sh": COUNTS, "tests/sum.sh": "true\n" };
const COUNTER = join(temporaryFolder(), "counter");
const ASKS = "sh check.sh; test -f tests/more.sh && exit 0";
const HONEST = { "more.txt": "5\n", "tests/more.sh": "grep -q 5 more.txt\n" };

test.each<[string, Play, string]>(
  byLane(
    [["that mend the work and put it back", { work: MENDS }, CAUGHT]],
    [
      ["that mend the work and put it back", { work: MENDS }, CAUGHT],
      ["that mend the work, and count", { base: COUNTED, work: MENDS }, CAUGHT],
      ["that only test", { work: HONEST }, "they pass alone"],
      ["that a gate wants for each source", { base: COUNTED, work: HONEST }, "nothing"],
      [
        "that a gate of the task names",
        { work: HONEST, gate: { kind: "task", run: "sh check.sh && test -f tests/more.sh" } },
        "nothing",
      ],
      [
        "that a gate wanted before",
        { work: HONEST, gate: { run: "sh check.sh && test -f tests/more.sh" }, redGates: ["test"] },
        "nothing",
      ],
      ["that mend the work where an assertion was red", { base: ASSERTED, work: MENDS, redGates: ["test"] }, CAUGHT],
      [
        "that mend the work where a gate was red, and counts",
        { base: COUNTED, work: MENDS, redGates: ["test"] },
        CAUGHT,
      ],
      ["that the task may change", { work: MENDS, mayChange: ["tests/**"] }, "nothing"],
      ["where old ones change as the task asks", { work: { ...MENDS, "tests/m.sh": "true\n" } }, "nothing"],
      ["where gates run no tests", { work: MENDS, gate: { id: "lint", run: "sh all.sh" } }, "nothing"],
      [
        "that are red only once",
        {
          work: HONEST,
          gate: {
            run: `sh check.sh; test -f tests/more.sh || { echo x >>${COUNTER}; test "$(wc -l <${COUNTER})" -gt 1; }`,
          },
        },
        "they pass alone",
      ],
      ["of which a gate speaks", { work: HONEST, gate: { run: `${ASKS}; echo no tests/more.sh; exit 1` } }, "nothing"],
      [
        "without which a gate that counts fails before it counts",
        {
          base: COUNTED,
          work: HONEST,
          counts: 2,
          gate: { run: "test -f tests/more.sh || { echo unused; exit 1; }; sh check.sh" },
        },
        "nothing",
      ],
      [
        "that are only text",
        { work: { ...HONEST, "tests/more.sh": "", "tests/a.md": "" }, gate: { run: "sh check.sh" } },
        "they pass alone",
      ],
      ["where gates run in the lane", { work: MENDS, isOnLane: true }, "nothing"],
      [
        "that are parts of the work",
        {
          work: {
            "main.sh": "test -f tests/part.sh || { echo Cannot find module tests/part; exit 1; }\n",
            "tests/part.sh": "true\n",
          },
          base: { "check.sh": `${CHECK}test ! -f main.sh || sh main.sh\n` },
        },
        "nothing",
      ],
      [
        "none, but another file for an import",
        { base: ENTRY, work: { "sum.txt": "5\n", "other.txt": "4\n", "package.json": '{"main": "./other.txt"}' } },
        "gate test fails with the old entries of the package: package.json",
      ],
      [
        "none, and a file that moved",
        { base: ENTRY, work: { "other.txt": "4\n", "package.json": '{"main": "./other.txt"}' }, gone: "sum.txt" },
        "nothing",
      ],
      [
        "that make a part that is missing",
        {
          work: { "sum.txt": "5\n", "tests/a.sh": "echo 4 >sum.txt\n", "tests/z.sh": "echo 5 >sum.txt\n" },
          base: { "tests/m.sh": "grep -q 4 sum.txt || { echo NameError: sum; exit 1; }\n" },
        },
        CAUGHT,
      ],
    ],
  ),
)("T-11 new tests %s", async (_, play, said) => {
  expect(await saidOf(play)).toBe(said);
});
