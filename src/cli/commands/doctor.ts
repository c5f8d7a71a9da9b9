import { checkUp, type Finding } from "../../app/doctor.ts";
import { printable } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson } from "../task-text.ts";

/** Looks for what is wrong, and says how to mend it. */
export async function run(input: Input, io: Io): Promise<number> {
  const findings = await checkUp(caller(input, io));
  if (isJson(input)) io.out(`${JSON.stringify(findings.map(withFix), undefined, 2)}\n`);
  else io.out(findings.map(lineOf).join(""));
  return findings.some(({ level }) => level === "problem") ? EXIT_CODES.failure.code : EXIT_CODES.complete.code;
}

const withFix = ({ fix, ...finding }: Finding): unknown => ({ ...finding, fix: fix ?? null });

const WIDTH = "warning".length;

function lineOf({ level, message, fix }: Finding): string {
  const mend = fix === undefined ? "" : `${" ".repeat(WIDTH)}  ${printable(fix)}\n`;
  return `${level.padEnd(WIDTH)}  ${printable(message)}\n${mend}`;
}
