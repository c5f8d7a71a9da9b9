import { addTask } from "../../app/task/add-task.ts";
import { taskJson } from "../../domain/task-json.ts";
import { type Input, listOption, textOption } from "../command.ts";
import { caller, countOption, scopeChoice, wholeOption } from "../flags.ts";
import type { Io } from "../io.ts";
import { gateOption } from "../task-options.ts";
import { isJson } from "../task-text.ts";

/** Adds a task and prints its id, alone, for scripts. */
export async function run(input: Input, io: Io): Promise<void> {
  const task = {
    title: input.args.join(" "),
    needs: listOption(input, "needs"),
    parent: textOption(input, "parent"),
    priority: wholeOption(input, "priority"),
    description: textOption(input, "description"),
    acceptance: listOption(input, "acceptance"),
    tags: listOption(input, "tag"),
    gates: gateOption(input),
    model: textOption(input, "model"),
    attemptLimit: countOption(input, "attempts"),
    allowNoChange: input.options["allowNoChange"] === true,
  };
  const added = await addTask({ task, scope: scopeChoice(input) }, caller(input, io));
  io.out(isJson(input) ? `${JSON.stringify(taskJson(added))}\n` : `${added.id}\n`);
}
