/** How many tests passed and failed, as test runners count them. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  /** Of those that failed how many are no tests: a file that cannot be loaded, or a hook. */
  readonly notTests?: number;
  /** Files that passed as if each were one test: none of the tests in them ran. */
  readonly alone?: readonly string[];
}

/** The lines in which runners count: as `3 passed`. */
const NUMBER_FIRST: readonly RegExp[] = [
  /^\s*Tests:?\s+\d+ (?:passed|failed|skipped|todo)/, // Vitest, Jest
  /^=* ?(?:\d+ [a-z]+(?:, )?)+ in \d[\d.:]*s/, // pytest
  /^\s*\d+ (?:passing|failing)\b/, // Mocha, Cypress
  /^test result: \w+\. \d+ passed/, // cargo
  /^\s*Summary \[.*\] \d+ tests? run:/, // nextest
  /^\d+ (?:examples?|specs?), \d+ failures?/, // RSpec, Hspec, Jasmine
  /^\d+ (?:runs|tests), \d+ assertions, \d+ failures/, // minitest, test-unit
  /^(?:\d+ (?:doctests?|propert(?:y|ies)|features?), )*\d+ tests?, \d+ failures?/, // Bats, ExUnit
  /^DONE \d+ tests?(?:, \d+ [a-z]+)* in \d/, // gotestsum
  /^OK \(\d+ tests?, \d+ assertions?\)/, // PHPUnit
  /^(?:ok|FAILED) \| \d+ passed/, // Deno
  /^\s*\d+ (?:pass|fail)$/, // Bun
  /^\s*\d+ (?:tests? )?(?:passed|failed|skipped)(?: \([\d.]+m?s\))?$/, // AVA, Playwright
  /^\s*Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures?/, // XCTest
  /^\S+ +Test run with \d+ tests?\b/, // Swift Testing
  /^\d+ passed; \d+ skipped; \d+ failed/, // Zig
  /^\[ {2}PASSED {2}\] \d+ tests?\b/, // GoogleTest
  /^Ran \d+ tests? in \d/, // unittest
];

