import { expect, test } from "vitest";
import { isFoundAlike, isSameTest } from "./same-test.ts";

const same = (path: string, before: string, after: string, renames: Readonly<Record<string, string>>): boolean =>
  isSameTest({ path, before, after }, new Map(Object.entries(renames)));

test.each([
  [
    "test/a.test.js",
    "import { a } from '../src/a.js';",
    "import { a } from '../lib/a.js';",
    { "src/a.js": "lib/a.js" },
  ],
  [
    "test/a.test.ts",
    'const { a } = require("../src/a");',
    'const { a } = require("../lib/b");',
    { "src/a.ts": "lib/b.ts" },
  ],
  [
    "test/a.test.js",
    "import * as a from '../src';",
    "import * as a from '../lib';",
    { "src/index.js": "lib/index.js" },
  ],
  ["tests/test_a.py", "from app.calc import add", "from core.calc import add", { "app/calc.py": "core/calc.py" }],
  ["tests/test_a.py", "from app import calc", "from core import calc", { "app/calc.py": "core/calc.py" }],
  ["test/a.sh", ". ./bin/a.sh", ". ./lib/a.sh", { "bin/a.sh": "lib/a.sh" }],
])("T-11 a test that imports moved files from their new places is the same: %s %s", (path, before, after, renames) => {
  expect(same(path, `${before}\ncheck(4);\n`, `${after}\ncheck(4);\n`, renames)).toBe(true);
  expect(same(path, `${before}\ncheck(4);\n`, `${after}\ncheck(5);\n`, renames)).toBe(false);
  expect(same(path, `${before}\ncheck(4);\n`, `${after}\n`, renames)).toBe(false);
  expect(same(path, `${before}\ncheck(4);`, `${after}\ncheck(4);\nskip();`, renames)).toBe(false);
  expect(same(path, before, after, { other: "another" })).toBe(false);
});

test("T-11 no other word of a test may change, though a file with that name moved", () => {
  const renames = { "src/a.js": "lib/b.js", "4": "5" };
  expect(same("a.test.js", "assert.equal(a(), './src/a.js');", "assert.equal(a(), './lib/b.js');", renames)).toBe(
    false,
  );
  expect(same("a.test.js", "assert.equal(a(2), 4);", "assert.equal(a(2), 5);", renames)).toBe(false);
  expect(same("a.test.js", "import { a } from './src/a.js';", "import { c } from './lib/b.js';", renames)).toBe(false);
  expect(same("a.test.js", "import { a } from './src/a.js';", "import { a } from './lib/c.js';", renames)).toBe(false);
});

const named = (before: string, after: string, names: Readonly<Record<string, string>> = { format: "write" }): boolean =>
  isSameTest({ path: "a_test.go", before, after }, new Map(), new Map(Object.entries(names)));

test.each([
  ["equal(format(90), 4)", "equal(write(90), 4)"],
  ["test('format of hours', () => {", "test('write of hours', () => {"],
  ["func TestFormat(t *testing.T) {", "func TestWrite(t *testing.T) {"],
  ["def test_format_hours():", "def test_write_hours():"],
  ["import { format } from './a.js';", "import { write } from './a.js';"],
])("T-11 a test that calls the product by its new name is the same: %s", (before, after) => {
  expect(named(before, after)).toBe(true);
  expect(named(`${before}\nis(4)`, `${after}\nis(5)`)).toBe(false);
  expect(named(before, after, { other: "write" })).toBe(false);
  expect(isSameTest({ path: "a", before, after }, new Map())).toBe(false);
});

test("T-11 parts of other words than names of tests keep their old name", () => {
  expect(named("reformat(4)", "rewrite(4)")).toBe(false);
  expect(named("formatted(4)", "writeted(4)")).toBe(false);
});

test("T-11 a test is found as before by the marks in its name, in its folder", () => {
  expect(isFoundAlike("test/a.test.js", "test/b.test.js")).toBe(true);
  expect(isFoundAlike("tests/test_a.py", "tests/test_b.py")).toBe(true);
  expect(isFoundAlike("a_test.go", "b_test.go")).toBe(true);
  expect(isFoundAlike("a_test.go", "b.go")).toBe(false);
  expect(isFoundAlike("a_test.go", "a_windows_test.go")).toBe(false);
  expect(isFoundAlike("test/a.test.js", "test/a.js")).toBe(false);
  expect(isFoundAlike("test/a.test.js", "test/a.test.js.off")).toBe(false);
  expect(isFoundAlike("tests/test_a.py", "tests/a.py")).toBe(false);
  expect(isFoundAlike("test/a.test.js", "attic/a.test.js")).toBe(false);
});
