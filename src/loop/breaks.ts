import { type Check, checkName, type DecayFinding, gatesWithBroken, reopenReason } from "../domain/decay.ts";
import { isSettled, type Task, type TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import { readCommit } from "../system/git/line.ts";
import { isAncestor } from "../system/git/ref.ts";
import type { Repository } from "../system/git/repository.ts";

// T-30: the store remembers for which breaks a task was reopened, so that none is reopened for the same one twice.

interface Break {
  /** The name of the check. */
  readonly check: string;
  readonly commit: string;
  readonly task: TaskId;
}

const KEY = "breaks";
const MOST = 500;

/** The open task that was reopened for this gate, if the commit that broke it is in the history of `head`. */
export async function openBreak(
  { store, home }: { readonly store: Store; readonly home: Repository },
  check: Check,
  head: string,
): Promise<Required<Pick<DecayFinding, "commit" | "culprit">> | undefined> {
  const name = checkName(check);
  for (const known of breaksIn(await store.getMeta(KEY)).toReversed()) {
    if (known.check !== name) continue;
    const culprit = await store.get(known.task);
    if (culprit === undefined || isSettled(culprit.status)) continue;
    if (await isAncestor(home, known.commit, head)) return { commit: await readCommit(home, known.commit), culprit };
  }
  return undefined;
}

export type Reopened = { readonly action: Exclude<DecayFinding["action"], "none">; readonly task?: Task };

/** Reopens a task with everything that its commits broke. After a crash in between, the next check does the rest. */
export async function reopenFor(store: Store, task: Task, broken: readonly DecayFinding[]): Promise<Reopened> {
  const current = await store.get(task.id);
  if (current === undefined || current.isParent || current.status === "dropped") return { action: "proposed" };
  // Its session does not know of the break. If that is not mended by the way, the next check reopens the task.
  if (current.status === "in_progress") return { action: "open" };
  const known = breaksIn(await store.getMeta(KEY));
  const fresh = broken
    .map(({ check, commit }): Break => ({ check: checkName(check), commit: commit?.id ?? "", task: task.id }))
    .filter((one) => !known.some((other) => isSame(one, other)));
  const isDone = current.status === "done";
  if (fresh.length === 0) return { action: isDone ? "again" : "open" };
  const checks = broken.map(({ check }) => check);
  const gates = gatesWithBroken(current, checks);
  if (gates.length > current.gates.length) await store.update(task.id, { gates }, "loop");
  const change = { kind: "reset", reason: reopenReason(broken) } as const;
  const reopened = isDone ? await store.change(task.id, change, "loop") : undefined;
  await store.updateMeta(KEY, (before) => [...breaksIn(before), ...fresh].slice(-MOST));
  return reopened === undefined ? { action: "open" } : { action: "reopened", task: reopened };
}

const isSame = (one: Break, other: Break): boolean =>
  one.check === other.check && one.commit === other.commit && one.task === other.task;

function breaksIn(meta: unknown): Break[] {
  return (Array.isArray(meta) ? (meta as Partial<Break>[]) : []).filter(
    (one): one is Break =>
      typeof one?.check === "string" && typeof one.commit === "string" && typeof one.task === "string",
  );
}
