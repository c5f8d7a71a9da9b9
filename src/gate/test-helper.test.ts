import { describe, expect, test } from "vitest";
import { type Files, filesLook } from "../../test/files-look.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { hasOnlyNewNames, mayBeTestData, mayBeTestHelper, namesOf, testHelpers } from "./gate.ts";

/** As git finds files that contain one of the names. */
async function helpersAmong(paths: readonly string[], all: Files): Promise<string[]> {
  const names = paths.flatMap(namesOf);
  const files = Object.keys(all).filter((file) => names.some((name) => all[file]!.includes(name)));
  return await testHelpers(paths, { base: filesLook(all), testFiles: DEFAULT_TEST_FILES, files });
}

async function isHelper(path: string, files: Files): Promise<boolean> {
  const all = { [path]: "", ...files };
  return mayBeTestHelper(path) && (await helpersAmong([path], all)).length > 0;
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
  return mayBeTestData(path, text) && (await helpersAmong([path], all)).length > 0;
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

describe("T-11 many changed files", () => {
  test("are told apart by their names, also where these share words", async () => {
    const names = ["case-1.json", "case-2.json", "case 3", "日本", "a\nb.json", ".js"];
    const paths = names.map((name) => `rows/${name}`);
    const read = (name: string): string => `read("./${name}");\n`;
    const files = { "test/a.test.js": names.map(read).join(""), "src/a.js": read("case-2.json") };
    expect(await helpersAmong(paths, files)).toEqual(paths.filter((path) => path !== "rows/case-2.json"));
  });

  test("B-04 are looked for together: each text is read once", async () => {
    const all = Array.from({ length: 1000 }, (_, at) => at);
    const paths = all.map((at) => `rows/${at}/case-${at}.json`);
    const texts = Object.fromEntries(all.map((at) => [`test/${at}.test.js`, longText(at)]));
    let asked = 0;
    const base = { ...filesLook(texts), text: async (path: string) => (asked++, texts[path]) };
    const found = await testHelpers(paths, { base, testFiles: DEFAULT_TEST_FILES, files: Object.keys(texts) });
    expect([found.length, asked]).toEqual([1000, 1000]);
  });
});

const longText = (at: number): string => `${"const x = [1, 2];\n".repeat(20)}read("../rows/${at}/case-${at}.json");\n`;
