import { join } from "node:path";
import { isRunId } from "../../domain/run/run-id.ts";
import { isoTime } from "../../domain/task-json.ts";
import { keepSaying, stillSaid } from "../../system/sign-of-life.ts";
import type { TreeHolder } from "../../system/tree-lock.ts";

/** F-04: runs of a fleet that go on, as the process that copies their events says it. */
const fileAt = (root: string): string => join(root, ".ralph", "runs", ".fleet.json");

/** It says so every second. */
const SILENT_MS = 15_000;

export interface MirroredRun extends Pick<TreeHolder, "run" | "scope" | "owner"> {
  readonly startedAt: number;
}

export const sayMirrored = (root: string, runs: readonly MirroredRun[]): void =>
  keepSaying(fileAt(root), `${JSON.stringify(runs)}\n`);

/** Nobody on this machine need have anything to do with them. */
export function mirroredRuns(root: string): TreeHolder[] {
  const text = stillSaid(fileAt(root), SILENT_MS);
  if (text === undefined) return [];
  try {
    const said = JSON.parse(text) as readonly MirroredRun[];
    return said
      .filter(({ run }) => isRunId(run))
      .map(({ run, scope, owner, startedAt }) => ({
        run,
        scope,
        owner,
        since: isoTime(startedAt),
        left: [],
        isAlive: true,
        isLeaving: false,
      }));
  } catch {
    return []; // damaged: it is written again in a second
  }
}
