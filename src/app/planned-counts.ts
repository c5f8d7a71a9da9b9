import { RalphError } from "../domain/error.ts";
import type { ScopeCounts, Store } from "../store/store.ts";
import { plansOf } from "./run/plans.ts";
import { changesIn, projectsIn } from "./scopes.ts";
import type { Caller } from "./task/caller.ts";
import { openWorkspace, openWorkspaceScope } from "./workspace.ts";

/** The tasks of each scope as the first run would find them: with those that only plan files name. Nothing of it stays. */
export async function plannedCounts(
  store: Store,
  caller: Caller,
  scope: string | undefined,
): Promise<readonly ScopeCounts[]> {
  const workspace = await openWorkspace(caller);
  const { root } = workspace;
  const choices = [
    { key: "workspace", choice: {} },
    ...(await projectsIn(workspace)),
    ...(await changesIn(workspace)),
  ].filter(({ key }) => scope === undefined || key === scope);
  return await store.preview(async (preview) => {
    for (const { choice } of choices) {
      try {
        const opened = await openWorkspaceScope(workspace, choice);
        const plans = plansOf({ store: preview, root, tree: root, scope: opened, isReadOnly: true });
        for (const problem of (await plans.follow({ editor: "person" })).problems) caller.notice(problem);
      } catch (error) {
        // One scope that cannot be read must not hide the others.
        if (!(error instanceof RalphError)) throw error;
        caller.notice(error.message);
      }
    }
    return await preview.counts(scope === undefined ? undefined : [scope]);
  });
}
