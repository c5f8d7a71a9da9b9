import { join } from "node:path";
import { makeReport, type RunReport, writeReport } from "../../app/report.ts";
import { RalphError } from "../../domain/error.ts";
import { openRedactor } from "../../app/redactor.ts";
import { mapStrings, type Redactor } from "../../domain/redact.ts";
import { version } from "../../domain/version.ts";
import { type Input, textOption } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { caller, scopeChoice } from "../flags.ts";
import { iterationJson, runJson } from "../../format/inspect-json.ts";
import type { Io } from "../io.ts";
import { printNoRunsYet } from "../run-messages.ts";
import { reportMarkdown } from "../../ui/report/markdown.ts";
import { reportPage } from "../../ui/report/page.tsx";
import { isJson } from "../json.ts";

/** Summarizes a run, as text or with `--html` as a page. */
export async function run(input: Input, io: Io): Promise<number> {
  const asHtml = input.options["html"] === true;
  const output = textOption(input, "output");
  if (asHtml && isJson(input)) {
    throw new RalphError("usage", "--html and --json cannot be used together", { hint: "Leave out --json" });
  }
  const [asked] = input.args;
  const scope = scopeChoice(input);
  const made = await makeReport({ run: asked, scope, withDiffs: asHtml }, caller(input, io));
  if (made === undefined) return printNoRunsYet(scope, io);
  const redact = await openRedactor(caller(input, io));
  // Before it becomes HTML, in which a value may be spelled in another way; and what lies in other places of the report.
  const report = mapStrings(made, redact) as RunReport;
  const text = redact(
    asHtml ? reportPage(report, version) : isJson(input) ? json(report, redact) : reportMarkdown(report),
  );
  if (output === "-" || (output === undefined && !asHtml)) io.out(text);
  else io.out(`${await writeReport(io.cwd, output ?? join(report.folder, "report.html"), text)}\n`);
  return EXIT_CODES.complete.code;
}

function json(report: RunReport, redact: Redactor): string {
  const { timeline, isRunning, iterations, graph } = report;
  const sessions = iterations.map(iterationJson);
  const run = runJson({ kind: "run", timeline, isRunning, sessions: iterations });
  const all = { ...run, iterations: sessions, tasks: graph.tasks };
  return `${JSON.stringify(mapStrings(all, redact), undefined, 2)}\n`;
}
