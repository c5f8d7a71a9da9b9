import { describe, expect, test } from "vitest";
import { changesOf, type Files, filesLook } from "../../test/files-look.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { decidingChanges } from "./gate.ts";
import { resolveGate } from "./resolve/resolve-gate.ts";

async function found(run: string, base: Files, edit: Files): Promise<string[]> {
  const after = { ...base, ...edit };
  const changes = await decidingChanges({
    gates: [{ id: "g", run }],
    base: filesLook(base),
    candidate: filesLook(after),
    changes: changesOf(base, after),
    testFiles: DEFAULT_TEST_FILES,
  });
  return changes.map(({ kind, path, keys }) => [kind, path, ...(keys ?? [])].join(" "));
}

const CARGO = "[package]\nname = 'x'\n\n[dev-dependencies]\na = '1'\n";
const TESTS = "\n[[test]]\nname = 'a'\npath = 'tests/a.rs'\n";

describe("T-10 parts of manifests that lead elsewhere", () => {
  test.each<[string, string, string, string, string[]]>([
    ["cargo test", "Cargo.toml", CARGO, `${CARGO}\n[lib]\npath = 'src/b.rs'\n`, ["lib.path"]],
    ["cargo test", "Cargo.toml", CARGO, CARGO.replace("name = 'x'", "name = 'x'\nbuild = 'b.rs'"), ["package.build"]],
    ["cargo test", "Cargo.toml", CARGO + TESTS, CARGO + TESTS.replace("tests/a", "more/b"), ["test"]],
    [
      "cargo test",
      "Cargo.toml",
      "[workspace.dependencies]\na = '1'\n",
      "[workspace.dependencies]\na = { path = 'a' }\n",
      ["workspace.dependencies.a"],
    ],
    [
      "cargo test",
      "Cargo.toml",
      "[target.x86.dev-dependencies]\na = '1'\n",
      "[target.x86.dev-dependencies]\na = { path = 'a' }\n",
      ["target.x86.dev-dependencies.a"],
    ],
    [
      "flutter test",
      "pubspec.yaml",
      "dev_dependencies:\n  test: ^1.0.0\n",
      "dev_dependencies:\n  test: { path: fake }\n",
      ["dev_dependencies.test"],
    ],
    [
      "dart test",
      "pubspec.yaml",
      "name: x\n",
      "name: x\ndependency_overrides:\n  test: 1.0.0\n",
      ["dependency_overrides.test"],
    ],
    [
      "deno test",
      "import_map.json",
      '{"imports":{"assert":"jsr:@std/assert"}}',
      '{"imports":{"assert":"./fake.ts"}}',
      ["imports.assert"],
    ],
    ["vendor/bin/phpunit", "composer.json", "{}", '{"repositories":[{"type":"path","url":"fake"}]}', ["repositories"]],
    [
      "pytest",
      "pyproject.toml",
      "[project]\nname = 'x'\n",
      "[project]\nname = 'x'\n[project.entry-points.pytest11]\nx = 'x'\n",
      ["project.entry-points.pytest11"],
    ],
    [
      "pytest",
      "setup.cfg",
      "[metadata]\nname = x\n",
      "[metadata]\nname = x\n[options.entry_points]\npytest11 =\n    x = x\n",
      ["options.entry_points.pytest11"],
    ],
  ])("%s: %s", async (run, path, before, after, keys) => {
    expect(await found(run, { [path]: before }, { [path]: after })).toEqual([
      ["configuration", path, ...keys].join(" "),
    ]);
  });

  test.each<[string, string, string, string]>([
    ["cargo test", "Cargo.toml", CARGO, `${CARGO}b = '1'\n\n[[bin]]\nname = 'b'\npath = 'src/b.rs'\n`],
    ["cargo test", "Cargo.toml", CARGO, CARGO.replace("a = '1'", "a = '2'")],
    ["dart test", "pubspec.yaml", "dependencies:\n  a: ^1.0.0\n", "dependencies:\n  a: ^2.0.0\n  b: { path: ../b }\n"],
    [
      "deno test",
      "import_map.json",
      '{"imports":{"assert":"jsr:@std/assert"}}',
      '{"imports":{"assert":"jsr:@std/assert@2","own":"./own.ts"}}',
    ],
    ["vendor/bin/phpunit", "composer.json", "{}", '{"require":{"a/b":"^1"},"autoload":{"files":["src/a.php"]}}'],
    [
      "pytest",
      "setup.cfg",
      "[metadata]\nname = x\n",
      "[metadata]\nname = x\n[options.entry_points]\nconsole_scripts =\n    x = x:main\n",
    ],
  ])("honest: %s: %s", async (run, path, before, after) => {
    expect(await found(run, { [path]: before }, { [path]: after })).toEqual([]);
  });
});

