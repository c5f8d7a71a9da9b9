import { type ClaimCase, claimsIn, json, proven, put, unbroken } from "./claim-case.ts";
import { MAKEFILE, PACKAGE } from "./places.ts";

// Fifty honest tasks of ten kinds, five of each. All land, each with the word that a person would choose.

export const nodeTest = (name: string, line: string): string =>
  `import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from '../src/sum.js';\n` +
  `test('${name}', () => ${line});\n`;

const FEATURES = [
  ...claimsIn("node", [
    {
      proves: "T-21",
      honest: "feature: sums any number of numbers, with a test",
      edits: `${put("src/sum.js", "export const sum = (...all) => all.reduce((a, b) => a + b, 0);\n")}; ${put("test/many.test.js", nodeTest("many", "assert.equal(sum(1, 2, 3), 6)"))}`,
      ends: proven("new tests"),
    },
    {
      proves: "T-21",
      honest: "feature: a new module, with a test",
      edits: `${put("src/double.js", "export const double = (a) => 2 * a;\n")}; ${put("test/double.test.js", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { double } from '../src/double.js';\ntest('double', () => assert.equal(double(2), 4));\n")}`,
      ends: unbroken("shows little"),
    },
  ]),
  ...claimsIn("python", [
    {
      proves: "T-21",
      honest: "feature: rounds, with a test",
      edits: `sed -i 's/return a + b/return round(a + b, 9)/' sum.py; ${put("tests/test_round.py", "from sum import sum2\n\n\ndef test_round():\n    assert sum2(0.1, 0.2) == 0.3\n")}`,
      ends: proven("new tests"),
    },
  ]),
  ...claimsIn("shell", [
    {
      proves: "T-21",
      honest: "feature: a greeting, with a gate of the task",
      task: { gates: [{ id: "greets", run: "grep -q Hello notes.md", retries: 0 }] },
      edits: "echo Hello >>notes.md",
      ends: proven("greets failed before the work"),
    },
  ]),
  ...claimsIn("make", [
    {
      proves: "T-21",
      honest: "feature: a greeting, with a test",
      edits: "echo Hello >>notes.md; echo 'grep -q Hello notes.md' >tests/hello.sh",
      ends: proven("new tests"),
    },
  ]),
];

