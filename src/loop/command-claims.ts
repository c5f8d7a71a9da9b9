import type { TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";

/** A claim that an agent made with a command (P-13). Like a sigil, it is never proof. */
export interface CommandClaim {
  readonly claim: "done" | "failed" | "parked";
  /** The summary, the reason or the question; may be empty for `done`. */
  readonly text: string;
}

/** The kind of log entry that holds a claim. */
const KIND = "claim";

/** Records a claim in the task's log, where the loop finds it when the session has ended. */
export async function recordCommandClaim(
  store: Store,
  task: TaskId,
  { attempt, claim, text }: CommandClaim & { readonly attempt: string },
): Promise<void> {
  await store.note(task, { by: "agent", kind: KIND, text: JSON.stringify({ attempt, claim, text }) });
}

/** The last claim that this attempt made with a command. */
export async function readCommandClaim(store: Store, task: TaskId, attempt: string): Promise<CommandClaim | undefined> {
  if ((await store.get(task)) === undefined) return undefined;
  const claims = (await store.log(task, [KIND])).flatMap(({ by, text }) =>
    by === "agent" ? claimIn(text, attempt) : [],
  );
  return claims.at(-1);
}

/** Ignores entries that are not claims of this attempt: anybody may write to the log. */
function claimIn(text: string, attempt: string): CommandClaim[] {
  try {
    const read = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    const claim = (["done", "failed", "parked"] as const).find((word) => word === read?.["claim"]);
    if (claim === undefined || read?.["attempt"] !== attempt || typeof read["text"] !== "string") return [];
    return [{ claim, text: read["text"] }];
  } catch {
    return [];
  }
}
