import type { TaskId } from "../domain/task.ts";
import type { TaskSnapshot, RevertedTask, Store } from "../store/store.ts";

/** What a session did to a task other than through a channel, and that it was undone. */
export interface UndoneChange {
  readonly id: TaskId;
  readonly title: string;
  /** A sentence for the agent and the record, without a full stop. */
  readonly what: string;
}

/** Before a session: what it must not change but through a channel (W-02). */
export const snapshotTasks = (store: Store): Promise<TaskSnapshot> => store.hold();

/** After a session, and after `store.guard()`: undoes what did not come through a channel, and says what that was. */
export async function revertTampering(
  store: Store,
  held: TaskSnapshot,
): Promise<{ readonly undone: readonly UndoneChange[] }> {
  const undone = await store.revertTampering(held);
  return { undone: undone.map((one) => ({ id: one.id, title: one.title, what: sentence(one) })) };
}

function sentence({ id, kind, fields, status }: RevertedTask): string {
  if (kind === "deleted") return `${id} was deleted without ralphctl: it was put back`;
  if (kind === "inserted") return `${id} was added without ralphctl: it was removed; use ralphctl task add`;
  if (kind === "counted") return `What ${id} waits for was changed without ralphctl: it was put back`;
  const things = fields.map((name) =>
    name === "status" && status !== undefined && status.held !== status.found && fields.length > 1
      ? `state (from ${status.held} to ${status.found})`
      : (WORDS[name] ?? name),
  );
  const isOne = things.length === 1;
  const move = isOne && status !== undefined ? ` from ${status.held} to ${status.found}` : "";
  const verb = isOne && !isPlural(fields[0]!) ? ["was", "it was"] : ["were", "they were"];
  return `The ${listed(things)} of ${id} ${verb[0]} changed${move} without ralphctl: ${verb[1]} put back`;
}

/** A field of a task, as one says it to somebody who has not read our types. */
const WORDS: Readonly<Record<string, string>> = {
  status: "state",
  attemptLimit: "limit of attempts",
  allowNoChange: "rule about changes",
  retry: "right to another attempt",
  acceptance: "acceptance criteria",
};

const isPlural = (field: string): boolean =>
  ["needs", "attempts", "gates", "tags", "times", "acceptance"].includes(field);

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
