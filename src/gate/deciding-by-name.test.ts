import { describe, expect, test } from "vitest";
import { changesOf, type Files, filesLook } from "../../test/files-look.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { decidingChanges } from "./gate.ts";

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

const BASE: Files = { "lib/a.go": "package lib\n", "go.mod": "module x\n", "a.py": "" };

describe("T-10 settings that are called after a tool", () => {
  test.each([
    ["swiftlint lint", ".swiftlint.yml"],
    ["npx knip-ts", "knip-ts.config.js"],
    ["clang-tidy a.c", ".clang-tidy"],
    ["trivy fs .", ".trivyignore"],
    ["python3 -m sqlfluff lint", ".sqlfluff"],
    ["cargo deny check", "deny.toml"],
    ["eslint .", "eslint-suppressions.json"],
    ["phpstan analyse", "phpstan-baseline.neon"],
    ["dart test", "dart_test.yaml"],
    ["gulp test", "gulpfile.js"],
    ["rebar3 eunit", "rebar.config"],
    ["./node_modules/.bin/hardhat test", "hardhat.config.ts"],
    ["pa11y-ci", ".pa11yci"],
    ["dart analyze", "analysis_options.yaml"],
    ["mypy a.py", "a.pyi"],
    ["go test ./...", "lib/go.mod"],
    ["plz test", ".plzconfig"],
    ["buck2 test //...", "BUCK"],
    ["redo check", "check.do"],
    ["./waf check", "wscript"],
    ["stack test", "package.yaml"],
    ["nimble test", "x.nimble"],
    ["rspec", ".rspec-local"],
    ["git diff --check HEAD~1", ".gitattributes"],
    ["npx tsc -b", "tsconfig.tsbuildinfo"],
    ["npx nx run-many -t test", ".nx/cache/1/code"],
    ["python3 a.py", "lib/__pycache__/a.cpython-312.pyc"],
    ["npx prettier --cache --check .", "node_modules/.cache/prettier/a"],
    ["ember test", "testem.js"],
    ["npx codeceptjs run", "codecept.conf.js"],
    ["lint-imports", ".importlinter"],
    ["yapf --diff -r .", ".style.yapf"],
    ["phpcs src", "phpcs.xml.dist"],
    ["vendor/bin/codecept run", "codeception.yml"],
    ["bundle exec standardrb", ".standard.yml"],
    ["bundle-audit check", ".bundler-audit.yml"],
    ["mix dialyzer", ".dialyzer_ignore.exs"],
    ["mix sobelow", ".sobelow-conf"],
    ["sbt test", ".jvmopts"],
    ["sbt test", ".sbtopts"],
    ["mill __.test", ".mill-jvm-opts"],
    ["sbt scalafmtCheck", ".scalafmt.conf"],
    ["xcodebuild test", "A.xctestplan"],
    ["dune build @fmt", ".ocamlformat"],
    ["Rscript -e 'lintr::lint_package()'", ".lintr"],
    ["dzil test", "dist.ini"],
    ["terraform test", "a_override.tf"],
    ["bazel test //...", "user.bazelrc"],
    ["buck2 test //...", ".buckconfig.local"],
    ["mage test", "magefiles/a.go"],
    ["julia test/runtests.jl", "LocalPreferences.toml"],
    ["duty check", "duties.py"],
    ["dotnet test", "x.testconfig.json"],
    ["dotnet test", "Directory.Solution.targets"],
    ["mvn test", "lib/main/resources/junit-platform.properties"],
    ["gradle test", "lib/main/resources/META-INF/services/org.junit.jupiter.api.extension.Extension"],
    ["python3 -m pytest", "evil-1.0.dist-info/entry_points.txt"],
  ])("%s: %s", async (run, path) => {
    const text = path.endsWith("json") ? '{"a":1}' : "a = 1\n";
    expect(await kinds(run, BASE, { [path]: path === "lib/go.mod" ? "module y\n" : text })).toEqual([
      `configuration ${path}`,
    ]);
  });

  test.each([
    ["swiftlint lint", "src/swiftlint.json"],
    ["swiftlint lint", "lib/swiftlint.json"],
    ["sh check.sh", "sh.json"],
    ["node --test", "node.yaml"],
    ["./bin/greet --check", "greet.yaml"],
    ["buf lint", "docs/buf.md"],
    ["buf lint", "buffer.yaml"],
    ["mypy a.py", "b.pyi"],
    ["go test ./...", "more/go.mod"],
    ["make check", "BUILD"],
    ["make check", ".gitattributes"],
    ["pytest", "lib/cache.json"],
    ["pytest", "more/cache/a.json"],
    ["pytest", "a.do"],
    ["mill __.test", "mill.md"],
    ["mix test", "web/.importlinter"],
    ["node --test", "a.dist-info/entry_points.txt"],
    ["mvn test", "lib/main/resources/application.properties"],
    ["mvn test", "lib/main/resources/META-INF/services/com.acme.Plugin"],
  ])("not %s: %s", async (run, path) => {
    expect(await kinds(run, BASE, { [path]: '{"a":1}' })).toEqual([]);
  });
});

