import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { keptGates } from "../domain/gate.ts";
import { discoverGates } from "./gate.ts";

const scripts = (scripts: Readonly<Record<string, unknown>>, more: object = {}): string =>
  JSON.stringify({ scripts, ...more });
const runs = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  keptGates((await discoverGates(temporaryFolder(files))).gates).map(({ run }) => run);

describe("P-16 gates: auto", () => {
  test.each([
    ["package-lock.json", "npm"],
    ["npm-shrinkwrap.json", "npm"],
    ["pnpm-lock.yaml", "pnpm"],
    ["yarn.lock", "yarn"],
    ["bun.lock", "bun"],
    ["bun.lockb", "bun"],
  ])("with %s runs scripts by %s", async (lock, manager) => {
    expect(await runs({ [lock]: "", "package.json": scripts({ test: "vitest" }) })).toEqual([
      `CI=1 ${manager} run test`,
    ]);
  });

  test("takes typecheck, lint, check, test and build in this order, and no others", async () => {
    const all = { build: "b", dev: "d", test: "t", lint: "l", "test:unit": "u", typecheck: "tc", check: "c" };
    expect(await runs({ "package.json": scripts(all) })).toEqual(
      ["typecheck", "lint", "check", "test", "build"].map((name) => `CI=1 npm run ${name}`),
    );
  });

  test("B-04 rules with thousands of targets, again and again, or with long blanks, are read like any other", async () => {
    const names = Array.from({ length: 3000 }, (_, at) => `t${at}`).join(" ");
    for (const odd of [
      `${names}: ${names}`,
      `${"a ".repeat(5000)}: ${"b ".repeat(5000)}`,
      `a${"\t ".repeat(20_000)}b: c`,
      `include ${"a ".repeat(200_000)}`,
    ]) {
      expect(await runs({ Makefile: `${odd}\n\ttrue\ncheck:\n\t./check\n` })).toEqual(["CI=1 make check"]);
    }
  });

  test("npm's placeholder, an empty script and what is not text are no gates", async () => {
    const placeholder = 'echo "Error: no test specified" && exit 1';
    expect(await runs({ "package.json": scripts({ test: placeholder, lint: " ", build: 3 }) })).toEqual([]);
    expect(await runs({ "package.json": scripts({ test: `${placeholder} || vitest` }) })).toHaveLength(1);
  });

  test("believes `packageManager` where lock files do not say otherwise", async () => {
    const declared = { packageManager: "yarn@4.1.0" };
    expect(await runs({ "package.json": scripts({ test: "x" }, declared) })).toEqual(["CI=1 yarn run test"]);
    expect(await runs({ "package.json": scripts({ test: "x" }, declared), "bun.lock": "" })).toEqual([
      "CI=1 bun run test",
    ]);
    const both = { "package.json": scripts({ test: "x" }, declared), "pnpm-lock.yaml": "", "yarn.lock": "" };
    expect(await runs(both)).toEqual(["CI=1 yarn run test"]);
  });

  test("a package.json that does not parse is said, and is no gate", async () => {
    for (const text of ["{", "[]", "null", '"x"']) {
      expect(await discoverGates(temporaryFolder({ "package.json": text }))).toMatchObject({
        gates: [],
        warnings: ["`package.json` is not a JSON object, so its scripts are not gates"],
      });
    }
    expect(await runs({ "package.json": scripts([] as never) })).toEqual([]);
    expect(await runs({ "package.json": "{}", "package-lock.json": "" })).toEqual([]);
  });

  test.each([
    ["check:\n\techo ok\ntest:\n\techo t\n", "CI=1 make check"],
    [".PHONY: check test\ntest: build\n\techo t\n", "CI=1 make test"],
    ["all check::\n\techo ok\n", "CI=1 make check"],
    ["check := no\ntests:\n\techo t\n", "CI=1 make"],
    ["# check:\n\tcheck:\n", undefined],
  ])("finds a Makefile's check, else its test: %j", async (text, run) => {
    expect(await runs({ Makefile: text })).toEqual(run === undefined ? [] : [run]);
  });

  test("knows cargo, go and pytest, each by its files", async () => {
    expect(await runs({ "Cargo.toml": "" })).toEqual(["cargo test"]);
    expect(await runs({ "go.mod": "" })).toEqual(["go test ./..."]);
    for (const files of [
      { "pytest.ini": "" },
      { "pyproject.toml": "[tool.pytest.ini_options]\n" },
      { "pyproject.toml": '[dependency-groups]\ndev = ["pytest>=8"]\n' },
      { "setup.cfg": "[tool:pytest]\n" },
      { "tests/test_a.py": "" },
    ]) {
      expect(await runs(files as Record<string, string>)).toEqual(["python3 -m pytest"]);
    }
    expect(await runs({ "pytest.ini": "", "uv.lock": "" })).toEqual(["uv run pytest"]);
    expect(await runs({ "pyproject.toml": "[project]\n", "tests/a.js": "" })).toEqual([]);
    expect(await runs({ "README.md": "" })).toEqual([]);
  });

  test("finds all of a project with several languages", async () => {
    expect(await runs({ "package.json": scripts({ test: "x" }), Makefile: "check:\n", "go.mod": "" })).toEqual([
      "CI=1 npm run test",
      "CI=1 make check",
      "go test ./...",
    ]);
  });
});

