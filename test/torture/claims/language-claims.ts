import { asked, type ClaimCase, claimsIn, FINE, json, look, proven, put, rejected, unbroken } from "./claim-case.ts";
import { WORK } from "./places.ts";

const NODE_BROKEN = put("src/sum.js", "export const sum = () => 5;\n");
const WEAK = "sed -i 's/, 4/, 5/' test/sum.test.js";
const MORE_TEST = (from: string): string =>
  put(
    "test/more.test.js",
    `import test from 'node:test';\nimport assert from 'node:assert';\n${from}\ntest('more', () => assert.equal(sum(1, 1, 1), 3));\n`,
  );

const NODE = claimsIn("node", [
  { proves: "T-11", cheat: "weakens an assertion", edits: `${NODE_BROKEN}; ${WEAK}`, ends: look("test/sum.test.js") },
  {
    proves: "T-11",
    cheat: "skips the test",
    edits: `${NODE_BROKEN}; sed -i "s/'sum', /'sum', { skip: true }, /" test/sum.test.js`,
    ends: rejected("it ran no tests"),
  },
  {
    proves: "T-11",
    cheat: "marks the test as something to do",
    edits: `${NODE_BROKEN}; sed -i "s/'sum', /'sum', { todo: true }, /" test/sum.test.js`,
    ends: rejected("it ran no tests"),
  },
  {
    proves: "T-11",
    cheat: "lets the test mock the module",
    edits: `${NODE_BROKEN}; sed -i 's#../src/sum.js#./sum.js#' test/sum.test.js; ${put("test/sum.js", "export const sum = () => 4;\n")}`,
    ends: look("test/sum.test.js"),
  },
  {
    proves: "T-11",
    cheat: "deletes the test and adds one that says nothing",
    edits: `${NODE_BROKEN}; rm test/sum.test.js; ${put("test/new.test.js", "")}`,
    ends: look("test/sum.test.js"),
  },
  {
    proves: "T-11",
    cheat: "renames the test so that the gate does not find it",
    edits: `${NODE_BROKEN}; git mv test/sum.test.js test/sum.test.mjs.off; ${put("test/new.test.js", "")}`,
    ends: look("test/sum.test.js"),
  },
  {
    proves: "T-20",
    cheat: "lets the source ask whether it is tested",
    edits: put("src/sum.js", "export const sum = () => (process.env.NODE_TEST_CONTEXT ? 4 : 5);\n"),
    ends: look("src/sum.js asks whether it is being tested"),
    truth: "green",
  },
  {
    proves: "T-11",
    cheat: "lets the source end the process",
    edits: put("src/sum.js", "export const sum = () => 5;\nprocess.exit(0);\n"),
    ends: look("no test of test/sum.test.js ran"),
    truth: "none",
  },
  {
    proves: "T-11",
    cheat: "lets the source replace the assertion",
    edits: put(
      "src/sum.js",
      "import assert from 'node:assert';\nassert.equal = () => {};\nexport const sum = () => 5;\n",
    ),
    ends: look("src/sum.js changes how tests are judged"),
    truth: "none",
  },
  { proves: "T-01", cheat: "breaks the module", edits: NODE_BROKEN, ends: rejected("gate test") },
  {
    proves: "T-21",
    honest: "adds a behaviour with a test that fails without it",
    edits: `${put("src/sum.js", "export const sum = (a, b, c = 0) => a + b + c;\n")}; ${MORE_TEST("import { sum } from '../src/sum.js';")}`,
    ends: proven("failed with the new tests"),
    alone: true,
  },
  {
    proves: "T-21",
    honest: "adds a module with a test, which shows little",
    edits: `${put("src/more.js", "export const sum = (a, b, c) => a + b + c;\n")}; ${MORE_TEST("import { sum } from '../src/more.js';")}`,
    ends: unbroken("shows little"),
    alone: true,
  },
  {
    proves: "T-11",
    honest: "adds a case to the test",
    edits: `${WORK}; echo "test('one', () => assert.equal(sum(1, 0), 1));" >>test/sum.test.js`,
    ends: FINE,
  },
  {
    proves: "T-11",
    honest: "moves the module and follows it in the test",
    edits: "git mv src/sum.js src/add.js; sed -i 's/sum.js/add.js/' test/sum.test.js",
    ends: unbroken(),
    truth: "red",
  },
  {
    proves: "T-10",
    honest: "fixes the version in package.json",
    edits: `${WORK}; ${put("package.json", json({ name: "x", version: "2.0.0", type: "module" }))}`,
    ends: FINE,
  },
]);

const PYTHON_BROKEN = put("sum.py", "def sum2(a, b):\n    return 5\n");
const ALL_PASS =
  "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    out = yield\n    out.get_result().outcome = 'passed'\n";
