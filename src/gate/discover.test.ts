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
