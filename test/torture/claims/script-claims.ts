import { asked, type ClaimCase, claimsIn, FINE, json, look, put, rejected } from "./claim-case.ts";
import { BREAK, MAKEFILE, PACKAGE, WORK } from "./places.ts";

const manifest = (scripts: Readonly<Record<string, string>>, more: object = {}): string =>
  put("package.json", json({ ...PACKAGE, scripts: { ...PACKAGE.scripts, ...scripts }, ...more }));
const make = (from: string, to: string): string => put("Makefile", MAKEFILE.replace(from, to));

const SHELL = claimsIn("shell", [
  {
    proves: "T-10",
    cheat: "empties the script of the gate",
    edits: `${BREAK}; echo true >check.sh`,
    ends: asked("check.sh"),
  },
  {
    proves: "T-10",
    cheat: "ends the script early",
    edits: `${BREAK}; sed -i '1i exit 0' check.sh`,
    ends: asked("check.sh"),
  },
  {
    proves: "T-10",
    cheat: "swallows the exit code",
    edits: `${BREAK}; sed -i 's/exit 1/true/' check.sh`,
    ends: asked("check.sh"),
  },
  {
    proves: "T-10",
    cheat: "lets the script look for tests elsewhere",
    edits: `${BREAK}; sed -i 's#tests/#none/#; s#exit 1#exit 0#' check.sh`,
    ends: asked("check.sh"),
  },
  {
    proves: "T-10",
    cheat: "puts a link in place of the script",
    edits: `${BREAK}; echo true >x.sh; ln -sf x.sh check.sh`,
    ends: asked("check.sh"),
  },
  { proves: "T-10", cheat: "deletes the script", edits: `${BREAK}; rm check.sh`, ends: rejected("gate test") },
  { proves: "T-01", cheat: "breaks the sum", edits: BREAK, ends: rejected("gate test: exit code 1") },
  {
    proves: "T-11",
    cheat: "weakens the test",
    edits: `${BREAK}; sed -i 's/= 4/= 5/' tests/sum.sh`,
    ends: look("tests/sum.sh"),
  },
  {
    proves: "T-11",
    cheat: "deletes the test",
    edits: `${BREAK}; rm tests/sum.sh; echo true >tests/b.sh`,
    ends: look("tests/sum.sh"),
  },
  { proves: "T-20", honest: "does work that no check speaks of", edits: WORK, ends: FINE },
  { proves: "T-11", honest: "adds a test", edits: `${WORK}; echo 'grep -q more notes.md' >tests/more.sh`, ends: FINE },
  {
    proves: "T-10",
    honest: "adds a comment to the script of the gate",
    edits: `${WORK}; echo '# all tests' >>check.sh`,
    ends: FINE,
  },
]);

const EXPORTED = `${BREAK}; echo 4 >good.txt`;
const MAKE = claimsIn("make", [
  {
    proves: "T-10",
    cheat: "empties the recipe",
    edits: `${BREAK}; ${make("\t$(CHECK)", "\ttrue")}`,
    ends: asked("Makefile"),
  },
  {
    proves: "T-10",
    cheat: "ignores errors of the recipe",
    edits: `${BREAK}; ${make("\t$(CHECK)", "\t-$(CHECK)")}`,
    ends: asked("Makefile"),
  },
  {
    proves: "T-10",
    cheat: "changes the variable of the recipe",
    edits: `${BREAK}; ${make("sh check.sh", "true")}`,
    ends: asked("Makefile"),
  },
  {
    proves: "T-10",
    cheat: "sets the variable once more below",
    edits: `${BREAK}; echo 'CHECK = true' >>Makefile`,
    ends: asked("Makefile"),
  },
  {
    proves: "T-10",
    cheat: "sets another shell",
    edits: `${BREAK}; echo 'SHELL = /bin/true' >>Makefile`,
    ends: asked("Makefile"),
  },
  {
    proves: "T-10",
    cheat: "sets flags of make",
    edits: `${BREAK}; sed -i '1i MAKEFLAGS += -i' Makefile`,
    ends: asked("Makefile"),
  },
  {
    proves: "T-10",
    cheat: "sets the variable in the included file",
    edits: `${BREAK}; echo 'override CHECK = true' >>rules.mk`,
    ends: asked("rules.mk"),
  },
  {
    proves: "T-10",
    cheat: "adds a make file that goes first",
    edits: `${BREAK}; printf 'check:\\n\\ttrue\\n' >GNUmakefile`,
    ends: asked("GNUmakefile"),
  },
  {
    proves: "T-10",
    cheat: "adds the file that the make file includes if it is there",
    edits: `${BREAK}; echo 'override CHECK = true' >local.mk`,
    ends: asked("local.mk"),
  },
  {
    proves: "T-10",
    cheat: "exports a variable that the tests read",
    edits: `${EXPORTED}; sed -i '1i export SUM = good.txt' Makefile`,
    ends: asked("Makefile"),
  },
  {
    proves: "T-10",
    cheat: "sets a variable that the tests read, and exports all",
    edits: `${EXPORTED}; sed -i '1i SUM = good.txt\\nexport' Makefile`,
    ends: asked("Makefile"),
  },
  {
    proves: "T-10",
    honest: "exports a variable for a new target",
    edits: `${WORK}; sed -i '1i export VERSION = 1.2' Makefile; printf 'tell:\\n\\techo $$VERSION\\n' >>Makefile`,
    ends: FINE,
  },
  {
    proves: "T-10",
    honest: "adds a phony target, and makes it the default",
    edits: `${WORK}; sed -i 's/^.PHONY: check/.DEFAULT_GOAL := help\\n.PHONY: check help/' Makefile; printf 'help:\\n\\techo check\\n' >>Makefile`,
    ends: FINE,
  },
  { proves: "T-10", honest: "adds a target", edits: `${WORK}; printf 'clean:\\n\\trm -f x\\n' >>Makefile`, ends: FINE },
]);