/** As `Failures: 3`. */
const WORD_FIRST: readonly RegExp[] = [
  /^(?:#|ℹ) (?:pass|fail|cancelled) +\d+$/, // node:test, tap, tape
  /^(?:OK|FAILED|PASSED) \((?:[a-z ]+=\d+(?:, )?)+\)$/, // unittest, Trial
  /^\s*Tests: \d+, Assertions: \d+/, // PHPUnit
  /^(?:\[\w+\] )?Tests run: \d+, Failures: \d+/, // Surefire
  /^(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+|^Test summary: total: \d+, failed: \d+/, // .NET
  /^# (?:PASS|FAIL|ERROR): +\d+$/, // Automake
  /^(?:Ok|Fail): {4,}\d+\s*$/, // Meson
  /^(?:\[\w+\] )?(?:Tests: succeeded \d+, failed|(?:Passed|Failed): Total \d+, Failed) \d+/, // sbt
];

const NONE_RAN = /^=* ?no tests ran in \d/;
/** node:test names a file in which no test ran, and it passes if the file ends well. */
const FILE_ALONE = /^(?:ok \d+ - |✔ )(\S*\.[cm]?[jt]sx?)(?: \([\d.]+ms\))?$/;
const NOT_TEST = /^(?:not ok \d+ - |✖ )\S*\.[cm]?[jt]sx?(?: \([\d.]+ms\))?$|^\s*"(?:before|after) (?:all|each)" hook/;
const ERRORS = /^=* ?(?:\d+ [a-z]+, )*(\d+) errors? in \d/;
const GO_TEST = /^\s*--- (PASS|FAIL): /;
/** Of `go test -v`, which names all tests: what was only skipped did not run. */
const GO_VERBOSE = /^=== RUN /m;
const GO_PACKAGE = /^(ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))/;
const TAP_POINT = /^(not )?ok \d+\b(?!.*# *(?:skip|todo)\b)/i;
const TAP_PLAN = /^1\.\.\d+\b/;
/** CTest says of each test what came of it, and counts those that it skipped as passed. */
const CTEST = /^\s*\d+\/\d+ Test +#\d+: .*?[. *](Passed|Failed|Exception|Timeout|Skipped|Not Run)\b/;

const PASSED = /^(?:pass(?:ed|ing)?|succeeded|ok)$/i;
const FAILED = /^(?:fail(?:ed|ing|ures?)?|errors?|cancelled)$/i;
const LEFT_OUT = /^(?:skip(?:ped|s)?|pendings?|omissions?|excluded|invalid|ignored|expected failures|incomplete)$/i;
const ALL = /^(?:tests?(?: run)?|doctests?|propert(?:y|ies)|features?|examples?|specs?|runs)$/i;

/** Colours, and what tools for many packages write before each line. */
const COLOURS = new RegExp(String.raw`${String.fromCodePoint(27)}\[[\d;]*[A-Za-z]`, "g");
const PREFIX = /^(?:[@\w/.-]+:[\w:-]+: |[@\w/.-]+ (?:test|check|unit)[\w:-]*: |\[[^\]]+\] (?=\s*\S))/;

/** What all test runners of a gate counted, together. Undefined if its output counts no tests. */
export function testCount(output: string): TestCount | undefined {
  const lines = output.replaceAll(COLOURS, "").split(/\r?\n/);
  return fromSummaries(lines) ?? fromSummaries(lines.map((line) => line.replace(PREFIX, ""))) ?? fromPoints(lines);
}

function fromSummaries(lines: readonly string[]): TestCount | undefined {
  const counts = lines.flatMap((line) => ofLine(line) ?? []);
  if (counts.length === 0) return undefined;
  const sum = (of: (count: TestCount) => number): number => counts.reduce((all, count) => all + of(count), 0);
  const alone = lines.flatMap((line) => FILE_ALONE.exec(line)?.[1] ?? []);
  const count = {
    passed: Math.max(
      sum(({ passed }) => passed),
      0,
    ),
    failed: sum(({ failed }) => failed),
  };
  const errors = lines.reduce((all, line) => all + Number(ERRORS.exec(line)?.[1] ?? 0), 0);
  const notTests = errors + new Set(lines.filter((line) => NOT_TEST.test(line))).size;
  return { ...count, ...(alone.length > 0 && { alone }), ...(notTests > 0 && { notTests }) };
}

function ofLine(line: string): TestCount | undefined {
  if (NONE_RAN.test(line)) return { passed: 0, failed: 0 };
  const isNumberFirst = NUMBER_FIRST.some((pattern) => pattern.test(line));
  if (!isNumberFirst && !WORD_FIRST.some((pattern) => pattern.test(line))) return undefined;
  const pairs = isNumberFirst
    ? [...line.matchAll(/(\d+) (?:tests? (?=passed|failed|skipped))?([A-Za-z]+)/g)].map(([, number, word]) => ({
        word: word!,
        number: Number(number),
      }))
    : [...line.matchAll(/([A-Za-z][A-Za-z ]*?)(?:[:=] *| +)(\d+)/g)].map(([, word, number]) => ({
        word: word!.trim(),
        number: Number(number),
      }));
  const of = (words: RegExp): number =>
    pairs.filter(({ word }) => words.test(word)).reduce((all, { number }) => all + number, 0);
  const failed = of(FAILED);
  const hasPassed = pairs.some(({ word }) => PASSED.test(word));
  // The second line of unittest takes off from the first.
  const isRest = pairs.some(({ word }) => ALL.test(word)) || /^(?:OK|FAILED|PASSED) \([a-z ]+=/.test(line);
  return { passed: hasPassed || !isRest ? of(PASSED) : of(ALL) - failed - of(LEFT_OUT), failed };
}

/** Runners that only list: the tests and packages of Go, the tests of CTest, the points of TAP. */
function fromPoints(lines: readonly string[]): TestCount | undefined {
  const isVerbose = lines.some((line) => GO_VERBOSE.test(line));
  for (const [pattern, bad] of [
    [GO_TEST, /FAIL/],
    [GO_PACKAGE, /FAIL/],
    [CTEST, /Failed|Exception|Timeout/],
    [TAP_POINT, /not /i],
  ] as const) {
    const points = lines.flatMap((line) => pattern.exec(line)?.slice(1) ?? []);
    const left = points.filter((word) => /^(?:Skipped|Not Run)$/.test(word ?? "")).length;
    const failed = points.filter((word) => bad.test(word ?? "")).length;
    // Without `-v`, Go names only the tests that fail.
    if (points.length > (pattern === GO_TEST ? failed : 0)) return { passed: points.length - failed - left, failed };
    if (pattern === GO_TEST && isVerbose) return { passed: 0, failed };
  }
  const isTap = lines.some((line) => TAP_PLAN.test(line)) && lines.some((line) => /^ok \d+\b/.test(line));
  return isTap ? { passed: 0, failed: 0 } : undefined;
}
