import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { typed } from "../recording-io.ts";
import { commitAll, temporaryRepository, write } from "../temporary-folder.ts";

// A small project of each kind, set up and verified in a room by the real tool. One whose program is missing is skipped,
// and the report of the tests says so.

interface Project {
  readonly programs: readonly string[];
  /** Has to be reached. */
  readonly host?: string;
  readonly files: Readonly<Record<string, string>>;
  /** Makes lock files. */
  readonly lock?: string;
  /** Commands as `verify` names them, in order. */
  readonly gates: readonly string[];
  /** Files with which the tests fail. */
  readonly broken: Readonly<Record<string, string>>;
}

const json = (value: object): string => JSON.stringify(value);
const NODE = {
  ".gitignore": "node_modules/\n",
  "sum.js": "module.exports = (a, b) => a + b;\n",
  "sum.test.js":
    "const test = require('node:test');\nconst assert = require('node:assert');\nconst max = require('lodash.max');\ntest('sum', () => assert.equal(require('./sum.js')(1, max([1, 2])), 3));\n",
};
const nodePackage = (more: object = {}): string =>
  json({
    name: "p",
    version: "1.0.0",
    scripts: { test: "node --test sum.test.js" },
    dependencies: { "lodash.max": "4.0.1" },
    ...more,
  });
const BROKEN_JS = { "sum.js": "module.exports = () => 0;\n" };

