import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { CaseRow } from "./play.ts";

const HEAD = ["case", "exit", "left", "time", "", "required outcome"] as const;

/** Prints a line when a case is through, and at the end the table of all of them. */
export function tortureTable(): Reporter {
  return {
    onTestCaseResult: (test) => void process.stderr.write(`${nameOf(test)}: ${resultOf(test)}\n`),
    onTestRunEnd: (modules, errors) => {
      const tests = modules.flatMap((module) => Array.from(module.children.allTests()));
      const failed = tests.filter((test) => test.result().state === "failed");
      const said = [
        ...modules.flatMap((module) => module.errors().map(({ message }) => message)),
        ...errors.map(({ message }) => message),
        ...failed.map((test) => `${nameOf(test)}\n${failureOf(test)}`),
      ];
      process.stdout.write([...said, tableOf(tests), summaryOf(modules)].map((part) => `\n${part}\n`).join(""));
    },
  };
}

const rowOf = (test: TestCase): CaseRow => test.meta().torture ?? { name: test.name, required: "" };

const nameOf = (test: TestCase): string => rowOf(test).name;

function resultOf(test: TestCase): string {
  const result = test.result();
  if (result.state === "skipped") return `skipped: ${result.note ?? "no reason given"}`;
  return result.state === "passed" ? "pass" : "FAIL";
}

function failureOf(test: TestCase): string {
  const errors = test.result().errors ?? [];
  return errors.map(({ message, diff }) => diff ?? message).join("\n");
}

function tableOf(tests: readonly TestCase[]): string {
  const rows = tests.map((test) => {
    const { name, required, codes = [], processes } = rowOf(test);
    const seconds = `${((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1)}s`;
    return [name, codes.join(" "), String(processes ?? ""), seconds, resultOf(test), required];
  });
  const all = [HEAD, ...rows];
  // The last one may be as long as it is.
  const widths = HEAD.map((_, at) => (at < HEAD.length - 1 ? Math.max(...all.map((row) => row[at]!.length)) : 0));
  return all.map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join("  ")).join("\n");
}

function summaryOf(modules: readonly TestModule[]): string {
  const tests = modules.flatMap((module) => Array.from(module.children.allTests(), (test) => test.result().state));
  const count = (state: string): number => tests.filter((one) => one === state).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
}
