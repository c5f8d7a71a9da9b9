import { join, relative } from "node:path";
import { rememberCreated } from "../../loop/plan-texts.ts";
import type { Store } from "../../store/store.ts";
import { targetOf } from "../../system/git/landing.ts";
import { readHead } from "../../system/git/ref-files.ts";
import { withRepository } from "../../system/git/repository.ts";
import { readTextFile } from "../../system/text-file.ts";
import { openWorkspace, openWorkspaceScope, type Surroundings, type Workspace } from "../workspace.ts";
import { requireTrust } from "../trust/trust.ts";
import { plansOf } from "../run/plans.ts";
import { prepareHooks } from "../run/run-hooks.ts";
import { closeStore, openStore } from "../task-store.ts";
import { LIMIT_BYTES, type ProgressStart, startProgress } from "./start-progress.ts";
import { openSprint } from "./open-sprint.ts";
import { sprintRun } from "./sprint-run.ts";

export interface StartedSprint {
  readonly id: string;
  readonly folder: string;
  readonly shape: "ralph" | "phases";
  /** What was done with PROGRESS.yaml. */
  readonly progress: ProgressStart;
  /** Steps and phases that became tasks. */
  readonly added: number;
  readonly warnings: readonly string[];
}

/** Checks a sprint's files, creates its PROGRESS.yaml and its tasks. Idempotent. */
export async function startSprint(
  { directory, isStrict }: { readonly directory: string; readonly isStrict: boolean },
  surroundings: Surroundings,
): Promise<StartedSprint> {
  const workspace = await openWorkspace(surroundings);
  const scope = await openWorkspaceScope(workspace, { sprint: directory });
  // A scope with a sprint has one.
  const sprint = (await openSprint(workspace, scope, { isStrict }))!;
  // The gates of its phases become gates of tasks, which any later command may run.
  await requireTrust(workspace, surroundings, { sprint });
  // A hook that names something missing would prevent every run.
  await prepareHooks(sprint.hooks, workspace, surroundings.env);
  const opened = await openStore(surroundings.cwd, surroundings.env);
  try {
    const { store } = opened;
    const progress = await startProgress({ store, root: workspace.root, scope: scope.key, sprint });
    const run = await sprintRun({ store, workspace, scope, sprint });
    const own = plansOf({ store, root: workspace.root, tree: workspace.root, scope });
    const { added, problems } = await run.plans(own).follow({ editor: "person" });
    if (progress === "created")
      await rememberOurs(surroundings, { workspace, store, scope: scope.key, file: sprint.file });
    const { id, shape, warnings } = sprint.definition;
    const notices = [...warnings, ...problems, ...opened.notices];
    return { id, folder: sprint.folder, shape, progress, added: added.length, warnings: notices };
  } finally {
    await closeStore(opened);
  }
}

interface Created {
  readonly workspace: Workspace;
  readonly store: Store;
  /** The scope key. */
  readonly scope: string;
  /** Within the workspace. */
  readonly file: string;
}

/** A run that creates the file lands it. It lands this one, too, as long as nobody else changes it. */
async function rememberOurs({ env }: Surroundings, { workspace, store, scope, file }: Created): Promise<void> {
  const path = join(workspace.root, file);
  const text = await readTextFile(path, { limitBytes: LIMIT_BYTES, what: file, keepsByteOrderMark: true });
  await withRepository({ folder: workspace.root, env }, async (home) => {
    const branch = workspace.config.git.branch ?? (await readHead(home)).ref?.slice("refs/heads/".length);
    const place = { store, scope, target: targetOf(home, branch) };
    if (text !== undefined) await rememberCreated(place, relative(home.folder, path), text);
  });
}
