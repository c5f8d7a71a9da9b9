import { approveTasks } from "../../app/task/approve-tasks.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import { approvedWords } from "../../format/changed-words.ts";
import { printChange } from "../print-change.ts";
import type { Io } from "../io.ts";

/** T-20: records that a person has looked at done tasks and accepts them. */
export async function run(input: Input, io: Io): Promise<void> {
  for (const approved of await approveTasks(input.args, caller(input, io))) {
    printChange(approved.task, approvedWords(approved), { input, io });
  }
}
