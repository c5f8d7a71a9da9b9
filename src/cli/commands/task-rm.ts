import { removeTasks } from "../../app/task/change-tasks.ts";
import { taskJson } from "../../domain/task-json.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson } from "../format/task-text.ts";

/** Removes tasks with all beneath them, for good. */
export async function run(input: Input, io: Io): Promise<void> {
  await removeTasks(input.args, caller(input, io), ({ task, removed }) => {
    if (isJson(input)) io.out(`${JSON.stringify({ ...taskJson(task), removed })}\n`);
    const others = removed - 1;
    const beneath = others === 0 ? "" : ` and ${others} task${others === 1 ? "" : "s"} below it`;
    io.err(`Removed ${task.id}${beneath}\n`);
  });
}
