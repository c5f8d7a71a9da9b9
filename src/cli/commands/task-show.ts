import { noteTask } from "../../app/task/change-tasks.ts";
import { showTask } from "../../app/task/show-task.ts";
import { type Input, textOption } from "../command.ts";
import { caller } from "../flags.ts";
import { logJson, logLine, taskPage, taskPageJson } from "../../format/task-page.ts";
import { printChange } from "../print-change.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { isJson, printJson, printJsonArray } from "../json.ts";
import { neededText } from "../task-options.ts";

/** Everything about one task. */
export async function show(input: Input, io: Io): Promise<void> {
  const view = await showTask(input.args[0]!, caller(input, io));
  if (isJson(input)) printJson(io, taskPageJson(view));
  else await printPage(io, taskPage(view));
}

/** Prints what happened to a task, or adds a line to it. */
export async function log(input: Input, io: Io): Promise<void> {
  if (textOption(input, "add") !== undefined) {
    const note = neededText(input, "add", "Write what to note: --add TEXT");
    const task = await noteTask(input.args[0]!, note, caller(input, io));
    return printChange(task, `Added a note to the log of ${task.id}`, { input, io });
  }
  const { task, log } = await showTask(input.args[0]!, caller(input, io));
  if (isJson(input)) return printJsonArray(io, log.map(logJson));
  await printPage(io, log.map((entry) => `${logLine(entry)}\n`).join(""));
  if (log.length === 0) io.err(`The log of ${task.id} is empty\n`);
}
