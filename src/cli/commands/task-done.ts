import { changeTasks } from "../../app/task/change-tasks.ts";
import { type Input, textOption } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { tellChange } from "../task-text.ts";

/** Settles tasks as done, by a person. */
export async function run(input: Input, io: Io): Promise<void> {
  await changeTasks(
    { ids: input.args, change: { kind: "complete", summary: textOption(input, "summary") } },
    caller(input, io),
    (task) => {
      tellChange(task, `${task.id} is done`, { input, io });
    },
  );
}
