import { changeTasks } from "../../app/task/change-tasks.ts";
import { type Input, textOption } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { tellChange } from "../format/task-text.ts";

/** Settles tasks as not to be done. */
export async function run(input: Input, io: Io): Promise<void> {
  await changeTasks(
    { ids: input.args, change: { kind: "drop", reason: textOption(input, "reason") } },
    caller(input, io),
    (task) => {
      tellChange(task, `${task.id} is dropped`, { input, io });
    },
  );
}
