import { hasWeak } from "../../loop/standing.ts";
import { reading } from "../task/caller.ts";
import type { Surroundings } from "../workspace.ts";
import { isBrief, type RunRequest } from "./run-request.ts";

const OPEN = ["pending", "in_progress", "failed"] as const;

/** `--accept-look` with no work left only records that a person has looked. */
export async function onlyApproves(request: RunRequest, host: Surroundings, scope: string): Promise<boolean> {
  if (request.mode === "plan" || isBrief(request)) return false;
  const quiet = { ...host, notice: () => undefined };
  return await reading(quiet, async ({ store }) => {
    const { tasks } = await store.list({ scopes: [scope], statuses: [...OPEN] }, { limit: 1 });
    return tasks.length === 0 && (await hasWeak(store, scope));
  });
}
