import { describe, expect, test } from "vitest";
import { changesOf, type Files, filesLook } from "../../test/files-look.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { type DecidingChange, decidingChanges } from "./gate.ts";

/** `undefined` deletes a file. */
type Edit = Readonly<Record<string, string | undefined>>;

async function changed(run: string, base: Files, edit: Edit, folder = ""): Promise<readonly DecidingChange[]> {
  const all = { ...base, ...edit };
  const after = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return await decidingChanges({
    gates: [{ id: "g", run }],
    base: filesLook(base),
    candidate: filesLook(after),
    changes: changesOf(base, after),
    testFiles: DEFAULT_TEST_FILES,
    folder,
  });
}

const kinds = async (run: string, base: Files, edit: Edit): Promise<string[]> =>
  (await changed(run, base, edit)).map(({ kind, path }) => `${kind} ${path}`);

const manifest = (scripts: object, more: object = {}): string => JSON.stringify({ name: "x", scripts, ...more });
const npm = {
  "package.json": manifest(
    { test: "npm run unit && node tools/check.mjs", unit: "vitest run", other: "x" },
    { dependencies: { lodash: "^4.0.0" }, devDependencies: { vitest: "^1.0.0" } },
  ),
  "package-lock.json": "{}",
  "tsconfig.json": '{\n// all\n"include": ["src"], "compilerOptions": {"strict": true}}',
  "vitest.config.ts": "export default { test: { setupFiles: ['./src/setup.ts'] } }",
  "src/setup.ts": "",
  "src/a.ts": "",
  "tools/check.mjs": "import './rules.mjs'; import '../src/a.ts';",
  "tools/rules.mjs": "x",
  "tests/a.test.ts": "x",
};
const jest = { "package.json": manifest({ test: "jest" }, { jest: { verbose: true } }), "src/a.test.js": "" };
const pytest = {
  "pyproject.toml":
    '[project]\nname = "a"\ndependencies = ["x>=1"]\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.ruff]\nx = 1\n',
  "tests/test_a.py": "",
  "app/a.py": "",
};
const makefile = [
  "FLAGS = -v",
  "SRCS = a.c",
  "include rules.mk",
  ".PHONY: check",
  "check: unit",
  "\t./scripts/check.sh",
  "unit: a.c",
  "\tpytest $(FLAGS)",
  "deploy:",
  "\techo x",
].join("\n");
const make = {
  Makefile: makefile,
  "rules.mk": "X = 1\n",
  "scripts/check.sh": "set -e\n. ./scripts/lib.sh\n",
  "scripts/lib.sh": "x",
  "a.c": "",
};
const workspaces = {
  "package.json": manifest({ test: "npm test --workspaces --if-present" }, { workspaces: ["packages/*"] }),
  "packages/a/package.json": manifest({ test: "vitest run" }),
  "packages/a/src/a.ts": "",
  "packages/b/package.json": manifest({ test: "sh ../../scripts/b.sh" }),
  "scripts/b.sh": "",
};
const cargo = {
  "Cargo.toml": '[package]\nname = "a"\nversion = "1.0.0"\n[dependencies]\nserde = "1"\n',
  "src/lib.rs": "",
  "tests/a.rs": "",
};
const go = { "go.mod": "module x\nrequire y v1\n", "a/a.go": "", "a/a_test.go": "" };

