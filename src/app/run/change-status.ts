import type { ChangeTasks } from "../../domain/prompt/change-tasks.ts";
import type { Scope } from "../../scope/scope.ts";
import type { Store } from "../../store/store.ts";

/** The progress of a change; undefined for other scopes. */
export async function changeStatus(store: Store, scope: Scope): Promise<ChangeTasks | undefined> {
  if (scope.documents === undefined) return undefined;
  const [counts] = await store.counts([scope.key]);
  const { pending = 0, in_progress = 0, parked = 0, done = 0, failed = 0, dropped = 0 } = counts?.leaves ?? {};
  return {
    changeId: scope.key.slice("change/".length),
    planFile: scope.planFiles.join(", "),
    documents: scope.documents,
    all: pending + in_progress + parked + done + failed + dropped,
    settled: done + dropped,
    failed,
    parked,
  };
}
