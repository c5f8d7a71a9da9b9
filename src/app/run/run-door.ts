import { join, relative } from "node:path";
import type { Environment } from "../../domain/environment.ts";
import { SESSION_VARIABLES, sessionOf } from "../../domain/run/session.ts";
import { type DoorCall, openDoor } from "../../system/door/open-door.ts";
import { isBelow, kindOf, realPathOf } from "../../system/folder.ts";
import { gitFolder } from "../../system/git/folder.ts";

/** A command that was typed inside a session, as the run must run it. */
export interface SessionCommand extends Omit<DoorCall, "env" | "cwd"> {
  readonly env: Environment;
  /** The folder of the person's workspace that corresponds to the one in which it was typed. */
  readonly cwd: string;
  /** The folder in which it was typed, where the paths that it names are; undefined if that is `cwd`. */
  readonly typedIn: string | undefined;
}

export interface DoorPlace {
  /** Runs a command, and returns its exit code. Undefined: sessions find the workspace by their working directory. */
  readonly answer: ((command: SessionCommand) => Promise<number>) | undefined;
  /** The person's workspace. */
  readonly root: string;
  /** The environment of the run, marked as its own. */
  readonly env: Environment;
  readonly run: string;
}

/** L-07: as long as the action takes, commands inside sessions reach the run by a socket. */
export async function withDoor<Result>(
  { answer, root, env, run }: DoorPlace,
  action: (path: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (answer === undefined) return await action(undefined);
  const door = await openDoor(async (call) => {
    // Settings are the run's: an agent could raise its own limits with a variable.
    const said = SESSION_VARIABLES.flatMap((name) => (call.env[name] === undefined ? [] : [[name, call.env[name]]]));
    const own: Environment = { ...env, ...(Object.fromEntries(said) as Environment), RALPHCTL_RUN: run };
    // Only for sessions: anybody else has a workspace to be in.
    if (sessionOf(own) === undefined) throw new Error("Not inside a session");
    const cwd = await folderFor(root, call.cwd);
    return await answer({
      ...call,
      env: own,
      cwd,
      typedIn: realPathOf(cwd) === realPathOf(call.cwd) ? undefined : call.cwd,
    });
  });
  try {
    return await action(door.path);
  } finally {
    await door.close();
  }
}

/** The folder that is in the person's working tree what `cwd` is in its own; else the workspace itself. */
async function folderFor(root: string, cwd: string): Promise<string> {
  const workspace = realPathOf(root);
  const [home, here] = [gitFolder(workspace), gitFolder(cwd)];
  if (home === undefined || here === undefined) return root;
  const folder = realPathOf(join(home.top, relative(here.top, cwd)));
  return isBelow(workspace, folder) && (await kindOf(folder)) === "folder" ? folder : root;
}
