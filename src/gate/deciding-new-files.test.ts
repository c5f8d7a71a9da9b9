import { describe, expect, test } from "vitest";
import { changesOf, type Files, filesLook } from "../../test/files-look.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { decidingChanges } from "./gate.ts";

/** The kinds and paths of what decides in an edit of files. */
async function kinds(run: string, base: Files, edit: Files): Promise<string[]> {
  const after = { ...base, ...edit };
  const found = await decidingChanges({
    gates: [{ id: "g", run }],
    base: filesLook(base),
    candidate: filesLook(after),
    changes: changesOf(base, after),
    testFiles: DEFAULT_TEST_FILES,
  });
  return found.map(({ kind, path }) => `${kind} ${path}`);
}

const makefile = (include: string): Files => ({
  Makefile: `${include}\n.PHONY: check\ncheck:\n\tpytest\n`,
  "mk/a.mk": "A = 1\n",
});
const node = {
  "check.js": "require('./rules'); require('./calc'); read('expected.json');",
  "rules.js": "",
  "calc.js": "",
  "expected.json": "{}",
};
const python = {
  "tools/check.py": "import random\nimport rules\nfrom app import add\n",
  "tools/rules.py": "",
  "app/add.py": "",
};

describe("T-10 new files that take effect", () => {
  test.each<[string, string, Files, Files, string[]]>([
    ["make: a pattern", "make check", makefile("-include *.mk"), { "x.mk": "SHELL = true\n" }, ["configuration x.mk"]],
    [
      "make: $(wildcard)",
      "make check",
      makefile("include $(wildcard mk/*.mk)"),
      { "mk/b.mk": "" },
      ["configuration mk/b.mk"],
    ],
    [
      "make: a file of a pattern",
      "make check",
      makefile("include mk/*.mk"),
      { "mk/a.mk": "SHELL = true\n" },
      ["definition mk/a.mk"],
    ],
    [
      "make: a file that was not there",
      "make check",
      makefile("-include local.mk"),
      { "local.mk": "" },
      ["configuration local.mk"],
    ],
    [
      "make: another name",
      "make check",
      { ...makefile("include rules.inc"), "rules.inc": "" },
      { "rules.inc": "SHELL = true\n" },
      ["configuration rules.inc"],
    ],
    [
      "make: MAKEFILES",
      "make check",
      makefile(""),
      { Makefile: `MAKEFILES = x.mk\n${makefile("")["Makefile"]}` },
      ["definition Makefile"],
    ],
    ["a module without an ending", "node check.js", node, { rules: "" }, ["configuration rules"]],
    ["a module beside a check at the top", "node check.js", node, { "rules.js": "x" }, ["test rules.js"]],
    ["data beside a check", "node check.js", node, { "expected.json": "[]" }, ["test expected.json"]],
    [
      "a check without an ending",
      "node tools/check",
      { "tools/check.js": "" },
      { "tools/check": "" },
      ["configuration tools/check"],
    ],
    [
      "a package in place of a module",
      "python3 tools/check.py",
      python,
      { "tools/rules/__init__.py": "" },
      ["configuration tools/rules/__init__.py"],
    ],
    [
      "Python's own module beside a check",
      "python3 tools/check.py",
      python,
      { "tools/random.py": "" },
      ["test tools/random.py"],
    ],
    [
      "Python's own module beside tests",
      "python3 -m pytest",
      { "tests/test_a.py": "" },
      { "tests/json.py": "" },
      ["test tests/json.py"],
    ],
    [
      "Python's own module at the top",
      "python3 -m unittest",
      { "test_a.py": "" },
      { "math/__init__.py": "" },
      ["test math/__init__.py"],
    ],
    [
      "a library for tests of Ruby",
      "bundle exec rake test",
      {},
      { "lib/minitest/autorun.rb": "" },
      ["configuration lib/minitest/autorun.rb"],
    ],
    [
      "the same, beside one that was there",
      "bundle exec rspec",
      { "lib/rspec/core.rb": "" },
      { "lib/rspec/core.rb": "x" },
      ["configuration lib/rspec/core.rb"],
    ],
    ["a library for tests of Perl", "prove -l t", {}, { "lib/Test/More.pm": "" }, ["configuration lib/Test/More.pm"]],
    [
      "a library for tests of Java",
      "./gradlew test",
      {},
      { "src/main/java/org/junit/Assert.java": "" },
      ["configuration src/main/java/org/junit/Assert.java"],
    ],
    ["a plugin of pytest", "pytest", {}, { "pytest_cov/plugin.py": "" }, ["configuration pytest_cov/plugin.py"]],
  ])("T-10 %s", async (_, run, base, edit, expected) => {
    expect(await kinds(run, base, edit)).toEqual(expected);
  });

  test.each<[string, string, Files, Files]>([
    ["the work beside a check", "node check.js", node, { "calc.js": "x" }],
    ["a make file that nothing includes", "make check", makefile("include mk/*.mk"), { "x.mk": "" }],
    [
      "a module of a package",
      "python3 -m pytest",
      { "tests/test_a.py": "", "app/a.py": "" },
      { "app/calendar.py": "", "app/types.py": "" },
    ],
    ["the module that a check waits for", "python3 tools/check.py", python, { "app/sub.py": "", "tools/data.txt": "" }],
    ["a program without an ending", "node check.js", node, { run: "" }],
    ["a plugin of rspec", "rspec", { "lib/rspec/ours.rb": "" }, { "lib/rspec/ours.rb": "x", "lib/rspec/more.rb": "" }],
    ["a plugin of pytest that is the work", "pytest", { "pytest_ours.py": "" }, { "pytest_ours.py": "x" }],
    ["a class of others", "./gradlew test", {}, { "src/main/java/org/acme/Assert.java": "" }],
  ])("T-10 honest: %s", async (_, run, base, edit) => {
    expect(await kinds(run, base, edit)).toEqual([]);
  });
});

