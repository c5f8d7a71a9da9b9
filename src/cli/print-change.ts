import { printable } from "../domain/printable.ts";
import { taskJson } from "../domain/task-json.ts";
import type { Task } from "../domain/task.ts";
import type { Input } from "./command.ts";
import type { Io } from "./io.ts";
import { isJson } from "./json.ts";

/** Prints a sentence for a person, and with `--json` the changed task. */
export function printChange(task: Task, sentence: string, { input, io }: { input: Input; io: Io }): void {
  if (isJson(input)) io.out(`${JSON.stringify(taskJson(task))}\n`);
  io.err(`${printable(sentence)}\n`);
}
