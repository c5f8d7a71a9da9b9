import { patchText } from "../../app/inspect/iteration.ts";
import { inspect, type Inspected, listSessions } from "../../app/inspect/inspect.ts";
import { RalphError } from "../../domain/error.ts";
import { openRedactor } from "../../app/redactor.ts";
import { mapStrings, type Redactor } from "../../domain/redact.ts";
import { writeReport } from "../../app/report.ts";
import { type Input, textOption } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { caller, scopeChoice } from "../flags.ts";
import { attemptsJson, iterationJson, runJson, sessionJson } from "../../format/inspect-json.ts";
import type { Io } from "../io.ts";
import { iterationPage } from "../../format/iteration-page.ts";
import { printNoRunsYet } from "../run-messages.ts";
import { printPage } from "../page.ts";
import { isJson, printJson, printJsonArray } from "../json.ts";
import { attemptsText, timelineText } from "../../format/timeline-text.ts";

/** Shows a run, an iteration or a task; by default the newest run. */
export async function run(input: Input, io: Io): Promise<number> {
  const output = textOption(input, "output");
  if (output === undefined) return await show(input, io);
  if (input.options["diff"] === true) {
    throw new RalphError("usage", "--output writes JSON, and a patch is none", {
      hint: "Write ralphctl inspect 3 --diff > FILE",
    });
  }
  const asJson = { ...input, options: { ...input.options, json: true } };
  if (output === "-") return await show(asJson, io);
  let text = "";
  const code = await show(asJson, { ...io, out: (piece) => (text += piece) });
  if (text !== "") io.out(`${await writeReport(io.cwd, output, text)}\n`);
  return code;
}

async function show(input: Input, io: Io): Promise<number> {
  const [subject] = input.args;
  const redact = await openRedactor(caller(input, io));
  const scope = scopeChoice(input);
  if (isJson(input) && subject === undefined) {
    // A list of every session with its scope.
    const sessions = await listSessions(scope, caller(input, io));
    printJsonArray(
      io,
      sessions.map((session) => mapStrings(sessionJson(session), redact)),
    );
  } else {
    const found = await inspect({ subject, scope }, caller(input, io));
    if (input.options["diff"] === true) await printDiff(found, io, redact);
    else if (found.kind === "none") return printNoRunsYet(scope, io);
    else if (isJson(input)) printJson(io, mapStrings(jsonOf(found), redact));
    else await printPage(io, redact(textOf(found, io.cwd)));
  }
  return EXIT_CODES.complete.code;
}

type Found = Exclude<Inspected, { readonly kind: "none" }>;

function textOf(found: Found, cwd: string): string {
  if (found.kind === "run") return timelineText(found, Date.now());
  return found.kind === "task" ? attemptsText(found.task, found.attempts, cwd) : iterationPage(found.iteration, cwd);
}

function jsonOf(found: Found): unknown {
  if (found.kind === "run") return runJson(found);
  return found.kind === "task" ? attemptsJson(found.task, found.attempts) : iterationJson(found.iteration);
}

/** Prints only the patch, so that it can be applied or paged. */
async function printDiff(found: Inspected, io: Io, redact: Redactor): Promise<void> {
  if (found.kind !== "iteration") {
    throw new RalphError("usage", "--diff shows what one iteration changed", {
      hint: "Name it: ralphctl inspect 3 --diff",
    });
  }
  const { patch } = found.iteration;
  if (patch === undefined) io.err("No patch: ralphctl writes one when it judges a claim with changes\n");
  else {
    for await (const text of patchText(patch)) {
      io.out(redact(text));
      await io.drained();
    }
  }
}
