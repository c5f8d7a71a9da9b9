import { changeTasks } from "../../app/task/change-tasks.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { tellChange } from "../format/task-text.ts";

/** Opens tasks again, with all their attempts. */
export async function run(input: Input, io: Io): Promise<void> {
  await changeTasks({ ids: input.args, change: { kind: "reset" } }, caller(input, io), (task) => {
    tellChange(task, `${task.id} is pending again`, { input, io });
  });
}
