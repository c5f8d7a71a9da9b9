import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { compareDefinitions } from "../domain/gate.ts";
import { discoverGates } from "./gate.ts";

const scripts = (scripts: Readonly<Record<string, unknown>>, more: object = {}): string =>
  JSON.stringify({ scripts, ...more });
const runs = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  (await discoverGates(temporaryFolder(files))).gates.map(({ run }) => run);

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

  test("takes typecheck, lint, test and build in this order, and no others", async () => {
    const all = { build: "b", dev: "d", test: "t", lint: "l", "test:unit": "u", typecheck: "tc", check: "c" };
    expect(await runs({ "package.json": scripts(all) })).toEqual(
      ["typecheck", "lint", "test", "build"].map((name) => `CI=1 npm run ${name}`),
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
      expect(await discoverGates(temporaryFolder({ "package.json": text }))).toEqual({
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
    ["check := no\ntests:\n\techo t\n", undefined],
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

describe("P-16 a pinned definition", () => {
  const compare = async (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) =>
    compareDefinitions(
      (await discoverGates(temporaryFolder(before))).gates,
      (await discoverGates(temporaryFolder(after))).gates,
    );
  const same = { changed: [], removed: [], added: [] };

  test("changes with its script, what runs around it, and what it calls", async () => {
    const pinned = { test: "npm run unit && yarn e2e", unit: "vitest", e2e: "play", other: "x" };
    const of = (change: Readonly<Record<string, unknown>>) =>
      compare({ "package.json": scripts(pinned) }, { "package.json": scripts({ ...pinned, ...change }) });
    expect(await of({})).toEqual(same);
    expect(await of({ other: "y", fresh: "z" })).toEqual(same);
    for (const change of [{ test: "exit 0" }, { unit: "exit 0" }, { e2e: "true" }, { pretest: "rm -r tests" }]) {
      expect(await of(change)).toEqual({ ...same, changed: ["test"] });
    }
    expect(await of({ test: undefined, lint: "eslint" })).toEqual({ changed: [], removed: ["test"], added: ["lint"] });
  });

  test("changes with the package manager, the recipe and the settings", async () => {
    const manifest = { "package.json": scripts({ test: "x" }) };
    expect(await compare(manifest, { ...manifest, "yarn.lock": "" })).toEqual({ ...same, changed: ["test"] });
    expect(await compare({ Makefile: "check:\n\tgo vet\n" }, { Makefile: "check:\n\ttrue\n" })).toEqual({
      ...same,
      changed: ["make-check"],
    });
    expect(
      await compare({ Makefile: "check:\n\tgo vet\nx:\n\ta\n" }, { Makefile: "check:\n\tgo vet\nx:\n\tb\n" }),
    ).toEqual(same);
    expect(await compare({ "pytest.ini": "[pytest]" }, { "pytest.ini": "[pytest]\naddopts = --co" })).toEqual({
      ...same,
      changed: ["pytest"],
    });
    const project = "[project]\nname = 'a'\n[tool.pytest.ini_options]\nx = 1\n[tool.ruff]\ny = 1\n";
    expect(
      await compare({ "pyproject.toml": project }, { "pyproject.toml": project.replace("y = 1", "y = 2") }),
    ).toEqual(same);
  });

  test("is gone when the file no longer parses", async () => {
    expect(await compare({ "package.json": scripts({ test: "x" }) }, { "package.json": "{" })).toEqual({
      ...same,
      removed: ["test"],
    });
  });
});
