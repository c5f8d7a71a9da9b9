import { sweepLanes } from "../../app/lanes/remove-lanes.ts";
import { runDoctor, type Finding } from "../../app/doctor/doctor.ts";
import { printable } from "../../domain/printable.ts";
import { checkHost } from "../check-host.ts";
import type { Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { isJson, printJson } from "../json.ts";

/** Checks the setup and suggests fixes. */
export async function run(input: Input, io: Io): Promise<number> {
  // The output of gates is not data: it goes to `err`.
  const probe = input.options["probe"] === true ? await checkHost(input, io, io.err) : undefined;
  if (input.options["fix"] === true) {
    const said = await sweepLanes(caller(input, io));
    io.err(said.map((sentence) => `${printable(sentence)}\n`).join(""));
  }
  const findings = await runDoctor(caller(input, io), { isRoot: io.isRoot, probe });
  if (isJson(input)) printJson(io, findings.map(withFix));
  else await printPage(io, findings.map(lineOf).join(""));
  if (probe?.stop.aborted === true) return EXIT_CODES.interrupted.code;
  return findings.some(({ level }) => level === "problem") ? EXIT_CODES.failure.code : EXIT_CODES.complete.code;
}

const withFix = ({ fix, ...finding }: Finding): unknown => ({ ...finding, fix: fix ?? null });

const WIDTH = "warning".length;

/** A fix shared by several findings is printed after the last of them. */
function lineOf({ level, message, fix }: Finding, index: number, all: readonly Finding[]): string {
  const mend = fix === undefined || fix === all[index + 1]?.fix ? "" : `${" ".repeat(WIDTH)}  ${printable(fix)}\n`;
  return `${level.padEnd(WIDTH)}  ${printable(message)}\n${mend}`;
}
