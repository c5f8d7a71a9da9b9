import type { ReadLine } from "../../domain/run/event-line.ts";
import { addEvent, freshSummary, type RunSummary } from "../../domain/run/summary.ts";
import { gitFolder } from "../../system/git-folder.ts";
import { readTreeLock } from "../../system/tree-lock.ts";
import { eventsIn, runLogs, scopeIn } from "./run-events.ts";
import { openWorkspace, openWorkspaceScope, type ScopeChoice, type Surroundings } from "../workspace.ts";

export interface RunStatus {
  readonly scope: string;
  /** The newest run of the scope; undefined when there was none. */
  readonly newest: StatusOfRun | undefined;
}

export interface StatusOfRun {
  readonly run: string;
  readonly startedAtMs: number;
  /** When something was last heard of it. */
  readonly lastAtMs: number;
  readonly summary: RunSummary;
  /** `ended`: its process is gone, and it did not say how it ended. */
  readonly state: "running" | "finished" | "ended";
}

/** What the newest run of a scope has done so far. Reads its events and makes nothing (W-06). */
export async function runStatus(choice: ScopeChoice, surroundings: Surroundings): Promise<RunStatus> {
  const workspace = await openWorkspace(surroundings);
  const { key } = await openWorkspaceScope(workspace, choice);
  for (const file of (await runLogs(workspace.root)).reverse()) {
    if ((await scopeIn(file)) !== key) continue;
    const newest = await statusIn(file);
    if (newest !== undefined) return { scope: key, newest: { ...newest, state: stateOf(newest, workspace.root) } };
  }
  return { scope: key, newest: undefined };
}

async function statusIn(file: string): Promise<Omit<StatusOfRun, "state"> | undefined> {
  let first: ReadLine | undefined;
  let lastAtMs = 0;
  let summary = freshSummary;
  for await (const line of eventsIn(file)) {
    first ??= line;
    lastAtMs = line.atMs;
    summary = addEvent(summary, line.event);
  }
  if (first === undefined) return undefined;
  return { run: first.run, startedAtMs: first.atMs, lastAtMs, summary };
}

/** A run that lasts has the working tree. The number of its process alone could be another's by now. */
function stateOf({ run, summary }: Omit<StatusOfRun, "state">, root: string): StatusOfRun["state"] {
  if (summary.finished !== undefined) return "finished";
  const git = gitFolder(root);
  const holder = git && readTreeLock(git.own);
  return holder?.run === run && holder.isAlive ? "running" : "ended";
}