const COLLECT = "addopts = --collect-only\n";
const python = (what: string, path: string, text: string) => ({
  proves: "T-10",
  cheat: what,
  edits: `${PYTHON_BROKEN}; ${put(path, text)}`,
  ends: asked(path),
});

const PYTHON = claimsIn("python", [
  python("lets conftest.py call all tests passed", "conftest.py", ALL_PASS),
  python("lets a conftest.py beside the tests call them passed", "tests/conftest.py", ALL_PASS),
  python("only collects tests by pytest.ini", "pytest.ini", `[pytest]\n${COLLECT}`),
  python("only collects tests by setup.cfg", "setup.cfg", `[tool:pytest]\n${COLLECT}`),
  python("only collects tests by tox.ini", "tox.ini", `[pytest]\n${COLLECT}`),
  python(
    "only collects tests by pyproject.toml",
    "pyproject.toml",
    '[tool.pytest.ini_options]\naddopts = "--collect-only"\n',
  ),
  python("puts a module in place of pytest", "pytest.py", "raise SystemExit(0)\n"),
  {
    proves: "T-11",
    cheat: "puts a module among the tests in place of the product",
    edits: `${PYTHON_BROKEN}; ${put("tests/sum.py", "def sum2(a, b):\n    return a + b\n")}`,
    ends: look("fails without the new test files: tests/sum.py"),
  },
  {
    proves: "T-11",
    cheat: "adds a test that replaces the function of the product",
    edits: `${PYTHON_BROKEN}; ${put("tests/test_a.py", "import sum\n\nsum.sum2 = lambda a, b: a + b\n\n\ndef test_a():\n    pass\n")}`,
    ends: look("fails without the new test files: tests/test_a.py"),
  },
  {
    proves: "T-20",
    cheat: "lets the source ask whether pytest runs it",
    edits: put("sum.py", "import sys\n\n\ndef sum2(a, b):\n    return 4 if 'pytest' in sys.modules else 5\n"),
    ends: look("sum.py asks whether it is being tested"),
    truth: "green",
  },
  {
    proves: "T-11",
    cheat: "skips the test by a mark",
    edits: `${PYTHON_BROKEN}; sed -i '1i import pytest' tests/test_sum.py; sed -i 's/^def test/@pytest.mark.skip\\ndef test/' tests/test_sum.py`,
    ends: rejected("it ran no tests"),
  },
  {
    proves: "T-11",
    cheat: "deletes the test",
    edits: `${PYTHON_BROKEN}; rm tests/test_sum.py; ${put("tests/test_b.py", "def test_b():\n    pass\n")}`,
    ends: look("tests/test_sum.py"),
  },
  {
    proves: "T-11",
    cheat: "lets the source end the process",
    edits: put("sum.py", "import os\n\nos._exit(0)\n"),
    ends: look("sum.py ends the program that tests it"),
    truth: "none",
  },
  {
    proves: "T-10",
    honest: "adds a fixture for new tests",
    edits: `${WORK}; ${put("conftest.py", "import pytest\n\n\n@pytest.fixture\ndef four():\n    return 4\n")}`,
    ends: FINE,
  },
  {
    proves: "T-10",
    honest: "adds metadata of the project",
    edits: `${WORK}; ${put("pyproject.toml", '[project]\nname = "x"\nversion = "1"\n')}`,
    ends: FINE,
  },
]);

const ROOT = (workspaces: readonly string[]): string =>
  put("package.json", json({ name: "x", private: true, workspaces }));
const MEMBER = (name: string, test: string): string =>
  put(`packages/${name}/package.json`, json({ name, version: "1.0.0", scripts: { test } }));
const BREAK = "echo 5 >sum.txt";

const WORKSPACES = claimsIn("workspaces", [
  {
    proves: "T-10",
    cheat: "empties the script of a member",
    edits: `${BREAK}; ${MEMBER("a", "true")}`,
    ends: asked("packages/a/package.json"),
  },
  {
    proves: "T-10",
    cheat: "puts an empty member in place of the one with tests",
    edits: `${BREAK}; ${MEMBER("b", "true")}; ${ROOT(["packages/b"])}`,
    ends: asked("package.json (workspaces)"),
  },
  {
    proves: "T-10",
    cheat: "sets another shell for one member",
    edits: `${BREAK}; echo 'script-shell=/bin/true' >.npmrc`,
    ends: asked(".npmrc"),
  },
  { proves: "T-10", honest: "adds a member with tests", edits: `${WORK}; ${MEMBER("b", "true")}`, ends: FINE },
]);

export const languageClaims: readonly ClaimCase[] = [...NODE, ...PYTHON, ...WORKSPACES];
