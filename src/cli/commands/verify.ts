import { verifyWork } from "../../app/verify.ts";
import { verifyAll } from "../../app/verify-all.ts";
import { RalphError } from "../../domain/error.ts";
import { checkHost } from "../check-host.ts";
import { type Input, textOption } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { printWarnings, scopeChoice } from "../flags.ts";
import { decayJson, decayText, progressText } from "../../format/decay-text.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";
import { pageWriter } from "../page.ts";
import { verdictText, verifyJson } from "../../format/verify-text.ts";

/** Runs the gates again (P-23), or everything that has ever proven a task (T-30). */
export async function run(input: Input, io: Io): Promise<number> {
  if (input.options["all"] === true) return await runAll(input, io);
  if (textOption(input, "since") !== undefined) {
    throw new RalphError("usage", "--since needs --all", { hint: "Write ralphctl verify --all --since REF" });
  }
  const talk = isJson(input) ? io.err : await pageWriter(io);
  const [task] = input.args;
  const request = {
    task,
    scope: scopeChoice(input),
    isClean: input.options["clean"] === true,
    validationCommand: textOption(input, "validationCommand"),
  };
  const host = await checkHost(input, io, talk);
  const report = await verifyWork(request, host);
  printWarnings(io, report.notices);
  talk(verdictText(report));
  if (isJson(input)) printJson(io, verifyJson(report, host.redact));
  return CODES[report.verdict];
}

async function runAll(input: Input, io: Io): Promise<number> {
  const [task] = input.args;
  if (task !== undefined) {
    throw new RalphError("usage", "--all checks every task that is done, so it takes no task", {
      hint: `Write ralphctl verify ${task}, or ralphctl verify --all`,
    });
  }
  const talk = isJson(input) ? io.err : await pageWriter(io);
  const request = {
    scope: scopeChoice(input),
    since: textOption(input, "since"),
    validationCommand: textOption(input, "validationCommand"),
  };
  // Results of single runs would hide what came out of them.
  const host = { ...(await checkHost(input, io, talk)), emit: () => undefined };
  try {
    const report = await verifyAll(request, host, (step) => io.progress?.(progressText(step)));
    io.progress?.("");
    printWarnings(io, report.notices);
    talk(decayText(report, host.redact));
    if (isJson(input)) printJson(io, decayJson(report, host.redact));
    return CODES[report.verdict];
  } catch (error) {
    io.progress?.("");
    throw error;
  }
}

const CODES = {
  holds: EXIT_CODES.complete.code,
  broken: EXIT_CODES.failure.code,
  verified: EXIT_CODES.complete.code,
  failed: EXIT_CODES.failure.code,
  interrupted: EXIT_CODES.interrupted.code,
} as const;