const PROJECTS: Readonly<Record<string, Project>> = {
  npm: {
    programs: ["npm"],
    files: { ...NODE, "package.json": nodePackage() },
    lock: "npm install --package-lock-only --no-audit --no-fund",
    gates: ["CI=1 npm run test"],
    broken: BROKEN_JS,
  },
  pnpm: {
    programs: ["pnpm"],
    files: { ...NODE, "package.json": nodePackage() },
    lock: "pnpm install --lockfile-only",
    gates: ["CI=1 pnpm run test"],
    broken: BROKEN_JS,
  },
  yarn: {
    programs: ["yarn"],
    files: { ...NODE, "package.json": nodePackage() },
    lock: "YARN_NODE_LINKER=node-modules yarn install",
    gates: ["CI=1 yarn run test"],
    broken: BROKEN_JS,
  },
  bun: {
    programs: ["bun"],
    files: { ...NODE, "package.json": nodePackage() },
    lock: "bun install --lockfile-only",
    gates: ["CI=1 bun run test"],
    broken: BROKEN_JS,
  },
  uv: {
    programs: ["uv"],
    host: "pypi.org",
    files: {
      ".gitignore": ".venv/\n__pycache__/\n.pytest_cache/\n",
      "pyproject.toml":
        '[project]\nname = "p"\nversion = "1.0.0"\nrequires-python = ">=3.9"\n[dependency-groups]\ndev = ["pytest"]\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
      "sums.py": "def add(a, b):\n    return a + b\n",
      "tests/test_sums.py": "from sums import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    },
    lock: "uv lock",
    gates: ["uv run pytest"],
    broken: { "sums.py": "def add(a, b):\n    return 0\n" },
  },
  "cargo with member crates": {
    programs: ["cargo"],
    files: {
      ".gitignore": "target/\n",
      "Cargo.toml":
        '[package]\nname = "top"\nversion = "1.0.0"\nedition = "2021"\n\n[workspace]\nmembers = ["member"]\n',
      "src/lib.rs": "pub fn one() -> i32 { 1 }\n",
      "member/Cargo.toml": '[package]\nname = "member"\nversion = "1.0.0"\nedition = "2021"\n',
      "member/src/lib.rs": "#[test]\nfn works() { assert_eq!(1, 1); }\n",
    },
    lock: "cargo generate-lockfile --offline",
    gates: ["cargo test --workspace"],
    broken: { "member/src/lib.rs": "#[test]\nfn works() { assert_eq!(1, 2); }\n" },
  },
  go: {
    programs: ["go"],
    files: {
      "go.mod": "module example.com/p\n\ngo 1.19\n",
      "p.go": "package p\n\nfunc Add(a, b int) int { return a + b }\n",
      "p_test.go":
        'package p\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n',
    },
    gates: ["go test ./..."],
    broken: { "p.go": "package p\n\nfunc Add(a, b int) int { return 0 }\n" },
  },
  make: {
    programs: ["make", "cc"],
    files: {
      ".gitignore": "prog\n",
      Makefile: "prog: main.c\n\tcc -Wall -Werror -o prog main.c\n\ncheck: prog\n\t./prog\n",
      "main.c": "int main(void) { return 0; }\n",
    },
    gates: ["CI=1 make check"],
    broken: { "main.c": "int main(void) { return 1; }\n" },
  },
  maven: {
    programs: ["mvn", "java"],
    host: "repo.maven.apache.org",
    files: {
      ".gitignore": "target/\n",
      "pom.xml":
        "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>p</artifactId><version>1</version><properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties></project>",
      "src/main/java/P.java": "class P { }\n",
    },
    gates: ["mvn -B verify"],
    broken: { "src/main/java/P.java": "class P { int x = ; }\n" },
  },
  composer: {
    programs: ["composer", "php"],
    files: {
      ".gitignore": "vendor/\n",
      "composer.json": json({ name: "x/p", require: {}, scripts: { test: "php test.php" } }),
      "test.php": "<?php require __DIR__ . '/vendor/autoload.php'; exit(0);\n",
    },
    lock: "composer update --no-interaction --no-install",
    gates: ["composer run-script test"],
    broken: { "test.php": "<?php exit(1);\n" },
  },
  bundler: {
    programs: ["bundle", "ruby"],
    files: {
      Gemfile: 'source "https://rubygems.org"\ngem "rake"\n',
      Rakefile: "task :default do\n  ruby 'check.rb'\nend\n",
      "check.rb": "exit 0\n",
    },
    lock: "bundle lock --local || bundle lock",
    gates: ["bundle exec rake"],
    broken: { "check.rb": "exit 1\n" },
  },
  mix: {
    programs: ["mix", "elixir"],
    files: {
      ".gitignore": "_build/\ndeps/\n",
      ".formatter.exs": '[inputs: ["{lib,test}/**/*.{ex,exs}"]]\n',
      "mix.exs": 'defmodule P.MixProject do\n  use Mix.Project\n  def project, do: [app: :p, version: "1.0.0"]\nend\n',
      "lib/p.ex": "defmodule P do\n  def one, do: 1\nend\n",
      "test/test_helper.exs": "ExUnit.start()\n",
      "test/p_test.exs":
        'defmodule PTest do\n  use ExUnit.Case\n\n  test "one" do\n    assert P.one() == 1\n  end\nend\n',
    },
    gates: ["mix format --check-formatted", "mix test"],
    broken: { "lib/p.ex": "defmodule P do\n  def one, do: 2\nend\n" },
  },
};

const isThere = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;

const isReached = (host: string): boolean =>
  spawnSync("curl", ["--silent", "--head", "--max-time", "5", `https://${host}/`], { stdio: "ignore" }).status === 0;

/** Tools keep their caches where they always do. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""])),
  // As yarn 1 does: the tests are about set-up, and not about how modules are found.
  YARN_NODE_LINKER: "node-modules",
};

describe("P-16 L-04 set up and verified in a room by the real tool", () => {
  for (const [name, { programs, host, files, lock, gates, broken }] of Object.entries(PROJECTS)) {
    const missing = programs.filter((program) => !isThere(program)).map((program) => `${program} is not on the PATH`);
    if (host !== undefined && !isReached(host)) missing.push(`${host} cannot be reached`);
    const title = missing.length === 0 ? name : `${name} (skipped: ${missing.join(", ")})`;
    test.skipIf(missing.length > 0)(title, async () => {
      const cwd = temporaryRepository({ ".ralph/config.yaml": "gates: auto\n", ...files });
      if (lock !== undefined) {
        execFileSync("sh", ["-c", lock], { cwd, stdio: "ignore" });
        commitAll(cwd, "Lock");
      }
      const green = await typed(["verify"], { cwd, env });
      const said = gates.filter((run) => green.stdout.includes(run));
      expect([green.code, said], green.stdout).toEqual([0, gates]);
      write(cwd, broken);
      expect((await typed(["verify"], { cwd, env })).code).toBe(1);
    });
  }
});
