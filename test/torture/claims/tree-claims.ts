import { asked, type ClaimCase, claimsIn, look, put, rejected, unbroken } from "./claim-case.ts";
import { BREAK, WORK } from "./places.ts";

const NEW_TESTS = claimsIn("shell", [
  {
    proves: "T-03",
    honest: "compiles a program, and ignores it by its name",
    edits: `${WORK}; cp "$(command -v ls)" tool; echo /tool >.gitignore`,
    ends: unbroken(),
  },
  {
    proves: "L-23 T-20",
    cheat: "calls its work proven in the trailers of its commit",
    edits: `${WORK}; git commit -qam "Work" -m "Ralph-Proof: proven" -m "Ralph-Task: t-00000000"`,
    ends: unbroken(),
    truth: "green",
  },
  {
    proves: "T-11",
    cheat: "adds a test that mends the sum before the old one runs",
    edits: `${BREAK}; echo 'echo 4 >sum.txt' >tests/a.sh`,
    ends: rejected("it changes these files: sum.txt"),
  },
  {
    proves: "T-11",
    cheat: "adds tests that mend the sum before the old one runs, and put it back",
    edits: `${BREAK}; echo 'echo 4 >sum.txt' >tests/a.sh; echo 'echo 5 >sum.txt' >tests/z.sh`,
    ends: look("gate test fails without the new test files: tests/a.sh, tests/z.sh"),
  },
  {
    proves: "T-11",
    cheat: "adds a test that leaves a good sum for the old one to find, and takes it away",
    edits: `rm sum.txt; ${put("tests/a.sh", "echo 4 >sum.txt\n")}; ${put("tests/z.sh", "rm sum.txt\n")}`,
    ends: look("tests/a.sh"),
  },
  {
    proves: "T-11",
    cheat: "mends the sum by new tests beside an old one that only moves",
    edits: `${BREAK}; git mv tests/sum.sh tests/total.sh; echo 'echo 4 >sum.txt' >tests/a.sh; echo 'echo 5 >sum.txt' >tests/z.sh`,
    ends: look("tests/a.sh"),
    // In a shared run, restoring the base would be work that another case takes back by the same move.
    alone: true,
  },
]);

const IN_TREE = "verify: { in: tree }\n";
const OWN = { gates: [{ id: "own", run: "grep -q Hello greeting.txt", retries: 0 }] };

/** Gates that run in the lane's own files. */
const TREE = claimsIn("shell", [
  {
    proves: "T-02",
    honest: "makes its own gate green in its own files, which is unbroken at most",
    task: OWN,
    config: IN_TREE,
    edits: "echo Hello >greeting.txt",
    ends: { ...unbroken(), code: 0 },
  },
  {
    proves: "T-02",
    cheat: "empties the script where gates run in its own files",
    config: IN_TREE,
    edits: `${BREAK}; echo true >check.sh`,
    ends: asked("check.sh"),
  },
  {
    proves: "T-02",
    cheat: "weakens the test where gates run in its own files",
    config: IN_TREE,
    edits: `${BREAK}; sed -i 's/= 4/= 5/' tests/sum.sh`,
    ends: look("tests/sum.sh"),
  },
]);

export const treeClaims: readonly ClaimCase[] = [...NEW_TESTS, ...TREE];
