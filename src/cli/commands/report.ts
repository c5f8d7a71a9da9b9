import { join } from "node:path";
import { makeReport, type RunReport, writeReport } from "../../app/report.ts";
import { RalphError } from "../../domain/error.ts";
import { createRedactor, mapStrings } from "../../domain/redact.ts";
import { version } from "../../domain/version.ts";
import { type Input, textOption } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { caller, scopeChoice } from "../flags.ts";
import { iterationJson, runJson } from "../format/inspect-json.ts";
import type { Io } from "../io.ts";
import { printNoRunsYet } from "../run-messages.ts";
import { reportMarkdown } from "../report/markdown.ts";
import { reportPage } from "../report/page.ts";
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
  const report = await makeReport({ run: asked, scope }, caller(input, io));
  if (report === undefined) return printNoRunsYet(scope, io);
  const text = createRedactor(io.env)(
    asHtml ? reportPage(report, version) : isJson(input) ? json(report, io) : reportMarkdown(report),
  );
  if (output === "-" || (output === undefined && !asHtml)) io.out(text);
  else io.out(`${await writeReport(io.cwd, output ?? join(report.folder, "report.html"), text)}\n`);
  return EXIT_CODES.complete.code;
}

function json(report: RunReport, io: Io): string {
  const { timeline, isRunning, iterations, graph } = report;
  const sessions = iterations.map(iterationJson);
  const run = runJson({ kind: "run", timeline, isRunning, sessions: iterations });
  const all = { ...run, iterations: sessions, tasks: graph.tasks };
  return `${JSON.stringify(mapStrings(all, createRedactor(io.env)), undefined, 2)}\n`;
}
