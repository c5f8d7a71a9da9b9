import { editTask } from "../app/task/change-tasks.ts";
import { showTask } from "../app/task/show-task.ts";
import { taskPatch, taskText } from "../domain/task-text.ts";
import type { Input } from "./command.ts";
import { editText } from "./edit-text.ts";
import { caller } from "./flags.ts";
import type { Io } from "./io.ts";
import { printChange } from "./print-change.ts";

/** Opens a task in the person's editor. */
export async function editInEditor(input: Input, io: Io): Promise<void> {
  const { task } = await showTask(input.args[0]!, caller(input, io));
  const isChanged = await editText(io, {
    text: taskText(task),
    name: `${task.id.replaceAll("/", "-")}.md`,
    take: async ({ to }) => {
      const patch = taskPatch(task, to);
      const fields = Object.keys(patch);
      if (fields.length === 0) return false;
      const changed = await editTask(task.id, patch, caller(input, io));
      printChange(changed, `${task.id} changed: ${fields.join(", ")}`, { input, io });
      return true;
    },
  });
  if (!isChanged) io.err(`${task.id} is as it was\n`);
}
