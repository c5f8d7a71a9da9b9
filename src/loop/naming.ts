import { join } from "node:path";
import type { Claim } from "../store/store.ts";
import type { RunDeps } from "./run-deps.ts";

/** The value of RALPHCTL_ATTEMPT, by which the commands of a session identify it. */
export const attemptName = (runId: string, iteration: number, claim: Pick<Claim, "lease"> | undefined): string =>
  `${runId}.${iteration}.${claim?.lease.fence ?? 0}`;

/** Variables that describe the task to programs (W-05). Outside a run there is no iteration. */
export const taskEnv = (claim: Pick<Claim, "task"> | undefined, iteration?: number): Record<string, string> => ({
  ...(claim !== undefined && {
    RALPHCTL_TASK: claim.task.id,
    RALPHCTL_TASK_TITLE: claim.task.title,
    RALPHCTL_SCOPE: claim.task.scope,
  }),
  ...(iteration !== undefined && { RALPHCTL_ITERATION: String(iteration) }),
});

export const iterationFolder = ({ folder }: Pick<RunDeps, "folder">, iteration: number): string =>
  join(folder, String(iteration));
