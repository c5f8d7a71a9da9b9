import type { Reporter, TestCase } from "vitest/node";

/** What the table shows of a case. */
export interface RealCliRow {
  readonly cli: string;
  readonly name: string;
}

declare module "vitest" {
  interface TaskMeta {
    realCli?: RealCliRow;
  }
}

/** Prints a line when a case is through, and at the end the table of all of them. */
export function realCliTable(): Reporter {
  return {
    onTestCaseResult: (test) => void process.stderr.write(`${cellsOf(test).join(" ")}\n`),
    onTestRunEnd: (modules, errors) => {
      const tests = modules.flatMap((module) => Array.from(module.children.allTests()));
      const said = [
        ...modules.flatMap((module) => module.errors().map(({ message }) => message)),
        ...errors.map(({ message }) => message),
        ...tests.filter((test) => test.result().state === "failed").map(failureOf),
      ];
      const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
      const sum = `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
      process.stdout.write([...said, tableOf(tests), sum].map((part) => `\n${part}\n`).join(""));
    },
  };
}

function cellsOf(test: TestCase): string[] {
  const { cli, name } = test.meta().realCli ?? { cli: "", name: test.name };
  const result = test.result();
  const seconds = `${((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1)}s`;
  const note = result.state === "skipped" ? `skipped: ${result.note ?? "no reason given"}` : result.state;
  return [cli, name, seconds, note];
}

function failureOf(test: TestCase): string {
  const errors = test.result().errors ?? [];
  return `${cellsOf(test).join(" ")}\n${errors.map(({ message, diff }) => diff ?? message).join("\n")}`;
}

function tableOf(tests: readonly TestCase[]): string {
  const all = [["CLI", "case", "time", "result"], ...tests.map(cellsOf)];
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]!.length)));
  return all.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")).join("\n");
}
