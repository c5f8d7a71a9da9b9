import { changeTasks } from "../../app/task/change-tasks.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { wordsFrom } from "../task-options.ts";
import { tellChange } from "../format/task-text.ts";

/** Answers the question of a parked task, which opens it again. */
export async function run(input: Input, io: Io): Promise<void> {
  const answer = wordsFrom(input, 1, "answer");
  await changeTasks({ ids: [input.args[0]!], change: { kind: "answer", answer } }, caller(input, io), (task) => {
    tellChange(task, `${task.id} is pending again, with the answer in its description`, { input, io });
  });
}
