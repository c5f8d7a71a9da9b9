import { describe, expect, test } from "vitest";
import { type Files, filesLook } from "../../test/files-look.ts";
import type { FileChange } from "../domain/change.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { decidingChanges } from "./gate.ts";

const state = (text = "") => ({ mode: "100644", hash: text });

async function kinds(run: string, base: Files, edit: Files): Promise<string[]> {
  const changes = Object.keys(edit).map((path): FileChange => {
    const isOld = path in base;
    return {
      path,
      kind: isOld ? "modified" : "added",
      before: isOld ? state(base[path]) : undefined,
      after: state(edit[path]),
    };
  });
  const looks = { base: filesLook(base), candidate: filesLook({ ...base, ...edit }) };
  const found = await decidingChanges({ gates: [{ id: "g", run }], ...looks, changes, testFiles: DEFAULT_TEST_FILES });
  return found.map(({ kind, path, keys = [] }) => [kind, path, ...keys].join(" "));
}

const MAKEFILE = "CHECK = sh check.sh\ncheck:\n\t$(CHECK)\n";
const deno = (assert: string, more: object = {}): Files => ({
  "deno.json": JSON.stringify({ imports: { "@std/assert": assert, ...more } }),
});
const lock = (resolved: string): Files => ({
  "package-lock.json": JSON.stringify({ packages: { "node_modules/chai": { resolved } } }),
});
const cargo = (dependencies: string): Files => ({ "Cargo.toml": `[package]\nname = "x"\n\n${dependencies}\n` });
const pyproject = (dependencies: string): Files => ({
  "pyproject.toml": `[project]\nname = "x"\ndependencies = [${dependencies}]\n`,
});
const project = (inner: string): Files => ({ "T/T.csproj": `<Project>${inner}</Project>` });

describe("T-10 a package of others that becomes one of the repository decides", () => {
  test.each<[string, string, Files, Files, string[]]>([
    [
      "deno",
      "deno test",
      deno("jsr:@std/assert@1"),
      deno("./fake.ts"),
      ["configuration deno.json imports.@std/assert"],
    ],
    [
      "npm",
      "npm test",
      lock("https://packages.example/c.tgz"),
      lock("file:c.tgz"),
      ["configuration package-lock.json packages"],
    ],
    [
      "cargo",
      "cargo test",
      cargo("[dev-dependencies]\nq = '1'"),
      cargo("[dev-dependencies]\nq = { path = 'fake' }"),
      ["configuration Cargo.toml dev-dependencies.q"],
    ],
    [
      "pip",
      "pytest",
      pyproject("'pytest>=8'"),
      pyproject("'pytest @ file:./fake'"),
      ["configuration pyproject.toml project.dependencies"],
    ],
    [
      "bundler",
      "bundle exec rspec",
      { Gemfile: "gem 'rspec'\n" },
      { Gemfile: "gem 'rspec', path: './fake'\n" },
      ["configuration Gemfile"],
    ],
  ])("%s", async (_, run, base, edit, expected) => {
    expect(await kinds(run, base, edit)).toEqual(expected);
  });

  test.each<[string, string, Files, Files]>([
    [
      "deno: another version, and a name for a module of its own",
      "deno test",
      deno("jsr:@std/assert@1"),
      deno("jsr:@std/assert@2", { "#x": "./x.ts" }),
    ],
    [
      "npm: another version",
      "npm test",
      lock("https://packages.example/c-1.tgz"),
      lock("https://packages.example/c-2.tgz"),
    ],
    ["cargo: a crate of its own", "cargo test", cargo(""), cargo("[dependencies]\nown = { path = 'own' }")],
    ["pip: another version, and a package", "pytest", pyproject("'pytest>=8'"), pyproject("'pytest>=9', 'attrs'")],
    [
      "pip: a package of its own",
      "pytest",
      pyproject("'pytest>=8'"),
      pyproject("'pytest>=8', 'own @ file:./libs/own'"),
    ],
    [
      "bundler: a gem of its own",
      "bundle exec rspec",
      { Gemfile: "gem 'rspec'\n" },
      { Gemfile: "gem 'rspec'\ngem 'billing', path: 'engines/billing'\n" },
    ],
    ["bundler: a gem", "bundle exec rspec", { Gemfile: "gem 'rspec'\n" }, { Gemfile: "gem 'rspec'\ngem 'rack'\n" }],
  ])("T-10 honest: %s", async (_, run, base, edit) => {
    expect(await kinds(run, base, edit)).toEqual([]);
  });
});

