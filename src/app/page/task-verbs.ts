import type { StandingKind } from "../../domain/standing.ts";
import type { Task, TaskStatus } from "../../domain/task.ts";
import type { Store } from "../../store/store.ts";
import { offeredPaths } from "../task/allow-task.ts";

/** U-04: what a person can do about a task on the page, what helps most first. `standing`: of a done one. */
export async function verbsFor(store: Store, task: Task, standing?: StandingKind): Promise<readonly string[]> {
  const allow = (await offeredPaths(store, task)).length > 0 ? ["allow"] : [];
  const approve = standing === "proven" || standing === "word" ? [] : ["approve"];
  const verbs: Readonly<Record<TaskStatus, readonly string[]>> = {
    parked: [...allow, "answer", "drop", "context"],
    // To try again and to reset is the same for a failed task.
    failed: [...allow, "retry", "drop", "context"],
    done: [...approve, "reset"],
    dropped: ["reset"],
    in_progress: ["context"],
    pending: [...allow, "park", "drop", "context"],
  };
  return verbs[task.status];
}
