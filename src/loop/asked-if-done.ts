import type { Task, TaskId } from "../domain/task.ts";
import type { StatusChange } from "../domain/transition.ts";
import type { Store } from "../store/store.ts";

// T-22: a task that may be done already is a question for a person, and the person's word settles it.

/** Called before the task is parked. An agent can ask the same words, but a "yes" to it settles nothing. */
export const rememberQuestion = async (store: Store, id: TaskId, question: string): Promise<void> =>
  await store.setMeta(keyOf(id), question);

/** Whether the loop asks if a task is done already. */
export const isAskedIfDone = async (store: Store, { id, status, question }: Task): Promise<boolean> =>
  status === "parked" && question !== undefined && (await store.getMeta(keyOf(id))) === question;

/** Settles a parked task by the word of a person: answers its question and ends it, in one step. */
export async function settleParked(
  store: Store,
  task: Task,
  { answer, change }: { readonly answer: string; readonly change: StatusChange },
): Promise<Task> {
  const { id } = task;
  const by = "person";
  await store.apply(
    {
      change: [
        { id, when: "parked", change: { kind: "answer", answer }, by },
        { id, when: "pending", change, by },
      ],
      meta: [{ key: keyOf(id), value: undefined }],
    },
    by,
  );
  return (await store.get(id))!;
}

const keyOf = (id: TaskId): string => `already-done/${id}`;