const EACH = 'for f in checks/*.sh; do . "$f"; done';
const script = (text: string): Files => ({ "ci.sh": text, "checks/a.sh": "true", "lib/a.sh": "a() { true; }" });

describe("T-10 all files of a pattern that a script runs decide, new ones too", () => {
  test.each<[string, string[]]>([
    [EACH, ["configuration checks/0.sh"]],
    ["for f in $(dirname $0)/checks/*.sh; do\n  source $f\ndone", ["configuration checks/0.sh"]],
    ["cd checks && for f in *; do . ./$f; done", ["configuration checks/0.sh"]],
    ["bash -c 'source checks/*'", ["configuration checks/0.sh"]],
    [". checks/[0-9a-z].sh", ["configuration checks/0.sh"]],
    [". */?.sh", ["configuration checks/0.sh", "configuration lib/0.sh"]],
    ["for f in lib/*.sh; do . $f; done; a", ["test lib/0.sh"]],
    ['for f in checks/*.sh; do bash -eo pipefail "$f"; done', ["test checks/0.sh"]],
    ['for f in checks/*; do "$f"; done', ["test checks/0.sh"]],
    ["for f in $(ls checks); do sh checks/$f; done", ["test checks/0.sh"]],
    ["for f in $(find checks -name '*.sh'); do sh $f; done", ["test checks/0.sh"]],
    ["ls checks/*.sh | while read -r f; do sh $f; done", ["test checks/0.sh"]],
    ["find checks -name '*.sh' | xargs -I{} sh {}", ["test checks/0.sh"]],
    ["cat checks/*.sh | sh", ["test checks/0.sh"]],
    [
      "while IFS= read -r -d '' f; do\n  sh \"$f\" || exit 1\ndone < <(find checks -name '*.sh' -print0)",
      ["test checks/0.sh"],
    ],
    ['while read f; do . "$f"; done <<< "$(find checks -type f | sort)"', ["configuration checks/0.sh"]],
    ['for x in 1 2; do true; done; while read f; do sh "$f"; done < <(ls checks/*.sh | sort)', ["test checks/0.sh"]],
    ['mapfile -t all < <(git ls-files checks)\nfor f in "${all[@]}"; do sh "$f"; done', ["test checks/0.sh"]],
    ["all=$(find checks -type f)\nfor f in $all; do sh $f; done", ["test checks/0.sh"]],
    ["run-parts checks", ["test checks/0.sh"]],
    // A loop that only looks at files.
    ['for f in checks/*.sh; do shellcheck "$f"; done', []],
    ['for f in *; do (cd "$f" && make); done', []],
    ['while read f; do shellcheck "$f"; done < <(find checks -type f)', []],
  ])("%s", async (text, expected) => {
    expect(await kinds("sh ci.sh", script(text), { "checks/0.sh": "exit 0", "lib/0.sh": "exit 0" })).toEqual(expected);
  });
});

const CAT = { "bin/cat": "echo 4", "bin/greet": "", "src/cat": "" };

test.each([
  'PATH=$PWD/bin:$PATH; test "$(cat sum)" = 4',
  'export PATH="./bin:$PATH"\ncat sum | grep 4',
  'ROOT=$(cd "$(dirname "$0")" && pwd)\nPATH="$ROOT/bin:$PATH" make',
  "env PATH=bin:/usr/bin ./run",
  "cd bin && PATH=.:$PATH ./run",
  "bash -c 'PATH=bin:$PATH make'",
])("T-10 a program in a folder of the PATH runs in place of the system's: %s", async (text) => {
  expect(await kinds("sh ci.sh", script(text), CAT)).toEqual(["configuration bin/cat"]);
});

