import type { TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";

/** What an agent said of its task through a command (P-13). It has the rank of a sigil: a claim, never proof. */
export interface CommandClaim {
  readonly claim: "done" | "failed" | "parked";
  /** The summary, the reason or the question; may be empty for `done`. */
  readonly text: string;
}

/** How a claim is called in the log of a task. */
const KIND = "claim";

/** Writes a claim down, for the loop to find when the session has ended. */
export async function recordDoorClaim(
  store: Store,
  task: TaskId,
  { attempt, claim, text }: CommandClaim & { readonly attempt: string },
): Promise<void> {
  await store.note(task, { by: "agent", kind: KIND, text: JSON.stringify({ attempt, claim, text }) });
}

/** What this attempt claimed last; undefined when it claimed nothing this way. */
export async function readCommandClaim(store: Store, task: TaskId, attempt: string): Promise<CommandClaim | undefined> {
  if ((await store.get(task)) === undefined) return undefined;
  const claims = (await store.log(task, [KIND])).flatMap(({ by, text }) =>
    by === "agent" ? claimIn(text, attempt) : [],
  );
  return claims.at(-1);
}

/** Whatever else is in the log, by whoever wrote it, is passed over. */
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
