import { verifyWork } from "../../app/verify.ts";
import { createRedactor } from "../../domain/redact.ts";
import { checkHost } from "../check-host.ts";
import { type Input, textOption } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";
import { verdictText, verifyJson } from "../format/verify-text.ts";

/** Runs the gates again (P-23). */
export async function run(input: Input, io: Io): Promise<number> {
  const talk = isJson(input) ? io.err : io.out;
  const [task] = input.args;
  const request = {
    task,
    scope: scopeChoice(input),
    isClean: input.options["clean"] === true,
    validationCommand: textOption(input, "validationCommand"),
  };
  const report = await verifyWork(request, checkHost(input, io, talk));
  for (const notice of report.notices) io.err(`warning: ${notice}\n`);
  talk(verdictText(report));
  if (isJson(input)) printJson(io, verifyJson(report, createRedactor(io.env)));
  return CODES[report.verdict];
}

const CODES = {
  verified: EXIT_CODES.complete.code,
  failed: EXIT_CODES.failure.code,
  interrupted: EXIT_CODES.interrupted.code,
} as const;
