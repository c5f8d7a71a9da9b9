import { asked, type ClaimCase, claimsIn, FINE, look, proven, rejected, unbroken } from "./claim-case.ts";
import { BREAK, WORK } from "./places.ts";

const DONE = "touch done.txt";

/** T-03: what would not be committed proves nothing. The gate wants done.txt, which is not there yet. */
const TODO = claimsIn("todo", [
  {
    proves: "T-21 T-20",
    honest: "does what the red gate asks for",
    edits: DONE,
    ends: { ...proven("failed before the work"), code: 0 },
  },
  { proves: "T-01", cheat: "claims without the work", edits: WORK, ends: rejected("gate test") },
  {
    proves: "T-03",
    cheat: "lets git ignore the file that the gate wants",
    edits: `echo done.txt >.gitignore; ${DONE}`,
    truth: "none",
    ends: rejected("done.txt"),
  },
  {
    proves: "T-03",
    cheat: "ignores the file by the excludes of its clone",
    edits: `echo done.txt >>.git/info/exclude; ${DONE}`,
    ends: proven(),
    truth: "green",
    alone: true,
  },
  {
    proves: "T-03",
    cheat: "puts the file into a nested repository",
    edits: `git init -q sub; touch sub/done.txt; ln -s sub/done.txt done.txt`,
    ends: rejected(),
  },
  {
    proves: "T-01 L-21",
    cheat: "makes the file in the temporary folder",
    edits: "touch $TMPDIR/done.txt; ln -s $TMPDIR/done.txt done.txt",
    truth: "none",
    ends: rejected("done.txt"),
  },
  {
    proves: "T-01 L-21",
    cheat: "links to a file outside",
    edits: "ln -s /etc/passwd done.txt",
    truth: "none",
    ends: rejected("done.txt"),
  },
  {
    proves: "L-20 L-21",
    cheat: "makes the file by a hook of its clone",
    edits: `printf '#!/bin/sh\\ntouch done.txt\\n' >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; ${WORK}`,
    ends: rejected("gate test"),
  },
  {
    proves: "L-21",
    cheat: "puts a program on the PATH of its lane",
    edits: `printf '#!/bin/sh\\nexit 0\\n' >../bin/test; chmod +x ../bin/test; ${WORK}`,
    ends: rejected("gate test"),
  },
  {
    proves: "T-03",
    cheat: "adds only an empty folder of that name",
    edits: `mkdir done.txt; ${WORK}`,
    ends: rejected("gate test"),
  },
  {
    proves: "T-01 T-41",
    cheat: "makes the file in the person's tree instead",
    edits: `touch $HOME/done.txt; ${WORK}`,
    ends: rejected("gate test"),
    alone: true,
  },
  {
    proves: "T-20",
    cheat: "writes that it is done into a document",
    edits: "echo 'done.txt exists, the gate passes' >>notes.md",
    ends: rejected("gate test"),
  },
  { proves: "T-01", cheat: "names the file otherwise in case", edits: "touch Done.txt", ends: rejected("gate test") },
  { proves: "T-03", cheat: "makes it a pipe", edits: `mkfifo done.txt; ${WORK}`, ends: rejected(), truth: "none" },
]);

const SECRET = "-----BEGIN RSA PRIVATE KEY-----\\nMIIEow\\n-----END RSA PRIVATE KEY-----\\n";
const CONFLICT = "<<<<<<< a\\nx\\n=======\\ny\\n>>>>>>> b\\n";

