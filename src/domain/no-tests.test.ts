import { expect, test } from "vitest";
import { ranNoTests } from "./no-tests.ts";
import { testCount } from "./test-count.ts";

const says = (output: string, code = 0): boolean => ranNoTests(output, code, testCount(output));

test.each([
  ["node --test", 0, "# tests 0\n# suites 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 0"],
  ["node --test, all skipped", 0, "ℹ tests 2\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 2"],
  ["jest", 0, "No tests found, exiting with code 0"],
  ["jest", 1, "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\nnpm ERR! code 1"],
  ["jest, all skipped", 0, "Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\n"],
  ["vitest", 0, "No test files found, exiting with code 0\n"],
  ["vitest", 1, "No test files found, exiting with code 1\n\ninclude: **/*.test.ts\nexclude: **/node_modules/**"],
  [
    "vitest in colour",
    1,
    "\u001b[31mNo test files found, exiting with code 1\n\u001b[39m\n\u001b[2mfilter: \u001b[22ma.ts",
  ],
  ["pytest", 5, "collected 0 items\n\n============================ no tests ran in 0.01s ============================"],
  ["pytest by make", 2, "collected 0 items\n\n=== no tests ran in 0.01s ===\nmake: *** [Makefile:2: test] Error 5"],
  ["pytest, all skipped", 0, "============================== 2 skipped in 0.01s =============================="],
  ["unittest", 5, "----------\nRan 0 tests in 0.000s\n\nNO TESTS RAN"],
  ["go", 0, "?   \texample.com/a\t[no test files]\n?   \texample.com/b\t[no test files]"],
  ["go -run", 0, "ok  \texample.com/a\t0.002s [no tests to run]"],
  ["cargo", 0, "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"],
  ["mocha", 0, "\n\n  0 passing (1ms)\n"],
  ["mocha", 1, 'Error: No test files found: "test"'],
  ["phpunit", 1, "PHPUnit 11.0\n\nNo tests executed!"],
  ["rspec", 0, "No examples found.\n\nFinished in 0.0002 seconds\n0 examples, 0 failures"],
  ["ctest", 0, "Test project /build\nNo tests were found!!!"],
  ["dotnet", 0, "No test is available in /a/bin/a.dll. Make sure that test discoverer is registered"],
  ["maven", 0, "[INFO] --- surefire:3.2.5:test (default-test) @ a ---\n[INFO] No tests to run."],
  ["gradle", 0, "> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s"],
  ["mix", 0, "There are no tests to run"],
  ["deno", 1, "error: No test modules found"],
  ["turbo", 0, "No tasks were executed as part of this run.\n\n Tasks:    0 successful, 0 total"],
  ["pnpm", 0, 'No projects matched the filters in "/a"'],
  ["nx", 0, " NX   No tasks were run"],
  ["make", 0, "make: Nothing to be done for 'test'."],
  ["npm init", 1, '> a@1.0.0 test\n> echo "Error: no test specified" && exit 1\n\nError: no test specified'],
])("a run of %s (exit code %i) that found no test says so", (_, code, output) => {
  expect(says(output, code)).toBe(true);
});

test.each([
  ["one test passed", 0, "# tests 1\n# pass 1\n# fail 0"],
  ["make, of one part", 0, "make: Nothing to be done for 'all'.\nPASS: a"],
  ["a linter", 0, "All matched files use the correct format."],
  ["nothing", 0, ""],
  ["one package of two has tests", 0, "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.003s"],
  ["one project of two has tests", 0, "> Task :a:test NO-SOURCE\n> Task :b:test\n\nBUILD SUCCESSFUL"],
  ["one crate of two has tests", 0, "test result: ok. 0 passed; 0 failed;\ntest result: ok. 4 passed; 0 failed;"],
  ["a failure after an empty run", 1, "# tests 0\n# pass 0\n# fail 0\nsrc/a.js: 1 problem (1 error)"],
  ["a failure far from the words", 1, `No tests found, exiting with code 1\n${"src/a.js: wrong\n".repeat(30)}`],
  ["a package that does not compile", 1, "FAIL\ta [build failed]\n?   \tb\t[no test files]\nFAIL"],
  ["a project that does not compile", 1, "> Task :test NO-SOURCE\n> Task :compileJava FAILED\n\nBUILD FAILED"],
  ["a file that cannot be collected", 2, "collected 0 items / 1 error\n\n=== 1 error in 0.01s ==="],
  ["a test that fails", 1, "No tests found, exiting with code 1\n\n  3 passing (1ms)\n  1 failing"],
])("%s (exit code %i) is not a run without tests", (_, code, output) => {
  expect(says(output, code)).toBe(false);
});
