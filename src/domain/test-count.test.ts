import { describe, expect, test } from "vitest";
import { testCount } from "./test-count.ts";

const told = (output: string): string | undefined => {
  const count = testCount(output);
  if (count === undefined) return undefined;
  const { passed, failed, notTests, alone = [] } = count;
  return [`${passed} passed, ${failed} failed`, ...(notTests === undefined ? [] : [`${notTests} not`]), ...alone].join(
    ", ",
  );
};

describe("T-20 the tests that a gate counts", () => {
  test.each([
    ["node:test", "# tests 3\n# suites 0\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 0", "2 passed, 1 failed"],
    ["node:test, spec", "✔ adds (1.2ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0", "1 passed, 0 failed"],
    [
      "node:test, a file in which no test ran",
      "ok 1 - /tmp/a/test/a.test.js\n# pass 3\n# fail 0",
      "3 passed, 0 failed, /tmp/a/test/a.test.js",
    ],
    ["node:test, a file that failed", "not ok 2 - /tmp/b.test.js\n# pass 3\n# fail 1", "3 passed, 1 failed, 1 not"],
    [
      "Mocha, a hook",
      '  2 passing\n  1 failing\n  1) a\n       "after each" hook for "b":',
      "2 passed, 1 failed, 1 not",
    ],
    ["Vitest", " Test Files  1 passed (1)\n      Tests  1 failed | 4 passed | 2 skipped (7)", "4 passed, 1 failed"],
    ["Vitest in colours", "\u001B[2m      Tests \u001B[22m \u001B[32m4 passed\u001B[39m (4)", "4 passed, 0 failed"],
    [
      "Jest",
      "Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 2 passed, 4 total",
      "2 passed, 1 failed",
    ],
    ["Mocha", "  5 passing (8ms)\n  1 pending\n  2 failing\n", "5 passed, 2 failed"],
    ["pytest", "==== 1 failed, 3 passed, 1 skipped, 2 errors in 1.27s ====", "3 passed, 3 failed, 2 not"],
    ["pytest -q", "3 passed, 1 warning in 0.68s", "3 passed, 0 failed"],
    ["pytest without tests", "==== no tests ran in 0.01s ====", "0 passed, 0 failed"],
    ["unittest", "Ran 5 tests in 0.000s\n\nFAILED (failures=1, errors=1, skipped=1)", "2 passed, 2 failed"],
    ["unittest, green", "Ran 5 tests in 0.000s\n\nOK", "5 passed, 0 failed"],
    ["unittest, skipped", "Ran 5 tests in 0.000s\n\nOK (skipped=2)", "3 passed, 0 failed"],
    [
      "cargo",
      "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured\ntest result: ok. 4 passed; 0 failed",
      "6 passed, 1 failed",
    ],
    ["nextest", "     Summary [   0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped", "2 passed, 1 failed"],
    ["go test -v", "--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\nok  \tx\t0.1s", "2 passed, 0 failed"],
    ["go test", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.1s\nok  \tx/b\t(cached)\nFAIL", "1 passed, 1 failed"],
    ["RSpec", "6 examples, 1 failure, 2 pending", "3 passed, 1 failed"],
    ["minitest", "6 runs, 9 assertions, 1 failures, 1 errors, 1 skips", "3 passed, 2 failed"],
    ["PHPUnit", "OK (3 tests, 5 assertions)", "3 passed, 0 failed"],
    ["PHPUnit, red", "Tests: 3, Assertions: 5, Failures: 1.", "2 passed, 1 failed"],
    ["Surefire", "[INFO] Tests run: 4, Failures: 1, Errors: 0, Skipped: 1", "2 passed, 1 failed"],
    [".NET", "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4", "3 passed, 0 failed"],
    ["Deno", "ok | 3 passed | 0 failed (10ms)", "3 passed, 0 failed"],
    ["Bun", " 3 pass\n 1 fail\n", "3 passed, 1 failed"],
    ["AVA", "  3 tests passed\n  1 test failed", "3 passed, 1 failed"],
    ["TAP", "1..2\nok 1 a\nnot ok 2 b", "1 passed, 1 failed"],
    ["TAP, skipped", "1..3\nok 1 a # SKIP no\nnot ok 2 b # TODO later\nok 3 c", "1 passed, 0 failed"],
    ["go test -v, skipped", "=== RUN   TestA\n--- SKIP: TestA (0.00s)\nok  \tx\t0.1s", "0 passed, 0 failed"],
    ["ExUnit", "1 doctest, 2 properties, 3 tests, 1 failure, 1 excluded", "4 passed, 1 failed"],
    ["Jasmine", "6 specs, 1 failure, 2 pending specs", "3 passed, 1 failed"],
    ["XCTest, skipped", "Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected)", "1 passed, 1 failed"],
    ["Automake", "# TOTAL: 3\n# PASS:  2\n# SKIP:  0\n# FAIL:  1", "2 passed, 1 failed"],
    ["Meson", "Ok:                 4   \nFail:               1   ", "4 passed, 1 failed"],
    ["sbt", "[info] Passed: Total 4, Failed 1, Errors 0, Passed 3", "3 passed, 1 failed"],
    [
      "CTest",
      "1/3 Test #1: a ...   Passed    0.01 sec\n2/3 Test  #2: b ...***Failed    0.00 sec\n3/3 Test #3: c ...***Skipped 0.0 sec",
      "1 passed, 1 failed",
    ],
    ["many packages", "a:test:       Tests  4 passed (4)\nb:test:       Tests  2 passed (2)", "6 passed, 0 failed"],
    ["other output", "3 files changed\nAll good in 3s\ntests are fine", undefined],
    ["none", "", undefined],
  ])("%s", (_, output, count) => {
    expect(told(output)).toBe(count);
  });
});
