import { changeTasks } from "../../app/task/change-tasks.ts";
import { type Input, textOption } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { saidInSession } from "../task-claim.ts";
import { neededText } from "../task-options.ts";
import { tellChange } from "../format/task-text.ts";

/** Settles tasks as failed, by a person; an agent can only say that its own has. */
export async function run(input: Input, io: Io): Promise<void> {
  const needed = (): string => neededText(input, "reason", "Say why: --reason TEXT");
  const text = (words: string): string =>
    textOption(input, "reason") === undefined && words !== "" ? words : needed();
  if (await saidInSession(input, io, { claim: "failed", text })) return;
  const reason = needed();
  await changeTasks({ ids: input.args, change: { kind: "fail", reason } }, caller(input, io), (task) => {
    tellChange(task, `${task.id} failed: ${reason}`, { input, io });
  });
}
