import { editTask } from "../../app/task/change-tasks.ts";
import { RalphError } from "../../domain/error.ts";
import type { TaskPatch } from "../../domain/task-input.ts";
import { type Input, textOption } from "../command.ts";
import { caller, countOption, wholeOption } from "../flags.ts";
import type { Io } from "../io.ts";
import { gateOption, textsOption } from "../task-options.ts";
import { printChange } from "../format/task-text.ts";

/** Edits the fields of a task; other commands change its state. */
export async function run(input: Input, io: Io): Promise<void> {
  const patch = patchOf(input);
  const fields = Object.keys(patch);
  if (fields.length === 0) {
    throw new RalphError("usage", "Nothing to change: no option was given", {
      hint: "Give an option, for example --priority 1",
    });
  }
  const task = await editTask({ id: input.args[0]!, patch }, caller(input, io));
  printChange(task, `${task.id} changed: ${fields.join(", ")}`, { input, io });
}

/** Only the given options; other fields stay. */
function patchOf(input: Input): TaskPatch {
  const allow = textOption(input, "allowNoChange");
  const patch: TaskPatch = {
    title: textOption(input, "title"),
    description: textOption(input, "description"),
    acceptance: textsOption(input, "acceptance"),
    priority: wholeOption(input, "priority"),
    tags: textsOption(input, "tag"),
    gates: gateOption(input),
    model: orNone(textOption(input, "model")),
    allowNoChange: allow === undefined ? undefined : allow === "yes",
    attemptLimit: textOption(input, "attempts") === "none" ? null : countOption(input, "attempts"),
    summary: textOption(input, "summary"),
    parent: orNone(textOption(input, "parent")),
  };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

const orNone = (text: string | undefined): string | null | undefined => (text === "none" ? null : text);
