import { RalphError } from "../../domain/error.ts";
import type { ScopeFacts } from "../../domain/scope-state.ts";
import type { ScopeCounts, Store } from "../../store/store.ts";
import { openWorkspaceScope, type ScopeChoice, type Workspace } from "../workspace.ts";
import { chooseWork } from "./choose-work.ts";
import { plansOf } from "./plans.ts";

/** The work in a scope, as a run would find it. */
export interface ScopeWork {
  readonly next: ScopeFacts["next"];
  /** Its tasks, with those of the plan file; undefined without any. */
  readonly counts: ScopeCounts | undefined;
  /** Why something of it could not be read. */
  readonly problems: readonly string[];
}

/** `store` is a preview: it follows plan files in it, and nothing of that stays. */
export async function scopeWork(store: Store, workspace: Workspace, choice: ScopeChoice): Promise<ScopeWork> {
  try {
    return await look(store, workspace, choice);
  } catch (error) {
    // One scope that cannot be read must not hide the others.
    if (!(error instanceof RalphError)) throw error;
    return { next: "nothing", counts: undefined, problems: [error.message] };
  }
}

async function look(store: Store, workspace: Workspace, choice: ScopeChoice): Promise<ScopeWork> {
  const { root } = workspace;
  const scope = await openWorkspaceScope(workspace, choice);
  const { problems } = await plansOf({ store, root, tree: root, scope, isReadOnly: true }).follow({ editor: "person" });
  const [counts] = await store.counts([scope.key]);
  const work = await chooseWork({ store, workspace, scope, request: { mode: "auto" } });
  if (work.kind !== "build") return { next: work.kind, counts, problems };
  // The prompt file may have become a task only now.
  const [now] = await store.counts([scope.key]);
  const canGoOn = now !== undefined && now.ready + now.retry > 0;
  return { next: canGoOn ? "build" : "nothing", counts, problems };
}
