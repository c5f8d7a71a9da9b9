import { changeTasks } from "../../app/task/change-tasks.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { saidInSession } from "../task-claim.ts";
import { wordsFrom } from "../task-options.ts";
import { tellChange } from "../format/task-text.ts";

/** Sets a task aside until a question is answered. */
export async function run(input: Input, io: Io): Promise<void> {
  const question = wordsFrom(input, 1, "question");
  if (await saidInSession(input, io, { claim: "parked", text: () => question })) return;
  await changeTasks({ ids: [input.args[0]!], change: { kind: "park", question } }, caller(input, io), (task) => {
    tellChange(task, `${task.id} is parked. Answer with: ralphctl task answer ${task.id} TEXT`, { input, io });
  });
}
