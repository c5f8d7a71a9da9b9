import { addTask, addTasks } from "../../app/task/add-task.ts";
import { RalphError } from "../../domain/error.ts";
import { taskJson } from "../../domain/task-json.ts";
import type { Task } from "../../domain/task.ts";
import { type Input, listOption, textOption } from "../command.ts";
import { caller, countOption, scopeChoice, wholeOption } from "../flags.ts";
import type { Io } from "../io.ts";
import { gateOption, textsOption } from "../task-options.ts";
import { isJson } from "../json.ts";

/** Adds one task, or those listed on standard input, and prints only the ids, for scripts. */
export async function run(input: Input, io: Io): Promise<void> {
  const isMany = input.args.length === 1 && input.args[0] === "-";
  const added = isMany ? await addListed(input, io) : [await addOne(input, io)];
  io.out(added.map((task) => `${isJson(input) ? JSON.stringify(taskJson(task)) : task.id}\n`).join(""));
}

/** Options about one task do not apply to a list. */
async function addListed(input: Input, io: Io): Promise<readonly Task[]> {
  const one = OF_ONE.find((name) => input.options[name] !== undefined);
  if (one !== undefined) {
    throw new RalphError("usage", `--${flagOf(one)} applies to one task, but standard input lists many`, {
      hint: 'Put it into the list, as JSONL: {"title": "…", "needs": ["…"]}',
    });
  }
  return await addTasks(await io.readInput(), scopeChoice(input), caller(input, io));
}

const OF_ONE = [
  "needs",
  "parent",
  "priority",
  "description",
  "acceptance",
  "tag",
  "gate",
  "model",
  "attempts",
  "allowNoChange",
  "mayChange",
];

const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

async function addOne(input: Input, io: Io): Promise<Task> {
  const task = {
    title: input.args.join(" "),
    needs: listOption(input, "needs"),
    parent: textOption(input, "parent"),
    priority: wholeOption(input, "priority"),
    description: textOption(input, "description"),
    acceptance: textsOption(input, "acceptance"),
    tags: textsOption(input, "tag"),
    gates: gateOption(input),
    model: textOption(input, "model"),
    attemptLimit: countOption(input, "attempts"),
    allowNoChange: input.options["allowNoChange"] === true,
    mayChange: textsOption(input, "mayChange"),
  };
  return await addTask({ task, scope: scopeChoice(input) }, caller(input, io));
}
