import { changeTasks } from "../../app/task/change-tasks.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { neededText } from "../task-options.ts";
import { tellChange } from "../task-text.ts";

/** Settles tasks as failed, by a person. */
export async function run(input: Input, io: Io): Promise<void> {
  const reason = neededText(input, "reason", "Say why: --reason TEXT");
  await changeTasks({ ids: input.args, change: { kind: "fail", reason } }, caller(input, io), (task) => {
    tellChange(task, `${task.id} failed: ${reason}`, { input, io });
  });
}