describe("T-10 a cheat changes what decides", () => {
  test.each<[string, string, Files, Edit, string[]]>([
    [
      "a script is emptied",
      "npm test",
      npm,
      { "package.json": manifest({ test: "true", unit: "vitest run" }) },
      ["definition package.json"],
    ],
    [
      "a script that a script calls",
      "CI=1 npm run test",
      npm,
      {
        "package.json": manifest({
          test: "npm run unit && node tools/check.mjs",
          unit: "vitest run --passWithNoTests",
        }),
      },
      ["definition package.json"],
    ],
    ["a script is removed", "npm test", npm, { "package.json": manifest({}) }, ["definition package.json"]],
    ["the manifest no longer parses", "npm test", npm, { "package.json": "{" }, ["definition package.json"]],
    [
      "a new pretest",
      "npm test",
      npm,
      {
        "package.json": manifest({
          test: "npm run unit && node tools/check.mjs",
          unit: "vitest run",
          pretest: "rm -r tests",
        }),
      },
      ["definition package.json"],
    ],
    [
      "a new script of the installation",
      "npm test",
      npm,
      {
        "package.json": manifest({
          test: "npm run unit && node tools/check.mjs",
          unit: "vitest run",
          postinstall: "node x",
        }),
      },
      ["configuration package.json"],
    ],
    ["a file that a script starts", "npm test", npm, { "tools/check.mjs": "" }, ["definition tools/check.mjs"]],
    ["a file beside it that it names", "npm test", npm, { "tools/rules.mjs": "" }, ["definition tools/rules.mjs"]],
    [
      "vitest's configuration",
      "npm test",
      npm,
      { "vitest.config.ts": "export default { test: { exclude: ['**'] } }" },
      ["configuration vitest.config.ts"],
    ],
    [
      "a set-up file that it names",
      "npm test",
      npm,
      { "src/setup.ts": "process.exit(0)" },
      ["configuration src/setup.ts"],
    ],
    [
      "another configuration of vitest",
      "npm test",
      npm,
      { "vitest.workspace.ts": "" },
      ["configuration vitest.workspace.ts"],
    ],
    [
      "tsconfig excludes",
      "npx tsc -p .",
      npm,
      { "tsconfig.json": '{"include": ["src"], "compilerOptions": {"strict": true}, "exclude": ["src/a.ts"]}' },
      ["configuration tsconfig.json"],
    ],
    [
      "tsconfig includes less",
      "npx tsc",
      npm,
      { "tsconfig.json": '{"include": [], "compilerOptions": {"strict": true}}' },
      ["configuration tsconfig.json"],
    ],
    ["another shell for scripts", "npm test", npm, { ".npmrc": "script-shell=/bin/true" }, ["configuration .npmrc"]],
    [
      "the runner is a folder",
      "npm test",
      npm,
      { "package.json": npm["package.json"].replace('"^1.0.0"', '"file:./fake"'), "fake/index.js": "" },
      ["configuration package.json"],
    ],
    [
      "the runner is overridden",
      "npm test",
      npm,
      {
        "package.json": npm["package.json"].replace('"name":"x"', '"name":"x","overrides":{"vitest":"npm:fake@1.0.0"}'),
      },
      ["configuration package.json"],
    ],
    [
      "a package with the name of the runner",
      "npm test",
      npm,
      { "packages/v/package.json": '{"name": "v", "bin": {"vitest": "x.js"}}' },
      ["configuration packages/v/package.json"],
    ],
    [
      "a program in node_modules",
      "npm test",
      npm,
      { "node_modules/.bin/vitest": "exit 0" },
      ["configuration node_modules/.bin/vitest"],
    ],
    ["variables of the environment", "npm test", npm, { ".env.test": "SKIP=1" }, ["configuration .env.test"]],
    [
      "jest ignores tests",
      "npm test",
      jest,
      { "package.json": manifest({ test: "jest" }, { jest: { verbose: true, testPathIgnorePatterns: ["src"] } }) },
      ["configuration package.json"],
    ],
    [
      "jest passes without tests",
      "npm test",
      jest,
      { "package.json": manifest({ test: "jest --passWithNoTests" }, { jest: { verbose: true } }) },
      ["definition package.json"],
    ],
    ["a new configuration of jest", "npm test", jest, { "jest.config.js": "" }, ["configuration jest.config.js"]],
    [
      "options of pytest",
      "python3 -m pytest",
      pytest,
      { "pyproject.toml": pytest["pyproject.toml"].replace("-q", "-q --co") },
      ["configuration pyproject.toml"],
    ],
    [
      "a conftest that skips all",
      "uv run pytest",
      pytest,
      { "tests/conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n" },
      ["configuration tests/conftest.py"],
    ],
    [
      "a fixture that all tests get",
      "pytest",
      pytest,
      { "conftest.py": "import pytest\n\n@pytest.fixture(autouse=True)\ndef x():\n    pytest.skip('')\n" },
      ["configuration conftest.py"],
    ],
    [
      "a fixture beside the old ones",
      "pytest",
      { ...pytest, "conftest.py": "import pytest\n" },
      { "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n" },
      ["test conftest.py"],
    ],
    ["a new pytest.ini", "python3 -m pytest", pytest, { "pytest.ini": "" }, ["configuration pytest.ini"]],
    [
      "a module with the name of the runner",
      "python3 -m pytest",
      pytest,
      { "pytest.py": "" },
      ["configuration pytest.py"],
    ],
    ["a make variable", "make check", make, { Makefile: makefile.replace("-v", "--co") }, ["definition Makefile"]],
    [
      "a recipe on the way",
      "make check",
      make,
      { Makefile: makefile.replace("pytest", "true") },
      ["definition Makefile"],
    ],
    [
      "a rule of make inside of many conditions",
      "make check",
      { Makefile: `${"ifdef A\n".repeat(150)}check:\n\tpytest\n${"endif\n".repeat(150)}` },
      { Makefile: `${"ifdef A\n".repeat(150)}check:\n\ttrue\n${"endif\n".repeat(150)}` },
      ["definition Makefile"],
    ],
    ["the shell of make", "make check", make, { Makefile: `SHELL = /bin/true\n${makefile}` }, ["definition Makefile"]],
    ["an included file", "make check", make, { "rules.mk": "FLAGS = --co\n" }, ["definition rules.mk"]],
    [
      "a program that make's PATH finds first",
      "make check",
      { Makefile: "export PATH := $(CURDIR)/bin:$(PATH)\ncheck:\n\tpytest -q\n" },
      { "bin/pytest": "exit 0", "bin/other": "" },
      ["configuration bin/pytest"],
    ],
    [
      "karma's configuration",
      "karma start",
      { "karma.conf.js": "x" },
      { "karma.conf.js": "" },
      ["configuration karma.conf.js"],
    ],
    [
      "a build of .NET",
      "dotnet test",
      { "a.cs": "" },
      { "Directory.Build.props": "" },
      ["configuration Directory.Build.props"],
    ],
    [
      "a task",
      "task check",
      { "Taskfile.dist.yml": "tasks: {check: pytest}" },
      { "Taskfile.dist.yml": "tasks: {check: 'true'}", "Taskfile.yml": "tasks: {}" },
      ["definition Taskfile.dist.yml", "definition Taskfile.yml"],
    ],
    ["a make file that is found first", "make check", make, { GNUmakefile: "check:\n" }, ["definition GNUmakefile"]],
    ["a file with the name of the target", "make unit", make, { unit: "" }, ["definition unit"]],
    [
      "a script of a recipe",
      "CI=1 make check",
      make,
      { "scripts/check.sh": "exit 0" },
      ["definition scripts/check.sh"],
    ],
    [
      "a script that this one reads",
      "make -C . check",
      make,
      { "scripts/lib.sh": "exit 0" },
      ["definition scripts/lib.sh"],
    ],
    [
      "a script of a package",
      "npm test",
      workspaces,
      { "packages/a/package.json": manifest({ test: "true" }) },
      ["definition packages/a/package.json"],
    ],
    [
      "a file that a package starts",
      "npm test -w b",
      { ...workspaces, "package.json": manifest({ test: "npm test -w x" }, { workspaces: ["packages/*"] }) },
      { "scripts/b.sh": "exit 0" },
      ["definition scripts/b.sh"],
    ],
    [
      "a package leaves the workspace",
      "npm test",
      workspaces,
      { "package.json": manifest({ test: "npm test --workspaces --if-present" }, { workspaces: ["packages/a"] }) },
      ["definition package.json"],
    ],
    [
      "the same by a pattern",
      "npm test",
      workspaces,
      {
        "package.json": manifest(
          { test: "npm test --workspaces --if-present" },
          { workspaces: ["packages/*", "!packages/b"] },
        ),
      },
      ["definition package.json"],
    ],
    [
      "a switch of cargo",
      "cargo test",
      cargo,
      { "Cargo.toml": `${cargo["Cargo.toml"]}[lib]\ntest = false\n` },
      ["configuration Cargo.toml"],
    ],
    [
      "a test without harness",
      "cargo test",
      cargo,
      { "Cargo.toml": `${cargo["Cargo.toml"]}[[test]]\nname = "a"\nharness = false\n` },
      ["configuration Cargo.toml"],
    ],
    [
      "a runner of cargo",
      "cargo test",
      cargo,
      { ".cargo/config.toml": "[target.x]\nrunner = 'true'" },
      ["configuration .cargo/config.toml"],
    ],
    [
      "a replaced module",
      "go test ./...",
      go,
      { "go.mod": "module x\nrequire y v1\nreplace y => ./fake\n" },
      ["configuration go.mod"],
    ],
    [
      "a TestMain",
      "go test ./...",
      go,
      { "a/main_test.go": "package a\nfunc TestMain(m *testing.M) {}\n" },
      ["configuration a/main_test.go"],
    ],
    [
      "a recipe of just",
      "just check",
      { justfile: "flags := '-v'\ncheck: unit\nunit:\n    pytest {{flags}}\n" },
      { justfile: "flags := '--co'\ncheck: unit\nunit:\n    pytest {{flags}}\n" },
      ["definition justfile"],
    ],
    [
      "one of many checks",
      "for f in checks/*.sh; do sh $f; done",
      { "checks/a.sh": "x", "checks/b.sh": "x" },
      { "checks/b.sh": "" },
      ["definition checks/b.sh"],
    ],
    [
      "a package of Python from a folder",
      "pytest",
      { "requirements.txt": "x==1\npytest==8\n" },
      { "requirements.txt": "x==1\npytest @ file:./fake\n" },
      ["configuration requirements.txt"],
    ],
    [
      "options of pytest in setup.cfg",
      "pytest",
      { "setup.cfg": "[metadata]\nname = a\n" },
      { "setup.cfg": "[metadata]\nname = a\n[tool:pytest]\naddopts = --co\n" },
      ["configuration setup.cfg"],
    ],
    ["a linter leaves files out", "npx eslint .", npm, { ".eslintignore": "src" }, ["configuration .eslintignore"]],
    [
      "a check is no longer a program",
      "make check",
      make,
      { "scripts/check.sh": undefined },
      ["definition scripts/check.sh"],
    ],
    ["a test is deleted", "npm test", npm, { "tests/a.test.ts": undefined }, ["test tests/a.test.ts"]],
    ["a test is changed", "go test ./...", go, { "a/a_test.go": "x" }, ["test a/a_test.go"]],
    [
      "a check of the command",
      "sh -c './verify.sh && node ok.js'",
      { "verify.sh": "x" },
      { "verify.sh": "" },
      ["definition verify.sh"],
    ],
    [
      "a check that a script names by its own folder",
      "./scripts/ci.sh",
      { "scripts/ci.sh": 'cd "$(dirname "$0")/.."\nbash scripts/all.sh', "scripts/all.sh": "x" },
      { "scripts/all.sh": "" },
      ["definition scripts/all.sh"],
    ],
    [
      "expected output",
      "node app.js | diff - expected.txt",
      { "expected.txt": "a", "app.js": "" },
      { "expected.txt": "b" },
      ["test expected.txt"],
    ],
    ["the command's own check is new", "sh check.sh", { "README.md": "" }, { "check.sh": "exit 0" }, ["test check.sh"]],
    [
      "the gate's script is new",
      "npm test",
      { "README.md": "" },
      { "package.json": manifest({ test: "true" }), "vitest.config.ts": "" },
      ["test package.json"],
    ],
  ])("%s", async (_, run, base, edit, expected) => {
    expect(await kinds(run, base, edit)).toEqual(expected);
  });
});