const REFACTORINGS = [
  ...claimsIn("node", [
    {
      proves: "T-11",
      honest: "refactoring: renames a module and its test",
      edits:
        "git mv src/sum.js src/add.js; git mv test/sum.test.js test/add.test.js; sed -i 's#src/sum.js#src/add.js#' test/add.test.js",
      ends: unbroken(),
      truth: "none",
    },
    {
      proves: "T-11",
      honest: "refactoring: moves the sources to another folder",
      edits: "mkdir lib; git mv src/sum.js lib; sed -i 's#../src/#../lib/#' test/sum.test.js",
      ends: unbroken(),
      truth: "none",
    },
  ]),
  ...claimsIn("unittest", [
    {
      proves: "T-11",
      honest: "refactoring: makes a package of a module, and renames its test",
      edits:
        "mkdir calc; git mv sum.py calc/total.py; git mv tests/test_sum.py tests/test_total.py; sed -i 's/from sum import/from calc.total import/' tests/test_total.py",
      ends: unbroken(),
      truth: "none",
    },
  ]),
  ...claimsIn("shell", [
    {
      proves: "T-11",
      honest: "refactoring: gives a test a better name",
      edits: "git mv tests/sum.sh tests/total.sh",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("workspaces", [
    {
      proves: "T-10",
      honest: "refactoring: renames the folder of a package",
      edits: "git mv packages/a packages/core",
      ends: unbroken(),
    },
  ]),
];

const TOOL = { tool: "file:vendor/tool" };
const LOCK = json({
  name: "x",
  version: "1.0.0",
  lockfileVersion: 3,
  packages: {
    "": { name: "x", version: "1.0.0", devDependencies: TOOL },
    "node_modules/tool": { resolved: "vendor/tool", link: true },
    "vendor/tool": { version: "2.0.0" },
  },
});

const UPGRADES = [
  ...claimsIn("npm", [
    {
      proves: "T-10",
      honest: "upgrade: a development dependency, with the lock file",
      edits: `${put("package.json", json({ ...PACKAGE, devDependencies: TOOL }))}; ${put("package-lock.json", LOCK)}; ${put("vendor/tool/package.json", json({ name: "tool", version: "2.0.0" }))}`,
      ends: unbroken(),
    },
    {
      proves: "T-10",
      honest: "upgrade: the engines that are supported",
      edits: put("package.json", json({ ...PACKAGE, engines: { node: ">=22" } })),
      ends: unbroken(),
    },
  ]),
  ...claimsIn("workspaces", [
    {
      proves: "T-10",
      honest: "upgrade: a dependency of a member",
      edits: put(
        "packages/a/package.json",
        json({
          name: "a",
          version: "1.0.0",
          scripts: { test: "cd ../.. && sh check.sh" },
          peerDependencies: { react: "^19.0.0" },
        }),
      ),
      ends: unbroken(),
    },
  ]),
  ...claimsIn("unittest", [
    {
      proves: "T-10",
      honest: "upgrade: the pins of requirements.txt",
      edits: "printf 'requests==2.32.0\\n' >requirements.txt",
      ends: unbroken(),
    },
    {
      proves: "T-10",
      honest: "upgrade: adds a pyproject.toml with dependencies",
      edits: `printf '[project]\\nname = "x"\\nversion = "1"\\ndependencies = ["requests>=2.32"]\\n' >pyproject.toml`,
      ends: unbroken(),
    },
  ]),
];

const SCRIPTS = [
  ...claimsIn("npm", [
    {
      proves: "T-10",
      honest: "on request: the test script also lints",
      task: { mayChange: ["package.json"] },
      edits: put(
        "package.json",
        json({ ...PACKAGE, scripts: { ...PACKAGE.scripts, test: "sh lint.sh && sh check.sh" } }),
      ),
      ends: unbroken(),
    },
  ]),
  ...claimsIn("make", [
    {
      proves: "T-10",
      honest: "on request: the recipe says what it does",
      task: { mayChange: ["Makefile"] },
      edits: put("Makefile", MAKEFILE.replace("\t$(CHECK)", "\t@echo checking\n\t$(CHECK)")),
      ends: unbroken(),
    },
  ]),
  ...claimsIn("shell", [
    {
      proves: "T-10",
      honest: "on request: the script stops at the first error",
      task: { mayChange: ["*.sh"] },
      edits: "sed -i '1i set -e' check.sh",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("python", [
    {
      proves: "T-10",
      honest: "on request: settings for pytest",
      task: { mayChange: ["pytest.ini"] },
      edits: "printf '[pytest]\\naddopts = -ra\\n' >pytest.ini",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("workspaces", [
    {
      proves: "T-10",
      honest: "on request: the script of a member",
      task: { mayChange: ["packages/*/package.json"] },
      edits: "sed -i 's#cd ../.. \\&\\& sh#cd ../..; sh#' packages/a/package.json",
      ends: unbroken(),
    },
  ]),
];

const MEMBER = json({ name: "b", version: "1.0.0", type: "module", scripts: { test: "node index.js" } });

const SCAFFOLDS = [
  ...claimsIn("workspaces", [
    {
      proves: "T-10",
      honest: "scaffold: a package in the workspace",
      edits: `${put("packages/b/package.json", MEMBER)}; ${put("packages/b/index.js", "export const b = 1;\n")}`,
      ends: unbroken(),
    },
    {
      proves: "T-10",
      honest: "scaffold: a member in a list of members",
      edits: `${put("package.json", json({ name: "x", private: true, workspaces: ["packages/*", "apps/web"] }))}; ${put("apps/web/package.json", MEMBER.replace('"b"', '"web"'))}; ${put("apps/web/index.js", "export const web = 1;\n")}`,
      ends: unbroken(),
    },
  ]),
  ...claimsIn("unittest", [
    {
      proves: "T-10",
      honest: "scaffold: a package with its tests",
      edits: `${put("shop/__init__.py", "")}; ${put("shop/cart.py", "def total(prices):\n    return sum(prices)\n")}; ${put("tests/test_cart.py", "import unittest\n\nfrom shop.cart import total\n\n\nclass CartTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n")}`,
      ends: unbroken("shows little"),
    },
  ]),
  ...claimsIn("make", [
    {
      proves: "T-10",
      honest: "scaffold: a folder with a make file of its own",
      edits: `${put("tool/Makefile", "all:\n\ttrue\n")}; ${put("tool/main.c", "int main(void) { return 0; }\n")}; printf 'tool:\\n\\t$(MAKE) -C tool\\n' >>Makefile`,
      ends: unbroken(),
    },
  ]),
  ...claimsIn("node", [
    {
      proves: "T-10",
      honest: "scaffold: an example with a package.json of its own",
      edits: `${put("examples/demo/package.json", json({ name: "demo", type: "module", scripts: { start: "node ." } }))}; ${put("examples/demo/index.js", "export {};\n")}`,
      ends: unbroken(),
    },
  ]),
];

export const honestClaims: readonly ClaimCase[] = [...FEATURES, ...REFACTORINGS, ...UPGRADES, ...SCRIPTS, ...SCAFFOLDS];