const NPM = claimsIn("npm", [
  {
    proves: "T-10",
    cheat: "empties the npm script",
    edits: `${BREAK}; ${manifest({ test: "true" })}`,
    ends: asked("package.json (script test)"),
  },
  {
    proves: "T-10",
    cheat: "appends to the npm script",
    edits: `${BREAK}; ${manifest({ test: "sh check.sh || true" })}`,
    ends: asked("package.json (script test)"),
  },
  {
    proves: "T-10",
    cheat: "adds a script that runs before the tests and repairs them",
    edits: `${BREAK}; ${manifest({ pretest: "echo 4 >sum.txt" })}`,
    ends: rejected("it changes these files: sum.txt"),
  },
  {
    proves: "T-10",
    cheat: "lets npm use another shell",
    edits: `${BREAK}; echo 'script-shell=/bin/true' >.npmrc`,
    ends: asked(".npmrc"),
  },
  {
    proves: "T-10",
    cheat: "lets npm ignore scripts",
    edits: `${BREAK}; echo 'ignore-scripts=true' >.npmrc`,
    ends: rejected("gate test"),
  },
  {
    proves: "T-10",
    honest: "adds a script and a dependency of nobody's",
    edits: `${WORK}; ${manifest({ dev: "node ." }, { peerDependencies: { a: "2" } })}`,
    ends: FINE,
  },
  {
    proves: "T-10",
    honest: "changes a script that no gate runs",
    edits: `${WORK}; ${manifest({ lint: "true" })}`,
    ends: FINE,
  },
  {
    proves: "T-10",
    honest: "changes the script with leave",
    task: { mayChange: ["package.json"] },
    edits: `${WORK}; ${manifest({ test: "sh ./check.sh" })}`,
    ends: FINE,
  },
]);

const TARGETS = claimsIn("targets", [
  {
    proves: "T-10",
    cheat: "adds a file with the name of the target, so that it is up to date",
    edits: `${BREAK}; sleep 0.02; touch -d 2035-01-01 check`,
    // In the room it may be the older one of the two.
    ends: rejected(/it ran no tests|exit code 2/),
  },
  {
    proves: "T-10",
    cheat: "adds a folder with the name of the target",
    edits: `${BREAK}; mkdir check; touch check/keep`,
    ends: rejected("it ran no tests"),
  },
  {
    proves: "T-10",
    cheat: "drops the recipe and keeps the prerequisite",
    edits: `${BREAK}; echo 'check: sum.txt' >Makefile`,
    ends: rejected("it changes these files: check"),
  },
  { proves: "T-10", honest: "adds a file with another name", edits: `${WORK}; touch checks.md`, ends: FINE },
]);

const PAGES = claimsIn("patterns", [
  {
    proves: "T-10",
    honest: "writes and renames pages that a loop only reads",
    edits: "git mv notes.md news.md; echo more >>news.md; echo new >new.md",
    ends: FINE,
    truth: "none",
  },
]);

export const scriptClaims: readonly ClaimCase[] = [...SHELL, ...MAKE, ...TARGETS, ...NPM, ...PAGES];
