import { changeTasks } from "../../app/task/change-tasks.ts";
import { type Input, textOption } from "../command.ts";
import { caller } from "../flags.ts";
import { printChange } from "../format/task-text.ts";
import type { Io } from "../io.ts";
import { claimInSession } from "../task-claim.ts";
import { neededText, wordsFrom } from "../task-options.ts";

type Change = Parameters<typeof changeTasks>[0]["change"];

async function change(input: Input, io: Io, { ids = input.args, change, told }: ChangeCommand): Promise<void> {
  await changeTasks({ ids, change }, caller(input, io), (task) => {
    printChange(task, `${task.id} ${told(task.id)}`, { input, io });
  });
}

interface ChangeCommand {
  /** Default: all arguments. */
  readonly ids?: readonly string[];
  readonly change: Change;
  readonly told: (id: string) => string;
}

/** Opens tasks again, with all their attempts. */
export const resetTasks = async (input: Input, io: Io): Promise<void> =>
  await change(input, io, { change: { kind: "reset" }, told: () => "is pending again" });

/** Settles tasks as not to be done. */
export const dropTasks = async (input: Input, io: Io): Promise<void> =>
  await change(input, io, {
    change: { kind: "drop", reason: textOption(input, "reason") },
    told: () => "is dropped",
  });

/** Answers the question of a parked task, which opens it again. */
export const answerTask = async (input: Input, io: Io): Promise<void> =>
  await change(input, io, {
    ids: input.args.slice(0, 1),
    change: { kind: "answer", answer: wordsFrom(input, 1, "answer") },
    told: () => "is pending again, with the answer in its description",
  });

/** Sets a task aside until a question is answered. */
export async function parkTask(input: Input, io: Io): Promise<void> {
  const question = wordsFrom(input, 1, "question");
  if (await claimInSession(input, io, { claim: "parked", text: () => question })) return;
  await change(input, io, {
    ids: input.args.slice(0, 1),
    change: { kind: "park", question },
    told: (id) => `is parked. Answer with: ralphctl task answer ${id} TEXT`,
  });
}

/** Settles tasks as failed, by a person; an agent can only say that its own has. */
export async function failTasks(input: Input, io: Io): Promise<void> {
  const needed = (): string => neededText(input, "reason", "Say why: --reason TEXT");
  const text = (words: string): string =>
    textOption(input, "reason") === undefined && words !== "" ? words : needed();
  if (await claimInSession(input, io, { claim: "failed", text })) return;
  const reason = needed();
  await change(input, io, { change: { kind: "fail", reason }, told: () => `failed: ${reason}` });
}
