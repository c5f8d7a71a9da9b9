import { dirname } from "node:path";
import type { ContextPlace } from "../scope/scope.ts";
import { findStore } from "./task-store.ts";
import type { Workspace } from "./workspace.ts";

/** A scope's context lies beside the tasks, so that runs in other working trees see it too (W-07). */
export async function contextPlace({ root, config }: Workspace, scope: string): Promise<ContextPlace> {
  return { home: dirname((await findStore(root)).file), scope, limitBytes: config.limits.context };
}
