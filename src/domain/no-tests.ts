import { plainOutput } from "./plain-output.ts";
import type { TestCount } from "./test-count.ts";

/** How a runner says that it found no test to run, in one line each. */
const WORDS: readonly RegExp[] = [
  /^No tests found, exiting with code \d|^No tests found related to files changed/, // Jest
  /^No test files found, exiting with code \d|^include: .*\bNo test files found\b/, // Vitest
  /\bno tests ran in \d|^collected 0 items\b/, // pytest
  /^NO TESTS RAN\b|^Ran 0 tests in \d/, // unittest
  /^Error: No test files found/, // Mocha
  /\bCouldn.t find any files to test\b/, // AVA
  /^error: No test modules found/i, // Deno
  /^No tests found!|^error: 0 test files matching/, // Bun
  /^Error: No tests found\b/, // Playwright
  /\bCan.t run because no spec files were found\b/, // Cypress
  /^Error: no test specified\b/, // npm init
  /^No tests executed!/, // PHPUnit
  /^No examples found\./, // RSpec
  /^No tests were found!!!/, // CTest
  /\bNo tests to run\b/i, // Surefire
  /\bNo test (?:is available in|matches the given testcase filter)\b/, // .NET
  /^There are no tests to run/, // ExUnit
  /^All 0 tests passed/, // Zig
  /^> Task \S*:test\w* NO-SOURCE/, // Gradle
  /^\?\s+\S+\s+\[no test files\]$|^ok\s+\S+\s+.*\[no tests to run\]$/, // Go
  /\bNo tasks were executed as part of this run\b|\bNo package found with name\b/, // Turborepo
  /^(?:\s*NX\s+)?No (?:tasks were run|projects? (?:with .* )?(?:was|were) (?:run|affected|found))\b/, // Nx
  /^No projects matched the filters\b/, // pnpm
];

/** A task of a build tool that did run tests, beside others that had none. */
const RAN = /^> Task \S*:test\w*(?: FAILED)?$|^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])/;

const LAST_LINES = 20;

/**
 * Whether a gate that ended in this way ran no test, in the words of its runner. One that fails must say so at the end:
 * it may have failed for another reason. `count`: the tests that its output counts.
 */
export function ranNoTests(text: string, code: number, count: TestCount | undefined): boolean {
  const output = plainOutput(text);
  if (count !== undefined && count.passed + count.failed > 0 && !isOnlyEmptyGo(output)) return false;
  const lines = output.split(/\r?\n/);
  const told = (code === 0 ? lines : lines.slice(-LAST_LINES)).map((line) => line.trimEnd());
  if (lines.some((line) => RAN.test(line))) return false;
  const isTold = told.some((line) => WORDS.some((word) => word.test(line))) || isIdleMake(output);
  return isTold || (code === 0 && count !== undefined);
}

/** Beside anything else, make says so of parts that were built before. */
const isIdleMake = (output: string): boolean => /^(?:\s*make: Nothing to be done for [^\n]*\s*)+$/.test(output);

/** Go counts packages, also those in which no test matches. */
function isOnlyEmptyGo(output: string): boolean {
  const packages = output.split("\n").filter((line) => /^ok\s+\S+\s/.test(line));
  return packages.length > 0 && packages.every((line) => line.includes("[no tests to run]"));
}
