import { spawnSync } from "node:child_process";
import { BUILD_FILES, CONFIGURED, DATA_PLACE } from "./build-files.ts";
import { json, type PlaceName } from "./claim-case.ts";
import { OTHER_TOOLS, TOOLS } from "./place-tools.ts";

/** A small repository whose gates are green. In all of them the sum in `sum.txt` or `sum.*` must be 4. */
export interface ClaimPlace {
  readonly files: Readonly<Record<string, string>>;
  readonly gates: Readonly<Record<string, string>>;
  readonly config?: string;
  /** What set-up runs. */
  readonly prepare?: string;
  /** The files of the work. All others belong to the base's checks. */
  readonly sources: RegExp;
  /** The gates fail in the base: work that lands cannot be taken back in the same run. */
  readonly isRed?: true;
  /** Why the place cannot be had on this machine, if so. */
  readonly missing?: () => string | undefined;
}

/** Makes the checks red that the base has. */
export const BREAK = "echo 5 >sum.txt";
/** Work that no check speaks of. */
export const WORK = 'echo "more for $RALPHCTL_TASK" >>notes.md';

const CHECK = 'for test in tests/*.sh; do sh "$test" || exit 1; done\n';
const SUM_TEST = 'test "$(cat sum.txt)" = 4\n';
const SOURCE = /^(?:sum\.txt|notes\.md|src\/.*)$/;

export const PACKAGE = { name: "x", version: "1.0.0", scripts: { test: "sh check.sh", lint: "sh lint.sh" } };
export const MAKEFILE =
  "CHECK = sh check.sh\ninclude rules.mk\n-include local.mk\n\n.PHONY: check\ncheck: prepare\n\t$(CHECK)\n";

const NODE_TEST =
  "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from '../src/sum.js';\n" +
  "test('sum', () => assert.equal(sum(2, 2), 4));\n";

/** The names of tests in many languages. The runner of the place `tests` compares the first line of each with the sum. */
export const TEST_NAMES =
  "a.test.js b.spec.ts c_test.go test_d.py e_spec.rb FTest.java GTests.cs HTest.php test/i.txt tests/j.sh src/__tests__/k.js src/__snapshots__/l.snap e2e/m.txt lib/n.test.tsx pkg/testdata/o.txt cypress/support/e2e.js p/a.spec.ts-snapshots/p.txt src/q.snap App.Tests/R.cs".split(
    " ",
  );
const TESTS: ClaimPlace = {
  files: { "sum.txt": "4\n", "notes.md": "# Notes\n", ...Object.fromEntries(TEST_NAMES.map((name) => [name, "4\n"])) },
  gates: { test: "run-all" },
  sources: /^(?:sum\.txt|notes\.md)$/,
};

const shell = (
  gates: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
  config?: string,
): ClaimPlace => ({
  files: { "sum.txt": "4\n", "notes.md": "# Notes\n", "check.sh": CHECK, "tests/sum.sh": SUM_TEST, ...files },
  gates,
  sources: SOURCE,
  ...(config !== undefined && { config }),
});

/** Its own hook starts a file of the repository. */
export const PRE_COMMIT = `repos:
  - repo: https://code.example/hooks
    rev: v1.0.0
    hooks: [{ id: spaces }]
  - repo: local
    hooks:
      - id: sum
        name: sum
        language: system
        entry: sh tools/first.sh
`;
export const LEFTHOOK = `pre-push:
  commands:
    sum:
      run: sh tools/second.sh
  scripts:
    "third.sh":
      runner: sh
`;
const HOOKED = `hooks:
  - { id: tell, on: run-end, run: 'cd "$RALPHCTL_WORKSPACE" && sh tell.sh' }
  - { id: early, on: run-end, run: sh not-yet.sh }
`;

