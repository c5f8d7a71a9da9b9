import { createTimeline, type Timeline } from "../../domain/run/timeline.ts";
import { eventsIn } from "./run-events.ts";
import { isRunning, newestRunLog, type RunLog } from "./run-logs.ts";
import { openWorkspace, openWorkspaceScope, type ScopeChoice, type Surroundings } from "../workspace.ts";

export interface RunStatus {
  readonly scope: string;
  /** The newest run of the scope; undefined when there was none. */
  readonly newest: StatusOfRun | undefined;
}

export interface StatusOfRun extends Timeline {
  /** Where, if it is in another working tree. */
  readonly elsewhere: string | undefined;
  /** `ended`: its process is gone, and it did not say how it ended. */
  readonly state: "running" | "finished" | "ended";
}

/** The progress of the newest run of a scope in any working tree. Read-only (W-06). */
export async function runStatus(choice: ScopeChoice, surroundings: Surroundings): Promise<RunStatus> {
  const workspace = await openWorkspace(surroundings);
  const { key } = await openWorkspaceScope(workspace, choice);
  const log = await newestRunLog(workspace.root, key);
  const newest = log && (await statusIn(log));
  if (newest === undefined) return { scope: key, newest };
  return { scope: key, newest: { ...newest, elsewhere: log!.root === workspace.root ? undefined : log!.root } };
}

async function statusIn(log: RunLog): Promise<Omit<StatusOfRun, "elsewhere"> | undefined> {
  // Checked before reading: a run that ends meanwhile has its end in the log.
  const lasts = isRunning(log);
  const builder = createTimeline();
  for await (const line of eventsIn(log.file)) builder.add(line);
  const timeline = builder.timeline();
  const state = timeline?.summary.finished !== undefined ? "finished" : lasts ? "running" : "ended";
  return timeline && { ...timeline, state };
}