describe("T-10 honest work does not", () => {
  const { scripts } = JSON.parse(npm["package.json"]) as { scripts: object };
  const upgraded = npm["package.json"].replace("^4.0.0", "^5.0.0").replace("^1.0.0", "^2.0.0");
  test.each<[string, string, Files, Edit]>([
    [
      "a new script",
      "npm test",
      npm,
      { "package.json": npm["package.json"].replace('"other":"x"', '"other":"y","more":"z"') },
    ],
    [
      "a formatted manifest",
      "npm test",
      npm,
      { "package.json": JSON.stringify(JSON.parse(npm["package.json"]), undefined, 4) },
    ],
    ["an upgrade", "npm test", npm, { "package.json": upgraded, "package-lock.json": "{ }" }],
    [
      "a new dependency",
      "npm test",
      npm,
      {
        "package.json": manifest(scripts, {
          dependencies: { lodash: "^4.0.0", "@x/y": "workspace:*" },
          devDependencies: { vitest: "^1.0.0" },
        }),
      },
    ],
    ["source", "npm test", npm, { "src/a.ts": "y", "src/b.ts": "" }],
    ["a new test", "npm test", npm, { "tests/b.test.ts": "", "src/c.test.ts": "" }],
    [
      "a new folder with its own configuration",
      "npm test",
      npm,
      { "extra/tsconfig.json": "{}", "extra/vitest.config.ts": "", "extra/a.ts": "" },
    ],
    [
      "a formatted tsconfig that includes more",
      "npx tsc",
      npm,
      { "tsconfig.json": '{"compilerOptions":{"strict":true},"include":["src","extra"]}' },
    ],
    [
      "configuration of a tool that no gate uses",
      "npm test",
      npm,
      { "eslint.config.js": "", ".prettierrc": "{}", "tsconfig.build.json": "{}" },
    ],
    [
      "a new package",
      "npm test",
      workspaces,
      {
        "packages/c/package.json": manifest({ test: "vitest run", postinstall: "x" }),
        "packages/c/a.ts": "",
        "packages/c/vitest.config.ts": "",
      },
    ],
    [
      "a new member by name",
      "npm test",
      { ...workspaces, "package.json": manifest({ test: "npm test --workspaces" }, { workspaces: ["packages/a"] }) },
      { "package.json": manifest({ test: "npm test --workspaces" }, { workspaces: ["packages/a", "packages/b"] }) },
    ],
    [
      "a package is deleted with its folder",
      "npm test",
      workspaces,
      { "packages/a/package.json": undefined, "packages/a/src/a.ts": undefined },
    ],
    ["a new target of make", "make check", make, { Makefile: `${makefile}\nnew: check\n\techo y\nNEW = 1\n` }],
    ["another target of make", "make check", make, { Makefile: makefile.replace("echo x", "echo y") }],
    [
      "a new source of make",
      "make check",
      make,
      { Makefile: makefile.replace("unit: a.c", "unit: a.c b.c").replace("SRCS = a.c", "SRCS = a.c b.c"), "b.c": "" },
    ],
    [
      "a new fixture",
      "pytest",
      pytest,
      {
        "tests/conftest.py": "import pytest\nfrom app.a import A\n\n\n@pytest.fixture\ndef thing():\n    return A()\n",
      },
    ],
    [
      "a dependency of Python",
      "pytest",
      pytest,
      { "pyproject.toml": pytest["pyproject.toml"].replace("x>=1", "x>=2").replace("x = 1", "x = 2") },
    ],
    [
      "a dependency of Rust",
      "cargo test",
      cargo,
      {
        "Cargo.toml": cargo["Cargo.toml"].replace('serde = "1"', 'serde = "2"\nrand = "1"\n[[test]]\nname = "b"\n'),
        "tests/b.rs": "",
      },
    ],
    [
      "a dependency of Go",
      "go test ./...",
      go,
      { "go.mod": "module x\nrequire (\n\ty v2\n\tz v1\n)\n", "a/b_test.go": "package a\n" },
    ],
    [
      "the program that a gate looks at",
      "node app.js | grep -q hello",
      { "app.js": "" },
      { "app.js": "console.log('hello')" },
    ],
    ["the same through a file", "node it.js > out && diff out a.txt", { "it.js": "", "a.txt": "" }, { "it.js": "x" }],
    ["the same in brackets", '[ "$(python3 hello.py)" = hi ]', { "hello.py": "" }, { "hello.py": "print('hi')" }],
    ["a new program", "node app.js", { "README.md": "" }, { "app.js": "" }],
    [
      "a new recipe of just",
      "just check",
      { justfile: "check:\n  pytest\n" },
      { justfile: "check:\n  pytest\n\nnew a='1':\n  echo\n" },
    ],
    ["a new test beside others", "for f in tests/*.sh; do sh $f; done", { "tests/a.sh": "x" }, { "tests/b.sh": "" }],
    [
      "a package of Python",
      "pytest",
      { "requirements.txt": "x==1\n" },
      { "requirements.txt": "x==2\ny==1\n", "requirements-dev.txt": "z\n" },
    ],
    [
      "packaging of Python",
      "pytest",
      { "setup.cfg": "[metadata]\nname = a\n" },
      { "setup.cfg": "[metadata]\nname = b\n" },
    ],
    ["documents", "npm test", npm, { "README.md": "x", "docs/a.md": "", ".env.example": "A=" }],
  ])("%s", async (_, run, base, edit) => {
    expect(await kinds(run, base, edit)).toEqual([]);
  });
});