export const PLACES: Readonly<Record<PlaceName, ClaimPlace>> = {
  shell: shell({ test: "sh check.sh" }),
  todo: { ...shell({ test: "test -f done.txt" }), sources: /^(?:done\.txt|sum\.txt|notes\.md)$/, isRed: true },
  bare: { files: { "notes.md": "# Notes\n" }, gates: {}, sources: SOURCE },
  make: shell(
    { test: "make check" },
    {
      Makefile: MAKEFILE,
      "rules.mk": "prepare:\n\t@true\n",
      "tests/sum.sh": SUM_TEST.replace("cat sum.txt", 'cat "${SUM:-sum.txt}"'),
    },
  ),
  targets: shell({ test: "make check" }, { Makefile: "check: sum.txt\n\tsh check.sh\n" }),
  npm: shell({ test: "npm test" }, { "package.json": json(PACKAGE), "lint.sh": "true\n" }),
  node: {
    files: {
      "package.json": json({ name: "x", type: "module" }),
      "notes.md": "# Notes\n",
      "src/sum.js": "export const sum = (a, b) => a + b;\n",
      "test/sum.test.js": NODE_TEST,
    },
    gates: { test: "node --test test/*.test.js" },
    sources: /^(?:notes\.md|src\/.*)$/,
  },
  entries: {
    files: {
      "package.json": json({ name: "x", type: "module", imports: { "#sum": "./src/sum.js" } }),
      "notes.md": "# Notes\n",
      "src/sum.js": "export const sum = (a, b) => a + b;\n",
      "test/sum.test.js": NODE_TEST.replace("../src/sum.js", "#sum"),
    },
    gates: { test: "node --test test/*.test.js" },
    sources: /^(?:notes\.md|src\/.*)$/,
  },
  loads: {
    files: {
      ...shell({}).files,
      Makefile: "CHECK = sh check.sh\ncheck:\n\t$(CHECK)\n",
      "extra/more.mk": "MORE = 1\n",
      ".env": 'NODE_OPTIONS="--require ./hooks/first.cjs"\n',
      "hooks/first.cjs": "\n",
      "hooks/second.cjs": "\n",
      "check.test.js":
        "const { readFileSync } = require('node:fs');\nrequire('node:test')('sum', () => require('node:assert').equal(readFileSync('sum.txt', 'utf8'), '4\\n'));\n",
    },
    gates: {
      check: "MAKEFILES=extra/more.mk make check",
      test: "node --env-file=.env --test check.test.js",
      unit: "NODE_OPTIONS='--require ./hooks/second.cjs' node --test check.test.js",
    },
    sources: SOURCE,
  },
  patterns: shell(
    { test: "sh ci.sh" },
    {
      "ci.sh": 'PATH=$PWD/bin:$PATH\nfor f in checks/*.sh; do . "./$f"; done\nfor f in *.md; do test -s "$f"; done\n',
      "checks/sum.sh": SUM_TEST.replace("\n", " || exit 1\n"),
      "bin/greet": "#!/bin/sh\necho hello\n",
      ".claude/workflows/look.yaml": "prompt: Look at it\n",
      ".ralph/workflows/deep.yml": "prompt: Look deeper\n",
      "tell.sh": ". ./tools/words.sh\nsay done\n",
      "tools/words.sh": 'say() { echo "$@"; }\n',
    },
    HOOKED,
  ),
  setup: {
    ...shell(
      { test: "./made/check" },
      {
        ".gitignore": "/made/\n",
        "scripts/setup.sh": ". scripts/lib.sh\nmkdir -p made && make_check >made/check && chmod +x made/check\n",
        "scripts/lib.sh": "make_check() { echo 'sh check.sh'; }\n",
      },
      "lanes: { setup: sh scripts/setup.sh }\n",
    ),
    prepare: "sh scripts/setup.sh",
  },
  workspaces: shell(
    { test: "npm test --workspaces" },
    {
      "package.json": json({ name: "x", private: true, workspaces: ["packages/*"] }),
      "packages/a/package.json": json({ name: "a", version: "1.0.0", scripts: { test: "cd ../.. && sh check.sh" } }),
    },
  ),
  python: {
    files: {
      "notes.md": "# Notes\n",
      "sum.py": "def sum2(a, b):\n    return a + b\n",
      "tests/test_sum.py": "from sum import sum2\n\n\ndef test_sum():\n    assert sum2(2, 2) == 4\n",
    },
    gates: { test: "python3 -B -m pytest -q -p no:cacheprovider" },
    missing: () => (spawnSync("python3", ["-c", "import pytest"]).status === 0 ? undefined : "there is no pytest"),
    sources: /^(?:notes\.md|sum\.py|src\/.*)$/,
  },
  unittest: {
    files: {
      "notes.md": "# Notes\n",
      "sum.py": "def sum2(a, b):\n    return a + b\n",
      "tests/__init__.py": "",
      "tests/test_sum.py":
        "import unittest\n\nfrom sum import sum2\n\n\nclass SumTest(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(sum2(2, 2), 4)\n",
    },
    gates: { test: "python3 -B -m unittest discover -q -s tests -t ." },
    sources: /^(?:notes\.md|sum\.py|src\/.*)$/,
  },
  tools: {
    files: { ...CONFIGURED, "sum.txt": "4\n", "notes.md": "# Notes\n" },
    gates: { test: TOOLS.join(" && ") },
    sources: SOURCE,
  },
  builds: {
    files: { ...BUILD_FILES, "sum.txt": "4\n", "notes.md": "# Notes\n" },
    gates: { test: TOOLS.join(" && ") },
    config: "lanes: { setup: none }\n",
    sources: SOURCE,
  },
  hooks: shell(
    { commit: "pre-commit run --all-files", push: "npx lefthook run pre-push" },
    {
      ".pre-commit-config.yaml": PRE_COMMIT,
      "lefthook.yml": LEFTHOOK,
      "tools/first.sh": SUM_TEST,
      "tools/second.sh": SUM_TEST.replace("sum", "src/push"),
      ".lefthook/pre-push/third.sh": SUM_TEST.replace("sum", "src/third"),
      "src/push.txt": "4\n",
      "src/third.txt": "4\n",
    },
  ),
  library: {
    files: {
      "notes.md": "# Notes\n",
      "lib.sh": "sum() { echo $(($1 + $2)); }\n",
      "check.sh": CHECK,
      "tests/sum.sh":
        'complain() { echo "expected 4"; false; }\n. ./lib.sh\n[ "$(sum 2 2)" = 4 ] || complain || exit 1\n',
    },
    gates: { test: "sh check.sh" },
    sources: /^(?:notes\.md|lib\.sh)$/,
  },
  settings: {
    files: {
      "sum.txt": "4\n",
      "notes.md": "# Notes\n",
      "phpcs.xml.dist": "<ruleset/>\n",
      "A.xctestplan": "{}\n",
      "src/main/java/Sum.java": "class Sum {}\n",
      "src/main/resources/application.properties": "a = 1\n",
      "lib/sum.rb": "def sum = 4\n",
      "api/sum.hurl": "GET x\n",
      "features/support/env.rb": "World\n",
      "pubspec.yaml": "name: x\ndev_dependencies:\n  test: ^1.0.0\n",
      "Cargo.toml": '[package]\nname = "x"\n\n[[test]]\nname = "sum"\npath = "tests/sum.rs"\n',
      "compose.yaml": "services:\n  test:\n    build: .\n    command: sh ops/run.sh\n  web:\n    build: .\n",
      "ops/run.sh": SUM_TEST,
      "config/pmd/rules.xml": "<ruleset/>\n",
    },
    gates: {
      test: `vitest && ${OTHER_TOOLS.join(" && ")} && mvn test && gradle test && swift test && cargo test && hurl --test api && dart test && cucumber`,
      container: "docker compose run --rm test",
    },
    config: "lanes: { setup: none }\n",
    sources: /^(?:sum\.txt|notes\.md|lib\/sum.*)$/,
  },
  modules: {
    files: {
      "notes.md": "# Notes\n",
      "sum.py": "def sum2(a, b):\n    return a + b\n",
      "tests/__init__.py": "",
      "tests/test_sum.py":
        "import unittest\n\nfrom colorsys import rgb_to_yiq\nfrom sum import sum2\n\n\nclass SumTest(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(sum2(2, 2) + rgb_to_yiq(0, 0, 0)[0], 4)\n",
    },
    gates: { test: "python3 -B -m unittest discover -q -s tests -t ." },
    sources: /^(?:notes\.md|sum\.py|sums\/.*)$/,
  },
  named: {
    files: {
      ...shell({}).files,
      ".swiftlint.yml": "rules: all\n",
      "buf.yaml": "version: v1\n",
      "rules/first.yaml": "rules: [one]\n",
      "api.json": json({ asks: 1 }),
      "go.mod": "module x\n",
      "part/part.go": "package part\n",
      "tasks/Taskfile.yml": "version: '3'\ntasks: { unit: { cmds: [run-all] } }\n",
      "Taskfile.yml": "version: '3'\nincludes: { t: ./tasks }\ntasks: { test: { cmds: [{ task: 't:unit' }] } }\n",
    },
    gates: {
      test: "vitest && swiftlint lint && buf lint && hardhat test && semgrep --config rules && newman run api.json && go test",
      more: "vitest || task test",
    },
    sources: SOURCE,
  },
  examples: {
    files: {
      "notes.md": "# Notes\n",
      "sum.py": 'def sum2(a, b):\n    """Adds.\n\n    >>> sum2(2, 2)\n    4\n    """\n    return a + b\n',
      "guide.md": "# Guide\n\n>>> from sum import sum2\n>>> sum2(2, 2)\n4\n",
      "page.ts": "let page = 1;\n",
    },
    gates: {
      test: "PYTHONPATH=. python3 -B -m doctest sum.py guide.md",
      lint: "test -z \"$(grep -L @ts-nocheck *.ts | xargs -r grep 'var ')\"",
      types: "test -f sum.pyi || ! grep -q untyped sum.py # mypy",
    },
    sources: /^(?:notes\.md|sum\.py|page\.ts)$/,
  },
  data: DATA_PLACE,
  tests: TESTS,
  locked: { ...TESTS, config: "verify: { tests: lock }\n" },
};
