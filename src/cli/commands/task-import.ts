import { type ImportReport, importTasks } from "../../app/task/import-tasks.ts";
import { printableLine } from "../../domain/printable.ts";
import { type Input, textOption } from "../command.ts";
import { caller, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";

/** Adds the tasks of a file, or of standard input. */
export async function run(input: Input, io: Io): Promise<void> {
  const [file] = input.args;
  const { progress } = io;
  try {
    const report = await importTasks(
      {
        file: file === "-" ? undefined : file,
        input: io.inputBytes,
        format: textOption(input, "format"),
        scope: scopeChoice(input),
        onProgress: progress && ((tasks, step) => progress(`${tasks} tasks ${step} …`)),
      },
      caller(input, io),
    );
    progress?.("");
    if (isJson(input)) printJson(io, report);
    else io.out(reportText(report));
    if ("settled" in report) for (const notice of report.notices) io.err(`${printableLine(notice)}\n`);
    if (!("kind" in report)) return;
    for (const { line, message } of report.notices) {
      io.err(`${printableLine(report.file)}, line ${line}: ${printableLine(message)}\n`);
    }
  } catch (error) {
    progress?.("");
    throw error;
  }
}

function databaseText({ added, kept, settled }: Extract<ImportReport, { readonly settled: number }>): string {
  const left = settled === 0 ? "" : `; ${settled} that are done or given up were left there`;
  return `${added} added, ${kept} kept${left}\n`;
}

const entryText = (format: string): string =>
  format.endsWith(".md") ? "an entry is a line such as `- [ ] Write the parser`" : `it was read as ${format}`;

function reportText(report: ImportReport): string {
  if ("settled" in report) return databaseText(report);
  if (!("kind" in report) && report.added + report.updated + report.kept === 0) return "No entries\n";
  if (!("kind" in report)) return `${report.added} added, ${report.updated} updated, ${report.kept} kept\n`;
  const line = (word: string) => (task: { id: string; title: string }) =>
    `${word.padEnd(8)}  ${task.id}  ${printableLine(task.title)}\n`;
  const fresh = new Set(report.added.map(({ id }) => id));
  const lines = [
    ...report.added.map(line("added")),
    ...report.updated.map(line("updated")),
    ...report.revived.map(line("revived")),
    ...report.marked
      .filter(({ id }) => !fresh.has(id))
      .map((task) => line(task.mark === "open" ? "reopened" : task.mark)(task)),
  ];
  if (lines.length > 0) return lines.join("");
  const file = printableLine(report.file);
  return report.entries === 0 ? `No entries in ${file}: ${entryText(report.format)}\n` : `Nothing new in ${file}\n`;
}
