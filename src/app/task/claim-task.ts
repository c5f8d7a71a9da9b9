import { RalphError } from "../../domain/error.ts";
import type { SessionPlace } from "../../domain/run/session.ts";
import type { Task, TaskId } from "../../domain/task.ts";
import { type CommandClaim, recordCommandClaim } from "../../loop/command-claims.ts";
import type { Store } from "../../store/store.ts";
import { type Caller, writing } from "./caller.ts";

export interface TaskClaim extends CommandClaim {
  /** The typed id or prefix of the assigned task. */
  readonly id: string;
  /** The words after it: none of them may be a task. */
  readonly words: readonly string[];
  readonly session: SessionPlace;
}

/** Records an agent's claim about its task (P-13). The loop judges it after the session. */
export async function claimTask({ id, words, session, claim, text }: TaskClaim, caller: Caller): Promise<Task> {
  const { attempt, task } = session;
  if (task === undefined) {
    throw new RalphError("usage", "This session has no assigned task, so it cannot claim one", {
      hint: "Write the plan: tasks are worked on in later sessions",
    });
  }
  return await writing(caller, async ({ store }) => {
    if ((await found(store, id)) !== task) throw notAssigned(task);
    for (const word of words) if ((await store.get(word)) !== undefined) throw notAssigned(task);
    await recordCommandClaim(store, task, { attempt, claim, text });
    return (await store.get(task))!;
  });
}

async function found(store: Store, text: string): Promise<TaskId | undefined> {
  try {
    return await store.resolve(text);
  } catch (error) {
    if (error instanceof RalphError) return undefined;
    throw error;
  }
}

const notAssigned = (task: TaskId): RalphError =>
  new RalphError("usage", `This session can claim only its own task: ${task}`, {
    hint: `Name that one alone, or note in its log what you found: ralphctl task log ${task} --add TEXT`,
  });
