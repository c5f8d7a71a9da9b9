import type { TaskId } from "../domain/task.ts";
import type { RevertedTask, StoreFile, TaskSnapshot } from "../store/store.ts";

/** A change of a task that a session made without ralphctl, and that was undone. */
export interface UndoneChange {
  readonly id: TaskId;
  readonly title: string;
  /** A sentence for the agent and the record, without a full stop. */
  readonly what: string;
}

/** After a session, and after `guard()`: undoes what the session did to the tasks without ralphctl (W-02). */
export async function revertTampering(file: StoreFile, before: TaskSnapshot): Promise<UndoneChange[]> {
  const reverted = await file.revertTampering(before);
  return reverted.map((one) => ({ id: one.id, title: one.title, what: sentence(one) }));
}

function sentence({ id, kind, fields, status }: RevertedTask): string {
  if (kind === "deleted") return `${id} was deleted without ralphctl: it was put back`;
  if (kind === "inserted") return `${id} was added without ralphctl: it was removed; use ralphctl task add`;
  if (kind === "counted") return `What ${id} waits for was changed without ralphctl: it was put back`;
  const things = fields.map((name) =>
    name === "status" && status !== undefined && status.before !== status.found && fields.length > 1
      ? `state (from ${status.before} to ${status.found})`
      : (WORDS[name] ?? name),
  );
  const isOne = things.length === 1;
  const move = isOne && status !== undefined ? ` from ${status.before} to ${status.found}` : "";
  const verb = isOne && !isPlural(fields[0]!) ? ["was", "it was"] : ["were", "they were"];
  return `The ${listed(things)} of ${id} ${verb[0]} changed${move} without ralphctl: ${verb[1]} put back`;
}

/** Words for fields whose name is not plain English. */
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
