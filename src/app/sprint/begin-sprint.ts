import { join, relative } from "node:path";
import { asOwnCreation } from "../../loop/plan-texts.ts";
import type { Scope } from "../../scope/scope.ts";
import { kindOf } from "../../system/folder.ts";
import type { Repository } from "../../system/git/repository.ts";
import type { OpenLanding } from "../run/open-landing.ts";
import type { PartsRequest } from "../run/run-deps.ts";
import type { OpenedStore } from "../task-store.ts";
import type { Workspace } from "../workspace.ts";
import type { OpenSprint } from "./open-sprint.ts";
import { sprintRun, type SprintRun } from "./sprint-run.ts";
import { restoredText, startProgress } from "./start-progress.ts";

interface SprintPlace {
  readonly sprint: OpenSprint | undefined;
  readonly workspace: Workspace;
  readonly scope: Scope;
  readonly opened: OpenedStore;
  readonly home: Repository;
  readonly landing: OpenLanding;
}

/** Starts the sprint if needed, and its goal task. */
export async function beginSprint(
  { sprint, workspace, scope, opened, home, landing }: SprintPlace,
  emit: PartsRequest["emit"],
): Promise<SprintRun | undefined> {
  if (sprint === undefined) return undefined;
  const { store } = opened;
  const start = async () => await startProgress({ store, root: workspace.root, scope: scope.key, sprint });
  const isNew = (await kindOf(join(workspace.root, sprint.file))) === undefined;
  const path = relative(home.folder, join(workspace.root, sprint.file));
  const place = { store, scope: scope.key, target: landing.target };
  const progress = isNew ? await asOwnCreation(place, path, start) : await start();
  if (progress === "restored") emit({ type: "run.notice", level: "warning", text: restoredText(sprint) });
  return await sprintRun({ store, workspace, scope, sprint });
}
