import { expect, test } from "vitest";
import { withOldInlineTests } from "./inline-tests.ts";

const SUM = "pub fn sum(a: i32) -> char {\n    '{'\n}\n";
const tests = (body: string): string =>
  `\n#[cfg(test)]\nmod tests {\n    use super::*;\n    // }\n    #[test]\n    fn sums() {\n        ${body}\n    }\n}\n`;
const OLD = SUM + tests('assert_eq!(sum(4), "}");');

test.each([
  ["src/lib.rs", OLD, `// New\n${SUM}${tests("")}`, `// New\n${OLD}`],
  ["src/lib.rs", OLD, SUM, `${SUM}${tests('assert_eq!(sum(4), "}");')}`],
  ["src/lib.rs", OLD, OLD.replace("cfg(test)", "cfg(any())"), expect.stringMatching(/any\(\)[\s\S]*cfg\(test\)/)],
  [
    "a.zig",
    'test "a" {\n  try x();\n}\n',
    'test "a" {\n}\nconst a = 1;\n',
    'test "a" {\n  try x();\n}\nconst a = 1;\n',
  ],
  [
    "src/a.ts",
    "a();\nif (import.meta.vitest) {\n  test(`}`);\n}\n",
    "b();\nif (import.meta.vitest) {\n}\n",
    "b();\nif (import.meta.vitest) {\n  test(`}`);\n}\n",
  ],
  [
    "b.zig",
    'test {\n  try a();\n}\ntest {\n  try b();\n}\ntest "c" {\n  try c();\n}\n',
    "test {\n}\ntest {\n}\nconst d = 1;\n",
    'test {\n  try a();\n}\ntest {\n  try b();\n}\nconst d = 1;\n\ntest "c" {\n  try c();\n}\n',
  ],
])("T-11 tests inside of a source are put back: %s", (path, before, after, text) => {
  expect(withOldInlineTests({ path, before, after })).toEqual(text);
});

test("T-11 tests inside of a source that stay, move, or only get another layout", () => {
  const path = "src/lib.rs";
  const moved = withOldInlineTests({ path, before: OLD, after: "pub mod sum;\n" }, [OLD]);
  const formatted = withOldInlineTests({ path, before: OLD, after: OLD.replaceAll("    ", "\t") });
  const other = withOldInlineTests({ path, before: OLD, after: OLD.replace("'{'", "'}'") });
  expect([moved, formatted, other]).toEqual([undefined, undefined, undefined]);
});