test("T-10 programs that a framework made to start tests with are no product", async () => {
  const base = { "manage.py": "main()\n", "bin/rails": "#!/usr/bin/env ruby\nx\n", "src/cli.js": "a();\n" };
  const kindOf = async (run: string, path: string) => await kinds(run, base, { [path]: "\n" });
  expect(await kindOf("python3 manage.py test", "manage.py")).toEqual(["configuration manage.py"]);
  expect(await kindOf("./manage.py test", "manage.py")).toEqual(["configuration manage.py"]);
  expect(await kindOf("bin/rails test", "bin/rails")).toEqual(["configuration bin/rails"]);
  expect(await kindOf("node src/cli.js check", "src/cli.js")).toEqual([]);
});

const TASKFILE = "includes:\n  t: ./tasks\ntasks:\n  test:\n    cmds: [{ task: 't:unit' }]\n";

describe("T-10 files that commands and settings name", () => {
  test.each<[string, Files, Files, string[]]>([
    [
      "semgrep --config rules .",
      { "rules/a.yaml": "a: 1\n" },
      { "rules/a.yaml": "a: 2\n" },
      ["configuration rules/a.yaml"],
    ],
    ["detekt --baseline=old.xml", { "old.xml": "<a/>" }, { "old.xml": "<b/>" }, ["configuration old.xml"]],
    [
      "task test",
      { "Taskfile.yml": TASKFILE, "tasks/Taskfile.yml": "tasks: { unit: { cmds: [a] } }\n" },
      { "tasks/Taskfile.yml": "tasks: { unit: { cmds: ['true'] } }\n" },
      ["configuration tasks/Taskfile.yml"],
    ],
    [
      "pytest",
      { "conftest.py": "from checkers import same\nfrom product import add\n", "checkers.py": "a", "product.py": "a" },
      { "checkers.py": "b", "product.py": "b" },
      ["configuration checkers.py"],
    ],
    [
      "pnpm --filter a test",
      {
        "pnpm-workspace.yaml": "packages: [packages/*]\n",
        "packages/a/package.json": '{"name":"a","scripts":{"test":"x"}}',
      },
      { "packages/a/package.json": '{"name":"b","scripts":{"test":"x"}}' },
      ["configuration packages/a/package.json"],
    ],
    [
      "lerna run test",
      { "lerna.json": '{"packages":["packages/*"]}', "packages/a/package.json": '{"name":"a","scripts":{"test":"x"}}' },
      { "packages/a/package.json": '{"name":"a","scripts":{"test":"true"}}' },
      ["definition packages/a/package.json"],
    ],
    [
      "env $(cat vars.env) sh run.sh",
      { "vars.env": "A=1\n", "run.sh": "x" },
      { "vars.env": "A=2\n" },
      ["configuration vars.env"],
    ],
    ["newman run api.json", { "api.json": "{}" }, { "api.json": "[]" }, ["test api.json"]],
    [
      "python3 -m doctest a.py guide.md",
      { "a.py": "a", "guide.md": "a" },
      { "a.py": "b", "guide.md": "b" },
      ["test guide.md"],
    ],
  ])("%s", async (run, base, edit, expected) => {
    expect(await kinds(run, base, edit)).toEqual(expected);
  });
});

const library = "sum() {\n  echo 1\n}\n";
const tested = (path: string, text: string): Files => ({
  "check.sh": 'for t in tests/*.sh; do sh "$t" || exit 1; done\n',
  "tests/sum.sh": `. ./${path}\n[ "$(sum)" = 1 ] || exit 1\n`,
  [path]: text,
});

describe("T-10 what tests source", () => {
  test.each<[string, Files, string, string[]]>([
    ["a library is the work", tested("lib.sh", library), "lib.sh", []],
    ["a library of the product is the work", tested("src/lib.sh", "echo\n"), "src/lib.sh", []],
    [
      "a script that does something is a part of the test",
      tested("unit.sh", "grep x y\n"),
      "unit.sh",
      ["definition unit.sh"],
    ],
    [
      "a library of assertions is none",
      tested("lib/assert.sh", library),
      "lib/assert.sh",
      ["definition lib/assert.sh"],
    ],
    ["nor is one of helpers", tested("helpers.sh", library), "helpers.sh", ["definition helpers.sh"]],
    [
      "nor is one that the gate itself sources",
      { "check.sh": ". ./lib.sh\nsum\n", "lib.sh": library },
      "lib.sh",
      ["definition lib.sh"],
    ],
  ])("%s", async (_, base, path, expected) => {
    expect(await kinds("sh check.sh", base, { [path]: `${base[path]}sum() { :; }\n` })).toEqual(expected);
  });
});
