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
  ["src/lib.rs", `${SUM}#[cfg(test)]\nmod checks;\n`, SUM, `${SUM.trimEnd()}\n\n#[cfg(test)]\nmod checks;\n`],
  [
    "src/lib.rs",
    "#[tokio::test]\nasync fn sums() {\n    assert!(a());\n}\n",
    "#[tokio::test]\n#[ignore]\nasync fn sums() {\n    assert!(a());\n}\nfn b() {}\n",
    "#[tokio::test]\nasync fn sums() {\n    assert!(a());\n}\nfn b() {}\n",
  ],
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
  [
    "sum.py",
    'def sum(a):\n    """Adds.\n\n    >>> sum(2)\n    4\n    >>> sum(3)\n    6\n    """\n',
    'def sum(a):\n    """Adds.\n\n    >>> sum(2)  # doctest: +SKIP\n    40\n    >>> sum(3)\n    6\n    """\n    return 1\n',
    'def sum(a):\n    """Adds.\n\n    >>> sum(2)\n    4\n    >>> sum(3)\n    6\n    """\n    return 1\n',
  ],
  [
    "sum.py",
    'def sum(a):\n    """\n    >>> sum(2)\n    4\n    """\n',
    'def sum(a):\n    """\n    >>> sum(2)\n    40\n    """\n    return 40\n',
    'def sum(a):\n    """\n    >>> sum(2)\n    4\n    """\n    return 40\n',
  ],
  [
    "sum.py",
    'def sum(a):\n    """\n    >>> sum(2)\n    4\n    """\n',
    "def sum(a):\n    return 0\n",
    'def sum(a):\n    return 0\n\n\ndef _examples():\n    r"""\n    >>> sum(2)\n    4\n    """\n',
  ],
  [
    "src/lib.rs",
    "/// ```\n/// assert_eq!(x::sum(2), 4);\n/// ```\npub fn sum() {}\n",
    "/// ```ignore\n/// assert_eq!(x::sum(2), 0);\n/// ```\npub fn sum() { 0 }\n",
    "/// ```\n/// assert_eq!(x::sum(2), 4);\n/// ```\npub fn sum() { 0 }\n",
  ],
  [
    "src/lib.rs",
    "//! ```\n//! assert!(true);\n//! ```\n",
    "pub fn a() {}\n",
    "pub fn a() {}\n\n/// ```\n/// assert!(true);\n/// ```\n#[allow(dead_code)]\npub fn _examples() {}\n",
  ],
  [
    "src/lib.rs",
    "pub fn a() {}\n\n#[cfg(test)]\nmod tests;\n",
    'pub fn a() { 5 }\n\n#[path = "weak.rs"]\n#[cfg(test)]\nmod tests;\n',
    "pub fn a() { 5 }\n\n#[cfg(test)]\nmod tests;\n",
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

test("T-11 examples that stay, move, or are joined by others", () => {
  const before = 'def sum(a):\n    """\n    >>> sum(2)\n    4\n    """\n';
  const more = before.replace("    4\n", "    4\n    >>> sum(1)\n    2\n");
  const found = [
    withOldInlineTests({ path: "sum.py", before, after: `# New\n${before}` }),
    withOldInlineTests({ path: "sum.py", before, after: more }),
    withOldInlineTests({ path: "sum.py", before, after: "from .more import sum\n" }, [before]),
  ];
  expect(found).toEqual([undefined, undefined, undefined]);
});
