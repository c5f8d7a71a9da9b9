import { dirname } from "node:path";
import type { ContextPlace } from "../scope/scope.ts";
import { findStore } from "./task-store.ts";
import type { Workspace } from "./workspace.ts";

/** Where a scope's context is: beside the tasks, so that a run in another working tree sees it too (W-07). */
export async function contextPlace({ root, config }: Workspace, scope: string): Promise<ContextPlace> {
  return { home: dirname((await findStore(root)).file), scope, limitBytes: config.limits.context };
}