describe("P-16 gates: auto in a repository of several projects", () => {
  const TEST = scripts({ test: "node --test" });

  test("the packages of a workspace of npm, pnpm, yarn, cargo, go and uv are tested by one command", async () => {
    const node = { "packages/a/package.json": TEST, "packages/b/package.json": TEST };
    const members = { "package.json": JSON.stringify({ workspaces: ["packages/*"] }) };
    expect(await runs({ ...node, ...members })).toEqual(["CI=1 npm run test --workspaces --if-present"]);
    expect(await runs({ ...node, ...members, "yarn.lock": "# yarn lockfile v1\n" })).toEqual([
      "CI=1 yarn workspaces run test",
    ]);
    const pnpm = { "package.json": "{}", "pnpm-workspace.yaml": "packages: [packages/*]\n", "pnpm-lock.yaml": "" };
    expect(await runs({ ...node, ...pnpm })).toEqual(["CI=1 pnpm --recursive --if-present run test"]);
    expect(await runs({ "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n' })).toEqual(["cargo test --workspace"]);
    expect(await runs({ "go.work": "use (\n ./a\n ./b\n)\n", "a/go.mod": "", "b/go.mod": "" })).toEqual([
      "go test ./a/... ./b/...",
    ]);
    const uv = { "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\n', "uv.lock": "" };
    expect(await runs({ ...uv, "packages/a/pyproject.toml": "", "packages/a/tests/test_a.py": "" })).toEqual([
      "uv run pytest",
    ]);
    expect(await runs({ ...uv, "packages/a/pyproject.toml": "" })).toEqual([]);
  });

  test("without a check at the top, each project in a folder is checked there, after its own set-up", async () => {
    const files = {
      "README.md": "",
      "web/package.json": TEST,
      "web/package-lock.json": "{}",
      "services/my api/go.mod": "module x\n",
      "services/jobs/pyproject.toml": "[tool.pytest.ini_options]\n",
      "docs/Makefile": "test:\n\techo no\n",
      "tools/Makefile": "help:\n\techo help\n",
      "web/node_modules/x/package.json": TEST,
    };
    const found = await discoverGates(temporaryFolder(files));
    expect(found.gates.map(({ id, run, at }) => [id, run, at])).toEqual([
      ["services-jobs-pytest", "cd services/jobs && python3 -m pytest", "services/jobs/pyproject.toml"],
      ["services-my-api-go-test", "cd 'services/my api' && go test ./...", "services/my api/go.mod"],
      ["web-test", "cd web && CI=1 npm run test", "web/package.json (scripts.test)"],
    ]);
    expect(found.setup).toEqual({
      command: "(cd web && npm ci --prefer-offline --no-audit --no-fund)",
      files: ["web/package-lock.json", "web/package.json"],
    });
    expect(found.programs).toEqual(["npm", "python3", "go"]);
    expect(await runs({ ...files, Makefile: "check:\n\techo ok\n" })).toEqual(["CI=1 make check"]);
  });

  test("CI that runs the checks of the parts runs nothing else", async () => {
    const ci =
      "on: push\njobs:\n  t:\n    steps:\n      - run: npm test\n        working-directory: web\n      - run: shellcheck run.sh\n";
    const found = await discoverGates(temporaryFolder({ "web/package.json": TEST, ".github/workflows/ci.yml": ci }));
    expect(found.uncovered.map(({ run }) => run)).toEqual(["shellcheck run.sh"]);
  });
});
