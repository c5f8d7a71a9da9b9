import { showTask } from "../../app/task/show-task.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { taskPage, taskPageJson } from "../format/task-page.ts";
import { isJson } from "../format/task-text.ts";

/** Everything about one task. */
export async function run(input: Input, io: Io): Promise<void> {
  const view = await showTask(input.args[0]!, caller(input, io));
  io.out(isJson(input) ? `${JSON.stringify(taskPageJson(view), undefined, 2)}\n` : taskPage(view));
}
