import { describe, expect, test } from "vitest";
import { type Files, filesLook } from "../../test/files-look.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { calledName, folderName, hasOnlyNewNames, isTestHelper, mayBeTestData, mayBeTestHelper } from "./gate.ts";

/** As git finds files that contain a name. */
async function isHelper(path: string, files: Files): Promise<boolean> {
  const all = { [path]: "", ...files };
  const named = Object.keys(all).filter((file) => all[file]!.includes(calledName(path)));
  const users = { base: filesLook(all), testFiles: DEFAULT_TEST_FILES, files: named };
  return mayBeTestHelper(path) && (await isTestHelper(path, users));
}

const imports = (path: string): string => `import { x } from "${path}";\n`;

describe("T-11 a file that only tests use", () => {
  test.each<[string, Files]>([
    ["src/test-utils.ts", { "src/a.test.ts": imports("./test-utils") }],
    ["src/helpers.js", { "test/a.test.js": "require('../src/helpers.js')", "src/a.js": "" }],
    ["src/testing/index.ts", { "src/a.test.ts": imports("./testing") }],
    ["lib/__mocks__/db.js", { "lib/db.test.js": "jest.mock('./db')", "lib/x.test.js": imports("./__mocks__/db") }],
    ["data/expected.json", { "test/a.test.js": "read('data/expected.json')" }],
    ["support/render.rb", { "spec/a_spec.rb": "require_relative '../support/render'" }],
    ["app/fixtures.py", { "tests/test_a.py": "from app.fixtures import user\n" }],
    ["src/mocks/server.ts", { "src/mocks/index.ts": imports("./server"), "src/a.test.ts": imports("./mocks/server") }],
  ])("T-11 %s", async (path, files) => {
    expect(await isHelper(path, files)).toBe(true);
  });

  test.each<[string, string, Files]>([
    ["the entry of a library", "src/index.ts", { "src/a.test.ts": imports("./index") }],
    ["the work that only its test loads", "src/calc.js", { "test/calc.test.js": "require('../src/calc')" }],
    [
      "a helper of the product",
      "src/helpers.js",
      { "src/a.js": "require('./helpers')", "src/a.test.js": "require('./helpers')" },
    ],
    [
      "a package for tests",
      "packages/test-utils/src/a.ts",
      { "packages/test-utils/package.json": "{}", "packages/test-utils/a.test.ts": imports("./src/a") },
    ],
    ["a helper that only helpers load", "src/mocks/server.ts", { "src/mocks/index.ts": imports("./server") }],
    ["a file that no test names", "src/support/mail.py", { "src/b.py": "" }],
  ])("T-11 honest: %s", async (_, path, files) => {
    expect(await isHelper(path, files)).toBe(false);
  });

  test("new names at the end of a helper change no test that was there", () => {
    const before = "exports.check = (a) => {\n  return a;\n};\n";
    const added = ["exports.other = () => 1;\n", "function more() {\n  return 2;\n}\n"].map((text) => before + text);
    const changed = [`${before}exports.check = () => true;\n`, before.replace("{", "{\n  return true;"), ""];
    expect([...added, ...changed].map((after) => hasOnlyNewNames(before, after))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

async function isTestData(path: string, text: string, files: Files): Promise<boolean> {
  const all = { [path]: text, ...files };
  const naming = (name: string): string[] => Object.keys(all).filter((file) => all[file]!.includes(name));
  const users = { files: naming(calledName(path)), around: naming(folderName(path) || "\0") };
  return (
    mayBeTestData(path, text) &&
    (await isTestHelper(path, { base: filesLook(all), testFiles: DEFAULT_TEST_FILES, ...users }))
  );
}

const READS_ROWS = { "test/a.test.js": "read('../data/rows.csv')" };

describe("T-11 data that only tests read", () => {
  test.each<[string, string, Files]>([
    ["data/rows.csv", "1,2\n", READS_ROWS],
    ["data/rows.csv", "1,2\n", { "test/a.test.js": "for (const name of readdirSync('data')) check(name);" }],
    ["data/rows.js", "export const rows = [1, 2];\n", { "test/a.test.js": imports("../data/rows.js") }],
    ["rows.json", "[]\n", { "test/a.test.js": "read('rows.json')", "src/a.js": "read('other.json')" }],
  ])("T-11 %s: %s", async (path, text, files) => {
    expect(await isTestData(path, text, files)).toBe(true);
  });

  test.each<[string, string, string, Files]>([
    ["of the product", "data/rows.csv", "1\n", { ...READS_ROWS, "src/a.js": "read('./data/rows.csv')" }],
    ["of a folder of the product", "data/rows.csv", "1\n", { ...READS_ROWS, "src/a.js": "readdirSync('data')" }],
    ["that nobody reads", "data/rows.csv", "1\n", {}],
    ["in a text for people", "data/rows.md", "1\n", { "test/a.test.js": "read('../data/rows.md')" }],
    [
      "in the code of a library",
      "calc/total.py",
      "def total(a):\n  return a\n",
      { "tests/test_a.py": "from calc.total import total\n" },
    ],
  ])("T-11 no data %s", async (_, path, text, files) => {
    expect(await isTestData(path, text, files)).toBe(false);
  });
});
