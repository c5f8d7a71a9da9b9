import { plainOutput } from "./plain-output.ts";
import type { TestCount } from "./test-count.ts";

/** How runners say that they found no test to run. Some fail for this reason alone. */
const FAILING: readonly RegExp[] = [
  /^No tests found, exiting with code [1-9]/, // Jest
  /^No test files found, exiting with code [1-9]/, // Vitest
  /^Error: No test files found/, // Mocha
  /\bCouldn.t find any files to test\b/, // AVA
  /^error: No test modules found/i, // Deno
  /^No tests found!|^error: 0 test files matching/, // Bun
  /^Error: No tests found\b/, // Playwright
  /\bCan.t run because no spec files were found\b/, // Cypress
  /^Error: no test specified\b/, // npm init
  /^No tests executed!/, // PHPUnit
  /^No tests were found!!!/, // CTest
  /^There are no tests to run/, // ExUnit
  /^error: no tests to run/, // nextest
  /^\s*INFO\s+No tests found\.$/, // Pest
  /^Incomplete: No specs found/, // Jasmine
  /^(?:Test run summary: )?Zero tests ran\b/, // .NET
  /^No tests ran\.?$/, // Dart, Catch2
];

/** Of pytest and unittest, which have an exit code for it. Make tells it in its own words. */
const FAILING_WITH_5 = /\bno tests ran in \d|^NO TESTS RAN\b/;
const MAKE_5 = /\] Error 5$/;

const PASSING: readonly RegExp[] = [
  ...FAILING,
  FAILING_WITH_5,
  /^No tests found, exiting with code 0|^No tests found related to files changed/, // Jest
  /^No test files found, exiting with code 0|^\s*Tests\s+no tests$/, // Vitest
  /^\s*Tests: +0 total/, // Jest
  /\bExecuted 0 of \d+\b/, // Karma
  /^collected 0 items\b/, // pytest
  /^Ran 0 tests in \d/, // unittest
  /^No examples found\./, // RSpec
  /\bNo tests to run\b|\bTests are skipped\.$/i, // Surefire
  /\bNo test (?:is available in|matches the given testcase filter)\b/, // .NET
  /^All 0 tests passed|^Build Summary:.* 0\/\d+ tests passed/, // Zig
  /^> Task \S*:(?:test\w*|\w+Test) (?:NO-SOURCE|SKIPPED)$/, // Gradle
  /^Result: NOTESTS$/, // prove
  /: All tests skipped\.$/, // Dart
  /^nox > (?:Session \S+ skipped|No sessions selected)/, // nox
  /^\?\s+\S+\s+\[no test files\]$|^ok\s+\S+\s+.*\[no tests to run\]$/, // Go
  /\bNo tasks were executed as part of this run\b|\bNo package found with name\b/, // Turborepo
  /^(?:\s*NX\s+)?No (?:tasks were run|projects? (?:with .* )?(?:was|were) (?:run|affected|found))\b/, // Nx
  /^No projects matched the filters\b/, // pnpm
  /^lerna \w+ .*\bNo (?:packages|projects) (?:found|remain)\b/i, // Lerna
];

/** A task of a build tool that did run tests, beside others that had none. */
const RAN = /^> Task \S*:(?:test\w*|\w+Test)(?: FAILED| UP-TO-DATE| FROM-CACHE)?$/;
/** A package of Go whose tests ran; with `-v`, all of them may be skipped. */
const RAN_GO = /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])/;

const LAST_LINES = 20;

/**
 * Whether a gate that ended in this way ran no test, in the words of its runner. One that fails must say so at the end:
 * it may have failed for another reason. `count`: the tests that its output counts.
 */
export function ranNoTests(text: string, code: number, count: TestCount | undefined): boolean {
  const output = plainOutput(text);
  if (count !== undefined && count.passed + count.failed > 0 && !isOnlyEmptyGo(output)) return false;
  const lines = output.split(/\r?\n/).map((line) => line.trimEnd());
  const isSkipped = count?.passed === 0 && lines.some((line) => line.startsWith("=== RUN "));
  const hasRun = (line: string): boolean => RAN.test(line) || (!isSkipped && RAN_GO.test(line));
  if (lines.some(hasRun)) return false;
  if (code === 0) return says(lines, PASSING) || isIdleMake(output) || count !== undefined;
  const last = lines.slice(-LAST_LINES);
  return says(last, FAILING) || ((code === 5 || says(last, [MAKE_5])) && says(last, [FAILING_WITH_5]));
}

const says = (lines: readonly string[], words: readonly RegExp[]): boolean =>
  lines.some((line) => words.some((word) => word.test(line)));

/** Beside anything else, make says so of parts that were built before. A folder may be called as the target is. */
const isIdleMake = (output: string): boolean =>
  /^(?:\s*g?make(?:\[\d+\])?: (?:Nothing to be done for [^\n]*|['`][^\n]*' is up to date\.)\s*)+$/.test(output);

/** Go counts packages, also those in which no test matches. */
function isOnlyEmptyGo(output: string): boolean {
  const packages = output.split("\n").filter((line) => /^ok\s+\S+\s/.test(line));
  return packages.length > 0 && packages.every((line) => line.includes("[no tests to run]"));
}