describe("T-10 files that tools and scripts read elsewhere decide", () => {
  test.each<[string, Files, Files, string[]]>([
    ["pytest", { "a.py": "" }, { "pytest.toml": "[pytest]\n" }, ["configuration pytest.toml"]],
    ["tox", { "tox.toml": "a = 1\n" }, { "tox.toml": "a = 2\n" }, ["configuration tox.toml a"]],
    [
      "./gradlew check",
      { gradlew: "#!/bin/sh\n", "gradle/wrapper/gradle-wrapper.properties": "a" },
      { "gradle/wrapper/gradle-wrapper.properties": "b" },
      ["configuration gradle/wrapper/gradle-wrapper.properties"],
    ],
    [
      "./mvnw verify",
      { mvnw: "#!/bin/sh\n", ".mvn/wrapper/maven-wrapper.properties": "a" },
      { ".mvn/wrapper/maven-wrapper.properties": "b" },
      ["configuration .mvn/wrapper/maven-wrapper.properties"],
    ],
    ["gradle check", { "buildSrc/a.gradle": "a" }, { "buildSrc/a.gradle": "b" }, ["configuration buildSrc/a.gradle"]],
    ["dotnet test", project(""), project("<IsTestProject>false</IsTestProject>"), ["configuration T/T.csproj"]],
    ["dotnet test", project(""), project('<PackageReference Include="a" Version="1" />'), []],
    ["dotnet test", { "T.fsproj": "<X>\n</X>\n" }, { "T.fsproj": '<X>\n  <Compile Include="New.fs" />\n</X>\n' }, []],
    [
      "dotnet test",
      { "T.fsproj": '<X>\n  <Compile Include="Tests.fs" />\n</X>\n' },
      { "T.fsproj": "<X>\n</X>\n" },
      ["configuration T.fsproj"],
    ],
    ["dotnet test", { "a.sln": "T\n" }, { "a.sln": "\n" }, ["configuration a.sln"]],
    [
      "./gradlew check",
      { "gradle/wrapper/gradle-wrapper.jar": "\0a" },
      { "gradle/wrapper/gradle-wrapper.jar": "\0b" },
      ["configuration gradle/wrapper/gradle-wrapper.jar"],
    ],
    ["./tools/check", { "tools/check": "\0a" }, { "tools/check": "\0b" }, ["test tools/check"]],
    ["bun test", { "bun.lockb": "\0a" }, { "bun.lockb": "\0b" }, ["configuration bun.lockb"]],
    ["bun test", { "a.js": "" }, { "bun.lockb": "\0b" }, []],
    [
      "bun test",
      { "bun.lockb": "\0a", "package.json": '{ "dependencies": { "a": "1" } }' },
      { "bun.lockb": "\0b", "package.json": '{ "dependencies": { "a": "2" } }' },
      [],
    ],
    [
      "pre-commit run",
      { ".pre-commit-config.yaml": "repos: [{ repo: x, rev: v1, hooks: [{ id: a }] }]\n" },
      { ".pre-commit-config.yaml": "repos: [{ repo: x, rev: v2, hooks: [{ id: a }] }]\n" },
      [],
    ],
    [
      "pre-commit run",
      { ".pre-commit-config.yaml": "repos: [{ repo: x, rev: v1, hooks: [{ id: a }] }]\n" },
      { ".pre-commit-config.yaml": "repos: [{ repo: x, rev: v1, hooks: [{ id: a, files: none }] }]\n" },
      ["definition .pre-commit-config.yaml repos"],
    ],
    [
      "lefthook run pre-commit",
      { "lefthook.yml": "a: 1\n" },
      { "lefthook.yml": "a: 2\n" },
      ["configuration lefthook.yml a"],
    ],
    [
      "make check",
      { Makefile: MAKEFILE },
      { Makefile: `${MAKEFILE}$(eval CHECK = true)\n` },
      ["definition Makefile variable.$(eval)"],
    ],
    ["make check", { Makefile: MAKEFILE }, { Makefile: `${MAKEFILE}$(OBJECTS): %.o: %.c\n` }, []],
    [
      "make check",
      { Makefile: MAKEFILE },
      { Makefile: `QUICK = 1\nexport QUICK\n${MAKEFILE}` },
      ["configuration Makefile exported"],
    ],
    ["make check", { Makefile: MAKEFILE }, { Makefile: `export\n${MAKEFILE}` }, ["configuration Makefile exported"]],
    ["make check", { Makefile: MAKEFILE }, { Makefile: `QUICK = 1\n${MAKEFILE}` }, []],
    [
      "make check",
      { Makefile: `export QUICK\nQUICK = 0\n${MAKEFILE}` },
      { Makefile: `export QUICK\nQUICK = 1\n${MAKEFILE}` },
      ["configuration Makefile exported variable.QUICK"],
    ],
    [
      "test -f out.txt && grep -q x README.md",
      { "README.md": "" },
      { "out.txt": "", "README.md": "x" },
      ["data out.txt"],
    ],
    ["cat out/*", { "out/a": "" }, { "out/b": "" }, []],
    [
      "just check",
      { justfile: "check:\n  pytest\n" },
      { justfile: "set shell := ['true']\ncheck:\n  pytest\n" },
      ["definition justfile variable.$(set) variable"],
    ],
    [
      "mise run lint:all",
      { "mise-tasks/lint/all": "#!/bin/sh\n" },
      { "mise-tasks/lint/all": "#!/bin/sh\ntrue\n" },
      ["definition mise-tasks/lint/all"],
    ],
    [
      "go run ./tools/check",
      { "tools/check/main.go": "1", "cmd/a/main.go": "1" },
      { "tools/check/main.go": "2", "cmd/a/main.go": "2" },
      ["definition tools/check/main.go"],
    ],
    [
      "cargo xtask ci",
      { "xtask/src/main.rs": "1", "src/main.rs": "1" },
      { "xtask/src/main.rs": "2", "src/main.rs": "2" },
      ["definition xtask/src/main.rs"],
    ],
    [
      "sh ci.sh",
      { "ci.sh": "trap 'sh ci/end.sh' EXIT\n", "ci/end.sh": "1\n" },
      { "ci/end.sh": "2\n" },
      ["definition ci/end.sh"],
    ],
    [
      "python3 ci.py",
      { "ci.py": "import sys\nsys.path.insert(0, 'rules')\nimport limits\n", "rules/limits.py": "1" },
      { "rules/limits.py": "2", "rules/other.py": "" },
      ["definition rules/limits.py"],
    ],
    [
      "python3 ci.py",
      { "ci.py": "import sys\nsys.path.insert(0, 'src')\nimport app\n", "src/app.py": "1" },
      { "src/app.py": "2" },
      [],
    ],
    [
      "python3 run_tests.py",
      { "run_tests.py": "import sys\nsys.path.insert(0, 'mylib')\nimport calc\n", "mylib/calc.py": "1" },
      { "mylib/calc.py": "2" },
      [],
    ],
    [
      "make check",
      { Makefile: "PROGS = a b\n$(foreach p,$(PROGS),$(eval $(call T,$(p))))\ncheck:\n\ttrue\n" },
      {
        Makefile: "PROGS = a b c\n$(foreach p,$(PROGS),$(eval $(call T,$(p))))\n$(eval $(call T,d))\ncheck:\n\ttrue\n",
      },
      [],
    ],
    [
      "make check",
      { Makefile: "check:\n\ttrue\n$(foreach p,a b,run-$(p)): base\n\techo 1\n" },
      { Makefile: "check:\n\ttrue\n$(foreach p,a b,run-$(p)): base\n\techo 2\n" },
      [],
    ],
    [
      "for f in $(git ls-files scripts); do bash -n $f; done",
      { "scripts/a.sh": "true\n" },
      { "scripts/a.sh": "false\n" },
      [],
    ],
    ["go run ./tools/gen && go test ./...", { "tools/gen/main.go": "1" }, { "tools/gen/main.go": "2" }, []],
    [
      "ruby ci/check.rb",
      { "ci/check.rb": "require_relative 'rules'\n", "ci/rules.rb": "1" },
      { "ci/rules.rb": "2" },
      ["definition ci/rules.rb"],
    ],
    [
      "php ci/check.php",
      { "ci/check.php": "<?php require __DIR__.'/rules.php';", "ci/rules.php": "1" },
      { "ci/rules.php": "2" },
      ["definition ci/rules.php"],
    ],
    [
      "perl ci/check.pl",
      { "ci/check.pl": "require './ci/rules.pl';", "ci/rules.pl": "1" },
      { "ci/rules.pl": "2" },
      ["definition ci/rules.pl"],
    ],
    ["prettier --check *", { "a.md": "" }, { "--version": "" }, ["configuration --version"]],
    ["prettier --check .", { "a.md": "" }, { "-notes.md": "" }, []],
    ["bats checks", { "checks/a.bats": "1" }, { "checks/a.bats": "2" }, ["test checks/a.bats"]],
  ])("%s %j %j", async (run, base, edit, expected) => {
    expect(await kinds(run, base, edit)).toEqual(expected);
  });
});