test.each<[string, string]>([
  ["node ci.mjs", "process.env.PATH = './tools:' + process.env.PATH;\nexecSync('verify all');\n"],
  [
    "node ci.mjs",
    "spawnSync('verify', [], { env: { ...process.env, PATH: `${process.cwd()}/tools:${process.env.PATH}` } });\n",
  ],
  [
    "node ci.mjs",
    "process.env['PATH'] = [\n  path.join(import.meta.dirname, 'tools'),\n  process.env.PATH,\n].join(':');\nexecSync('verify')\n",
  ],
  ["python3 ci.py", "os.environ['PATH'] = './tools:' + os.environ['PATH']\nsubprocess.check_call(['verify', 'all'])\n"],
  ["python3 ci.py", "run(['verify'], env=dict(os.environ, PATH=f\"{ROOT}/tools:{os.environ['PATH']}\"))\n"],
])("T-10 a program that code finds by its own PATH decides, in %s: %s", async (run, text) => {
  const base = { "ci.mjs": text, "ci.py": text, "tools/verify": "#!/bin/sh\nfalse\n" };
  expect(await kinds(run, base, { "tools/verify": "#!/bin/sh\ntrue\n", "tools/other": "" })).toEqual([
    "definition tools/verify",
  ]);
  const { "tools/verify": program, ...installed } = base;
  expect(await kinds(run, installed, { "tools/verify": program, "src/verify": "" })).toEqual([
    "configuration tools/verify",
  ]);
});

test("T-10 of files whose names a script computes, each that was there is tried as it was", async () => {
  const base = script('run() { sh "checks/$1.sh"; }\nrun a\n');
  expect(await kinds("sh ci.sh", base, { "checks/a.sh": "exit 0", "checks/b.sh": "", "lib/a.sh": "" })).toEqual([
    "configuration checks/a.sh",
  ]);
});

test("T-10 a check that is found by the PATH decides; a program of the product is the work", async () => {
  const base = { "tools/verify": "#!/bin/sh\n", "bin/greet": "#!/bin/sh\n" };
  const edit = { "tools/verify": "#!/bin/sh\nexit 0\n", "bin/greet": "#!/bin/sh\necho hi\n" };
  const run = "PATH=./bin:./tools:$PATH; verify; greet | grep hi";
  expect(await kinds(run, base, edit)).toEqual(["definition tools/verify"]);
});

test.each([
  ["go test ./...", "vendor/example.com/assert/a.go", "go.sum"],
  ["vendor/bin/phpunit", "vendor/phpunit/phpunit/src/Assert.php", "composer.lock"],
  ["bundle exec rspec", "vendor/bundle/ruby/3.3.0/gems/rspec/lib/rspec.rb", "Gemfile.lock"],
  ["npm test", "node_modules/chai/index.js", "package-lock.json"],
])(
  "T-10 packages of others in the repository decide %s; with new versions they are to be looked at",
  async (run, path, lock) => {
    const base = { [path]: "old", [lock]: "{}", "package.json": "{}" };
    expect(await kinds(run, base, { [path]: "new" })).toEqual([`configuration ${path}`]);
    expect(await kinds(run, base, { [path]: "new", [lock]: '{"a":1}' })).toEqual([`test ${path}`]);
    expect(await kinds("cmake --build .", base, { [path]: "new" })).toEqual([]);
  },
);

test("T-10 T-11 a submodule decides if a gate runs its files, or if it holds tests; one with other files is the work", async () => {
  const state = (hash: string) => ({ mode: "160000", hash });
  const moved = async (path: string): Promise<string[]> => {
    const look = filesLook({ Makefile: "check:\n\tsh ci/check.sh\n", ".gitmodules": "" });
    const change = { path, kind: "modified", before: state("a"), after: state("b") } as const;
    const gates = [{ id: "g", run: "make check && cd tools/e2e && ./run" }];
    const request = { gates, base: look, candidate: look, changes: [change], testFiles: DEFAULT_TEST_FILES };
    return (await decidingChanges(request)).map(({ kind }) => kind);
  };
  expect([await moved("ci"), await moved("tools"), await moved("lib/tests")]).toEqual([
    ["configuration"],
    ["configuration"],
    ["test"],
  ]);
  expect([await moved("lib"), await moved("c")]).toEqual([[], []]);
});

const PHONY = ".PHONY: check deploy old\ncheck:\n\tpytest\ndeploy:\n\techo x\nold:\n\techo x\n";

test.each([
  [
    "a target more, which is the goal by default",
    "make check",
    PHONY.replace(" old", " old help") + "help:\n\techo y\n",
  ],
  ["the goal by default", "make check", `.DEFAULT_GOAL := deploy\n${PHONY}`],
  ["another target", "make check", PHONY.replace("deploy:\n\techo x", "deploy:\n\tsh deploy.sh")],
  ["a target less", "make check", PHONY.replace(" old", "").replace("old:\n\techo x\n", "")],
])("T-10 phony targets beside the goal are work: %s", async (_, run, after) => {
  expect(await kinds(run, { Makefile: PHONY }, { Makefile: after })).toEqual([]);
});

test.each([
  ["it is phony no more", "make check", PHONY.replace(" check", "")],
  ["it is phony behind a condition", "make check", `ifdef X\n${PHONY.replace("\n", "\nendif\n")}`],
  ["another is the goal by default", "make", `.DEFAULT_GOAL := deploy\n${PHONY}`],
])("T-10 that a goal always runs decides: %s", async (_, run, after) => {
  expect(await kinds(run, { Makefile: PHONY }, { Makefile: after })).toEqual(["definition Makefile"]);
});
