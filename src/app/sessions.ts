import { join, relative } from "node:path";
import type { IterationFinished, IterationStarted } from "../domain/run/event.ts";
import { type Harness, reopenCommand } from "../harness/harness.ts";
import * as catalogue from "../harness/index.ts";
import { gitFolder, workingTrees } from "../system/git-folder.ts";
import { eventsIn, runLogs } from "./run/run-events.ts";
import { openWorkspace, openWorkspaceScope, type ScopeChoice, type Surroundings, type Workspace } from "./workspace.ts";

/** One start of an agent by a run or a step, with the scope that it belonged to (S000-R2). */
export interface Session {
  readonly run: string;
  readonly scope: string;
  readonly startedAtMs: number;
  /** Undefined: it lasts, or was cut off. */
  readonly endedAtMs: number | undefined;
  /** Where everything about it lies. */
  readonly folder: string;
  readonly started: IterationStarted;
  readonly finished: IterationFinished | undefined;
  /** The command that opens it again in the agent's own interface, in the working tree; undefined where there is none. */
  readonly reopen: readonly string[] | undefined;
}

/** The sessions of a scope, or of all where none was named, in every working tree; oldest first. Only looks (W-06). */
export async function listSessions(choice: ScopeChoice, surroundings: Surroundings): Promise<Session[]> {
  const workspace = await openWorkspace(surroundings);
  const isAsked = Object.values(choice).some((name) => name !== undefined);
  const key = isAsked ? (await openWorkspaceScope(workspace, choice)).key : undefined;
  const all: Session[] = [];
  for (const root of rootsOf(workspace.root)) {
    for (const file of await runLogs(root)) {
      for (const session of await sessionsIn(file, root, key)) {
        all.push({ ...session, reopen: reopening(session, workspace) });
      }
    }
  }
  return all.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

function reopening({ started, finished }: Listed, workspace: Workspace): readonly string[] | undefined {
  const known: Readonly<Record<string, Harness>> = catalogue;
  const { harness: name } = started;
  if (finished?.sessionId === undefined || !Object.hasOwn(known, name)) return undefined;
  return reopenCommand(known[name]!, workspace.harness(name), finished.sessionId);
}

type Listed = Omit<Session, "reopen">;

/** The same workspace in each working tree of the repository. */
function rootsOf(root: string): string[] {
  const git = gitFolder(root);
  if (git === undefined) return [root];
  return workingTrees(git).map((tree) => join(tree, relative(git.top, root)));
}

async function sessionsIn(file: string, root: string, key: string | undefined): Promise<Listed[]> {
  const sessions = new Map<number, Listed>();
  let scope = "";
  for await (const { atMs, run, event } of eventsIn(file)) {
    if (event.type === "run.started") scope = event.scope;
    if (key !== undefined && scope !== key) return [];
    if (event.type === "iteration.started") {
      const folder = join(root, event.folder);
      const open = { run, scope, startedAtMs: atMs, endedAtMs: undefined, folder, started: event, finished: undefined };
      sessions.set(event.iteration, open);
    }
    const known = event.type === "iteration.finished" ? sessions.get(event.iteration) : undefined;
    if (known !== undefined && event.type === "iteration.finished") {
      sessions.set(event.iteration, { ...known, endedAtMs: atMs, finished: event });
    }
  }
  return [...sessions.values()];
}
