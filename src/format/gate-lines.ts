import { printable, printableLine } from "../domain/printable.ts";
import type { EventOf } from "../domain/run/event.ts";
import { describeEnd } from "../domain/verdict-report.ts";
import { plural, durationText, formatNumber } from "./run-text.ts";

/** `Gate test: FAILED, exit code 1 · 0.4s`. */
export const gateText = (event: EventOf<"gate.finished">): string =>
  `Gate ${gateResult(event.gate, event)}${event.swept ? ` · ${sweptText(event.swept)}` : ""}`;

type Finished = Pick<EventOf<"gate.finished">, "passed" | "runs" | "durationMs" | "end">;

export function gateResult(gate: string, { passed, runs, durationMs, end }: Finished): string {
  const result = passed ? "ok" : `FAILED, ${describeEnd(end)}`;
  return `${printableLine(gate)}: ${result} · ${durationText(durationMs)}${runs > 1 ? ` · run ${runs} times` : ""}`;
}

/** What a gate or hook left running. */
export const sweptText = (swept: number): string =>
  `ended ${swept === 1 ? "a process" : `${formatNumber(swept)} processes`} that it left running`;

const OUTPUT_LINES = 10;

/** The end of a gate's output, which usually has the reason of a failure. */
export function outputEnd(output: string): string[] {
  const lines = printable(output).trimEnd().split("\n");
  const left = lines.length - OUTPUT_LINES;
  const shown = lines.slice(-OUTPUT_LINES).map((line) => `    | ${line}`);
  if (output.trim() === "") return [];
  return left > 0 ? [`    | … ${plural(left, "earlier line")}`, ...shown] : shown;
}

/** W-06: the commands to run, aligned. */
export function commandLines(commands: readonly { readonly gate: string; readonly command: string }[]): string[] {
  const width = Math.max(0, ...commands.map(({ gate }) => printableLine(gate).length));
  return commands.map(({ gate, command }) => `  ${printableLine(gate).padEnd(width)}  ${printableLine(command)}`);
}
