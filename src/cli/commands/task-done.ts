import { changeTasks } from "../../app/task/change-tasks.ts";
import { type Input, textOption } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { saidInSession } from "../task-door.ts";
import { tellChange } from "../task-text.ts";

/** Settles tasks as done, by a person; an agent can only claim that its own is. */
export async function run(input: Input, io: Io): Promise<void> {
  const summary = textOption(input, "summary");
  if (await saidInSession(input, io, { claim: "done", text: (words) => summary ?? words })) return;
  await changeTasks({ ids: input.args, change: { kind: "complete", summary } }, caller(input, io), (task) => {
    tellChange(task, `${task.id} is done`, { input, io });
  });
}
