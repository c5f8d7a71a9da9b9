import { expect, test } from "vitest";
import { failureKind } from "./failure-kind.ts";
import { runsTests } from "./test-gate.ts";

test.each([
  ["Node", "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n1 !== 2\n"],
  ["Vitest", "AssertionError: expected 1 to be 2 // Object.is equality"],
  ["Jest", "  ● adds\n\n    expect(received).toBe(expected) // Object.is equality\n"],
  ["pytest", "    def test_add():\n>       assert add(1, 2) == 3\nE       assert 4 == 3\n"],
  ["unittest", "AssertionError: 4 != 3\n"],
  ["Rust", "thread 'adds' panicked at src/lib.rs:9:\nassertion `left == right` failed\n"],
  ["Go", "--- FAIL: TestAdd (0.00s)\n    add_test.go:6: got 4\nFAIL\n"],
  ["PHPUnit", "Failed asserting that 4 matches expected 3."],
  ["RSpec", "     Failure/Error: expect(add).to eq 3\n\n       expected: 3\n            got: 4\n"],
  ["two of a kind", "ImportError: no c\nE       assert 4 == 3\n"],
])("T-21 %s tells of an assertion", (_name, output) => expect(failureKind(output)).toBe("assertion"));

test.each([
  ["Node, a module", "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/a/greet.mjs'"],
  ["yarn, a module", "# Error: Qualified path resolution failed: we looked for the following paths, but none could be"],
  ["yarn, a package", "Error: Your application tried to access b, but it isn't declared in your dependencies; this"],
  ["Node, an export", "SyntaxError: The requested module './a.mjs' does not provide an export named 'add'"],
  [
    "a function, beside the line of an assertion",
    "TypeError: add is not a function\n > 3 |   expect(add(1, 2)).toBe(3);\n",
  ],
  ["Vite", 'Error: Failed to resolve import "./a" from "a.test.ts". Does the file exist?'],
  ["TypeScript", "a.test.ts(1,10): error TS2305: Module '\"./a\"' has no exported member 'add'."],
  ["Python", "E   ModuleNotFoundError: No module named 'greet'"],
  ["Rust", "error[E0425]: cannot find function `add` in this scope"],
  ["Go", "./add_test.go:6:5: undefined: Add\nFAIL\tx [build failed]\n"],
  ["dash", "tests/sum.sh: 2: total: not found\nexpected 4\n"],
  ["bash", "tests/sum.sh: line 2: total: command not found\n"],
  ["go vet", "# x/add\nvet: add_test.go:6:5: undeclared name: Add\n"],
  ["a type checker of Python", 'tests/test_a.py:3: error: Module "a" has no attribute "add"  [attr-defined]'],
  ["Java", "AddTest.java:5: error: cannot find symbol"],
  ["C, a header", 'tests/a.c:2:10: fatal error: array.h: No such file or directory\n    2 | #include "array.h"'],
  ["clang, a header", "a.c:2:10: fatal error: 'array.h' file not found"],
  ["Swift", "a.swift:3:9: error: cannot find 'add' in scope"],
  ["C#", "a.cs(3,9): error CS0103: The name 'Add' does not exist in the current context"],
  ["TypeScript, a method", "a.test.ts:3:9 - error TS2339: Property 'add' does not exist on type 'List'."],
  ["Ruby", "NoMethodError: undefined method `add' for main"],
])("T-21 %s tells of a name that is missing", (_name, output) => expect(failureKind(output)).toBe("missing name"));

test("T-21 a runner that tells neither leaves it open", () => {
  expect([failureKind(""), failureKind("FAIL  a\n1 of 3 failed")]).toEqual(["unknown", "unknown"]);
});

test("T-21 gates that run tests are known by name, command or script; linters and builds are none", () => {
  for (const text of ["npm test", "make check", "pytest -q", "cargo nextest run", "npx vitest run", "go test ./..."]) {
    expect([text, runsTests("gate", text, undefined)]).toEqual([text, true]);
  }
  expect(runsTests("quality", "npm run quality", "eslint . && jest")).toBe(true);
  for (const text of ["CI=1 npm run test", "CI=1 npm run ci", "make lint-check check", "ruff check . && sh check.sh"]) {
    expect([text, runsTests("gate", text, undefined)]).toEqual([text, true]);
  }
  const others = ["npm run lint", "tsc --noEmit", "npm run build", "cargo clippy", "prettier -l .", "CI=1 make lint"];
  const checkers = ["npm run format:check", "prettier --check .", "cargo fmt --all --check", "uv run ruff check ."];
  for (const text of [...others, ...checkers, "CI=true npm run check:types", "black --check src", "svelte-check"]) {
    expect([text, runsTests("gate", text, undefined)]).toEqual([text, false]);
  }
});