const COMPOSE = {
  "compose.yaml":
    "services:\n  test:\n    build: .\n    command: sh ops/run.sh\n  web:\n    build: web\n    command: sh ops/start.sh\n",
  Dockerfile:
    'FROM x\nRUN npm ci && sh ops/build.sh\nRUN sh ops/make.sh && \\\n  sh ops/lint.sh\nCMD ["sh", "ops/test.sh"]\n',
  "web/Dockerfile": "FROM x\nRUN sh ci/web.sh\n",
  "ops/run.sh": "true\n",
  "web/ops/start.sh": "true\n",
  "ops/lint.sh": "true\n",
  "ops/test.sh": "true\n",
  "ops/build.sh": "true\n",
  "ops/more.sh": "true\n",
  "web/ci/web.sh": "true\n",
  "src/a.js": "a\n",
};

test("T-10 checks that run in a container decide: those of the command, of its service, and of images by their names", async () => {
  const changed = async (run: string, path: string) => await found(run, COMPOSE, { [path]: "false\n" });
  const run = "docker compose -f compose.yaml run --rm -e A=b test sh ops/more.sh";
  expect(await changed(run, "ops/run.sh")).toEqual(["definition ops/run.sh"]);
  expect(await changed(run, "ops/more.sh")).toEqual(["definition ops/more.sh"]);
  expect(await changed(run, "ops/lint.sh")).toEqual(["definition ops/lint.sh"]);
  expect(await changed(run, "web/ci/web.sh")).toEqual(["definition web/ci/web.sh"]);
  expect(await changed("docker-compose up test", "ops/test.sh")).not.toEqual([]);
  expect(await changed("podman build .", "ops/test.sh")).not.toEqual([]);
  // They start the product.
  for (const path of ["web/ops/start.sh", "ops/build.sh", "src/a.js"]) expect(await changed(run, path)).toEqual([]);
});

test("T-11 files in folders and patterns that a player is given are tests", async () => {
  const base = { "api/a.hurl": "x", "checks/a.sql": "x", "checks/deep/b.t": "x", "src/a.hurl": "x" };
  const changed = async (run: string, path: string) => await found(run, base, { [path]: "y" });
  expect(await changed("hurl --test api", "api/a.hurl")).toEqual(["test api/a.hurl"]);
  expect(await changed("hurl --test api/*.hurl", "api/a.hurl")).toEqual(["test api/a.hurl"]);
  expect(await changed("pg_prove checks/*.sql", "checks/a.sql")).toEqual(["test checks/a.sql"]);
  expect(await changed("cram checks", "checks/deep/b.t")).toEqual(["test checks/deep/b.t"]);
  expect(await changed("hurl --test src", "src/a.hurl")).toEqual([]);
  const look = filesLook({ "checks/a.bats": "x", "checks/setup_suite.bash": "x" });
  expect((await resolveGate("bats checks", look)).decides.map(({ path }) => path)).toEqual(["checks/setup_suite.bash"]);
});
