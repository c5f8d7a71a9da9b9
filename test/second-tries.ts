import type { Reporter, TestCase } from "vitest/node";

/** Names each test that passed only at a second try: it is a defect, of the test or of what it tests. */
export function secondTries(): Reporter {
  const flaky: string[] = [];
  return {
    onTestCaseResult(test: TestCase) {
      if (!test.diagnostic()?.flaky) return;
      const why = (test.result().errors ?? []).map(({ message, diff }) => `\n${message}\n${diff ?? ""}`);
      flaky.push(`${test.module.relativeModuleId}: ${test.fullName}${why.join("")}`);
    },
    onTestRunEnd() {
      for (const name of flaky) process.stdout.write(`passed at the second try: ${name}\n`);
    },
  };
}