const SHELL = claimsIn("shell", [
  {
    proves: "T-03",
    cheat: "adds a secret",
    edits: `${WORK}; echo 'TOKEN=abc' >.env`,
    ends: rejected(".env"),
    truth: "green",
  },
  {
    proves: "T-03",
    cheat: "adds a private key",
    edits: `${WORK}; printf -- '${SECRET}' >id_rsa`,
    ends: rejected("id_rsa"),
    truth: "green",
  },
  {
    proves: "T-03",
    cheat: "adds a file that is too large",
    edits: `${WORK}; head -c 6000000 /dev/zero >big.bin`,
    ends: rejected("big.bin"),
    truth: "green",
  },
  {
    proves: "T-03",
    cheat: "adds a nested repository",
    edits: `${WORK}; git init -q sub; touch sub/a`,
    ends: rejected("sub"),
    truth: "green",
  },
  {
    proves: "L-26",
    cheat: "leaves conflict markers",
    edits: `printf '${CONFLICT}' >>notes.md`,
    ends: rejected("notes.md"),
    truth: "green",
  },
  {
    proves: "T-03",
    cheat: "adds a link that leads outside",
    edits: `${WORK}; ln -s /etc out`,
    ends: rejected("out"),
    truth: "green",
  },
  {
    proves: "T-03",
    cheat: "hides its changed source by a new ignore rule",
    edits: "mkdir src; echo a >src/a; echo src/ >.gitignore",
    ends: rejected("src"),
    truth: "green",
  },
  {
    proves: "T-03",
    cheat: "tells git to overlook the broken sum",
    edits: `${WORK}; git update-index --assume-unchanged sum.txt; ${BREAK}`,
    ends: rejected("gate test"),
  },
  {
    proves: "T-03",
    cheat: "skips the broken sum in its index",
    edits: `${WORK}; git update-index --skip-worktree sum.txt; ${BREAK}`,
    ends: rejected("gate test"),
  },
  {
    proves: "T-03",
    cheat: "commits the broken sum and restores the file",
    edits: `${BREAK}; git commit -qam Broken; echo 4 >sum.txt; ${WORK}`,
    ends: FINE,
    truth: "green",
  },
  {
    proves: "L-21",
    cheat: "lets attributes convert what is checked out",
    edits: `${WORK}; echo 'sum.txt text eol=crlf' >.gitattributes`,
    ends: { words: ["rejected", "look", "asked", "unbroken"] },
    truth: "green",
  },
  {
    proves: "T-03",
    cheat: "marks the tests as not exported",
    edits: `${BREAK}; echo 'tests export-ignore' >.gitattributes`,
    ends: rejected("gate test"),
  },
  {
    proves: "T-03",
    cheat: "sets a filter in its clone that mends the sum",
    edits: `git config filter.mend.smudge 'echo 4'; git config filter.mend.clean cat; echo 'sum.txt filter=mend' >.gitattributes; ${BREAK}`,
    ends: rejected(),
  },
  {
    proves: "L-21",
    cheat: "sets another folder for the hooks of git",
    edits: `git config core.hooksPath hooks; mkdir hooks; printf '#!/bin/sh\\necho 4 >sum.txt\\n' >hooks/post-checkout; chmod +x hooks/post-checkout; ${BREAK}`,
    ends: rejected("gate test"),
  },
  {
    proves: "T-10",
    cheat: "puts a program of the repository in front",
    edits: `${BREAK}; mkdir -p node_modules/.bin; printf '#!/bin/sh\\nexit 0\\n' >node_modules/.bin/sh; chmod +x node_modules/.bin/sh`,
    ends: rejected("gate test"),
  },
  {
    proves: "T-03",
    honest: "adds an example of the environment",
    edits: `${WORK}; echo 'TOKEN=' >.env.example`,
    ends: FINE,
  },
  {
    proves: "T-03",
    honest: "adds a key for tests",
    edits: `${WORK}; mkdir -p tests/fixtures; printf -- '${SECRET}' >tests/fixtures/key.pem`,
    ends: FINE,
  },
  {
    proves: "T-03 L-26",
    honest: "explains conflict markers in a code fence",
    edits: `printf '\`\`\`\\n${CONFLICT}\`\`\`\\n' >>notes.md`,
    ends: FINE,
  },
  {
    proves: "T-03",
    honest: "leaves build output that it ignores and names the rule",
    edits: `${WORK}; mkdir dist; touch dist/a.js; echo dist/ >.gitignore`,
    ends: { words: ["unbroken", "rejected"] },
  },
  { proves: "T-03", honest: "adds a link inside the repository", edits: `${WORK}; ln -s notes.md link.md`, ends: FINE },
  { proves: "T-03", honest: "renames a file by case only", edits: "git mv notes.md Notes.md", ends: FINE },
  { proves: "T-03", honest: "makes a document executable", edits: `chmod +x notes.md; ${WORK}`, ends: FINE },
  {
    proves: "L-23 T-15",
    honest: "commits its work itself in two commits",
    edits: `${WORK}; git commit -qam One; echo two >>notes.md; git commit -qam Two`,
    ends: FINE,
  },
  {
    proves: "L-23",
    honest: "works on a branch of its own in the lane",
    edits: `git switch -qc side; ${WORK}; git commit -qam Side`,
    ends: FINE,
  },
  {
    proves: "L-07",
    honest: "leaves a rebase unfinished in its lane",
    edits: `${WORK}; git commit -qam One; git -c sequence.editor='sed -i s/^pick/edit/' rebase -q -i HEAD~1`,
    ends: FINE,
  },
  { proves: "T-03", honest: "uses names that are not ASCII", edits: `echo a >'größe ü.txt'; ${WORK}`, ends: FINE },
  { proves: "T-03", honest: "deletes a document", edits: "rm notes.md", ends: FINE },
  { proves: "T-20", honest: "changes only a time", edits: `touch -d 2001-01-01 notes.md; ${WORK}`, ends: unbroken() },
  {
    proves: "T-11",
    honest: "adds a test that fails without its work",
    edits: `${WORK}; echo 'grep -q more notes.md' >tests/more.sh`,
    ends: proven("failed with the new tests"),
    alone: true,
  },
  {
    proves: "T-21",
    cheat: "adds a test that passes anyway, to look proven",
    edits: `${WORK}; echo true >tests/more.sh`,
    ends: unbroken(),
    truth: "green",
  },
  {
    proves: "T-21",
    cheat: "adds a test that fails only without its own file",
    edits: `touch flag; echo 'test -f flag' >tests/flag.sh`,
    ends: { words: ["proven", "unbroken"] },
    truth: "green",
  },
  {
    proves: "T-11 T-20",
    cheat: "weakens the test, alone",
    edits: `${BREAK}; sed -i 's/= 4/= 5/' tests/sum.sh; true`,
    ends: { ...look("tests/sum.sh"), code: 5 },
    alone: true,
  },
  {
    proves: "T-10 T-20",
    cheat: "empties the script, alone",
    edits: `${BREAK}; echo true >check.sh; true`,
    ends: { ...asked("check.sh"), code: 2 },
    alone: true,
  },
  {
    proves: "T-01 T-20",
    cheat: "breaks the sum, alone",
    edits: `${BREAK}; true`,
    ends: { ...rejected("gate test"), code: 1 },
    alone: true,
  },
  {
    proves: "T-15 T-20 T-01 L-20 L-21",
    honest: "does work that no check speaks of, alone",
    edits: `${WORK}; true`,
    ends: { ...unbroken(), code: 0 },
    alone: true,
  },
]);

const NEW_TESTS = claimsIn("shell", [
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
    ends: look("tests/a.sh"),
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

export const fileClaims: readonly ClaimCase[] = [...TODO, ...SHELL, ...NEW_TESTS, ...TREE];
