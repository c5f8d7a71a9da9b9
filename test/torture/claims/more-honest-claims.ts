import { type ClaimCase, claimsIn, json, look, proven, put, unbroken } from "./claim-case.ts";
import { nodeTest } from "./honest-claims.ts";
import { PACKAGE } from "./places.ts";

// The other half of the honest tasks: docs, deletions, migrations, formatting, tests.

const DOCS = [
  ...claimsIn("node", [
    { proves: "T-20", honest: "docs: writes about the sum", edits: "echo 'It adds.' >>notes.md", ends: unbroken() },
    {
      proves: "T-20",
      honest: "docs: comments in the source",
      edits: "sed -i '1i /** The sum of two numbers. */' src/sum.js",
      ends: unbroken(),
    },
    {
      proves: "T-11",
      honest: "docs: comments in a test",
      edits: "sed -i '1i // How numbers add up.' test/sum.test.js",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("make", [
    {
      proves: "T-10",
      honest: "docs: comments in the make file and in the script of the gate",
      edits: "sed -i '1i # How to check' Makefile check.sh",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("shell", [
    {
      proves: "T-11",
      honest: "docs: a page about the tests, beside them",
      edits: put("tests/README.md", "# Tests\n"),
      ends: unbroken(),
    },
  ]),
];

const DELETIONS = [
  ...claimsIn("node", [
    {
      proves: "T-11",
      honest: "deletion: a feature with its test",
      edits: `git rm -q src/sum.js test/sum.test.js; ${put("src/id.js", "export const id = (a) => a;\n")}; ${put("test/id.test.js", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { id } from '../src/id.js';\ntest('id', () => assert.equal(id(1), 1));\n")}`,
      ends: look("tests changed: test/sum.test.js"),
      truth: "none",
    },
    {
      proves: "T-11",
      honest: "deletion: a feature with its test, which the task names",
      task: { mayChange: ["test/**"] },
      edits: `git rm -q src/sum.js test/sum.test.js; ${put("src/id.js", "export const id = (a) => a;\n")}; ${put("test/id.test.js", "import test from 'node:test';\nimport assert from 'node:assert';\nimport { id } from '../src/id.js';\ntest('id', () => assert.equal(id(1), 1));\n")}`,
      ends: unbroken(),
      truth: "none",
    },
    {
      proves: "T-11",
      honest: "deletion: a test that says the same twice",
      edits: `${put("src/other.js", "export {};\n")}; cp test/sum.test.js test/again.test.js; git rm -q --cached test/sum.test.js; rm test/sum.test.js`,
      ends: unbroken(),
    },
  ]),
  ...claimsIn("unittest", [
    {
      proves: "T-11",
      honest: "deletion: a feature with its test, which the task names",
      task: { mayChange: ["tests/**"] },
      edits: `git rm -q sum.py tests/test_sum.py; ${put("idem.py", "def idem(a):\n    return a\n")}; ${put("tests/test_idem.py", "import unittest\n\nfrom idem import idem\n\n\nclass IdemTest(unittest.TestCase):\n    def test_idem(self):\n        self.assertEqual(idem(1), 1)\n")}`,
      ends: unbroken(),
      truth: "none",
    },
  ]),
  ...claimsIn("shell", [
    {
      proves: "T-11",
      honest: "deletion: a file with its test",
      edits: "git rm -q sum.txt tests/sum.sh; mkdir -p tests; echo 'test -f notes.md' >tests/notes.sh",
      ends: look("tests changed: tests/sum.sh"),
      truth: "none",
    },
  ]),
];

const MIGRATIONS = [
  ...claimsIn("node", [
    {
      proves: "T-11",
      honest: "migration: sources become .mjs",
      edits: "git mv src/sum.js src/sum.mjs; sed -i 's#src/sum.js#src/sum.mjs#' test/sum.test.js",
      ends: unbroken(),
      truth: "none",
    },
    {
      proves: "T-11",
      honest: "migration: tests use strict assertions",
      edits: "sed -i \"s#'node:assert'#'node:assert/strict'#\" test/sum.test.js; echo '// strict' >>src/sum.js",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("unittest", [
    {
      proves: "T-11",
      honest: "migration: a test becomes two",
      edits: put(
        "tests/test_sum.py",
        "import unittest\n\nfrom sum import sum2\n\n\nclass SumTest(unittest.TestCase):\n    def test_four(self):\n        self.assertEqual(sum2(2, 2), 4)\n\n    def test_two(self):\n        self.assertEqual(sum2(1, 1), 2)\n",
      ),
      ends: unbroken(),
    },
  ]),
  ...claimsIn("shell", [
    {
      proves: "T-11",
      honest: "migration: data moves to a folder of its own",
      edits: "mkdir data; git mv sum.txt data/sum.txt; sed -i 's#cat sum.txt#cat data/sum.txt#' tests/sum.sh",
      ends: proven("new tests"),
      truth: "none",
    },
  ]),
  ...claimsIn("make", [
    {
      proves: "T-10",
      honest: "migration: package scripts beside the make file",
      edits: put("package.json", json({ name: "x", scripts: { test: "make check" } })),
      ends: unbroken(),
    },
  ]),
];

const FORMATS = [
  ...claimsIn("node", [
    {
      proves: "T-11",
      honest: "format: other quotes in sources and tests",
      edits: `sed -i "s/'/\\"/g" test/sum.test.js src/sum.js; sed -i 's/;$/; /' src/sum.js; printf '{"type":"module","name":"x"}\\n' >package.json`,
      ends: unbroken(),
    },
  ]),
  ...claimsIn("npm", [
    {
      proves: "T-10",
      honest: "format: package.json and scripts",
      edits: `printf '%s' '${JSON.stringify({ version: "1.0.0", name: "x", scripts: PACKAGE.scripts })}' >package.json; sed -i 's/^/  /; s/$/ /' tests/sum.sh`,
      ends: unbroken(),
    },
  ]),
  ...claimsIn("unittest", [
    {
      proves: "T-11",
      honest: "format: blank lines and quotes",
      edits: "sed -i 's/    return/    # The sum.\\n    return/' sum.py; echo >>tests/test_sum.py",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("make", [
    {
      proves: "T-10",
      honest: "format: blank lines in the make file",
      edits: "sed -i 's/^check:/\\n\\ncheck:/; s/^CHECK = /CHECK   = /' Makefile",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("shell", [
    {
      proves: "T-10",
      honest: "format: the script of the gate is indented",
      edits: "printf '\\n\\n' >>check.sh; sed -i 's/^for/  for/' check.sh",
      ends: unbroken(),
    },
  ]),
];

const TESTS = [
  ...claimsIn("node", [
    {
      proves: "T-21",
      honest: "test only: one more test",
      edits: put("test/zero.test.js", nodeTest("zero", "assert.equal(sum(0, 0), 0)")),
      ends: unbroken(),
    },
    {
      proves: "T-21",
      honest: "test only: one more case in a test",
      edits: "echo \"test('one', () => assert.equal(sum(1, 0), 1));\" >>test/sum.test.js",
      ends: unbroken(),
    },
  ]),
  ...claimsIn("python", [
    {
      proves: "T-21",
      honest: "test only: parameters for a test",
      edits: put(
        "tests/test_sum.py",
        "import pytest\n\nfrom sum import sum2\n\n\n@pytest.mark.parametrize('a, b, c', [(2, 2, 4), (1, 1, 2)])\ndef test_sum(a, b, c):\n    assert sum2(a, b) == c\n",
      ),
      ends: unbroken(),
    },
  ]),
  ...claimsIn("shell", [
    { proves: "T-21", honest: "test only: a test", edits: "echo 'test -s notes.md' >tests/size.sh", ends: unbroken() },
  ]),
  ...claimsIn("workspaces", [
    {
      proves: "T-21",
      honest: "test only: a test that all members run",
      edits: "echo 'test -d packages' >tests/packages.sh",
      ends: unbroken(),
    },
  ]),
];

export const moreHonestClaims: readonly ClaimCase[] = [...DOCS, ...DELETIONS, ...MIGRATIONS, ...FORMATS, ...TESTS];
