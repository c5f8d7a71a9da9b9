import { join, relative } from "node:path";
import { filesBelow, textIn } from "../folder.ts";
import type { Repository } from "./repository.ts";

/** In the environment of sessions in the person's own tree: git writes it into the reflog entries that they cause. */
export const SESSION_ACTION = { GIT_REFLOG_ACTION: "ralphctl-session" } as const;

/** The same for sessions in a lane, which have no business in the person's repository. */
export const LANE_ACTION = { GIT_REFLOG_ACTION: "ralphctl-session-in-a-lane" } as const;

export interface ReflogEntry {
  readonly old: string;
  readonly now: string;
  /** Empty if the command gave none. */
  readonly message: string;
}

/** The last entry of a reflog, as it is in the file; empty if there is none. */
export const lastEntry = (repository: Repository, ref: string): string => linesOf(repository, ref).at(-1) ?? "";

/** The entries after one that was the last. Undefined if it is no longer there: then nobody can tell. */
export function entriesSince(repository: Repository, ref: string, last: string): readonly ReflogEntry[] | undefined {
  const lines = linesOf(repository, ref);
  const at = last === "" ? -1 : lines.lastIndexOf(last);
  return at < 0 && last !== "" ? undefined : lines.slice(at + 1).map(parse);
}

/** Whether neither a session nor ralphctl made it. */
export const isPersons = ({ old, now, message }: ReflogEntry): boolean =>
  !/^ralphctl(?:-session\b|:)/.test(message) && !(old === now && /^reset: moving to HEAD$/.test(message));

/** Whether a session made it. */
export const isSessions = ({ message }: ReflogEntry): boolean => message.startsWith(SESSION_ACTION.GIT_REFLOG_ACTION);

/** Whether a session in a lane made it. */
export const isLanes = ({ message }: ReflogEntry): boolean => message.startsWith(LANE_ACTION.GIT_REFLOG_ACTION);

/** Whether the branch followed the landing by it (L-24). */
export const isFollow = ({ message }: ReflogEntry): boolean => message.startsWith("ralphctl: follow");

/** The branch that the person renamed this one to; undefined: to none that exists. */
export async function renamedTo(repository: Repository, name: string): Promise<string | undefined> {
  const folder = join(repository.commonFolder, "logs/refs/heads");
  const message = `Branch: renamed refs/heads/${name} to refs/heads/`;
  for (const file of await filesBelow(folder)) {
    const other = relative(folder, file);
    const entries = linesOf(repository, `refs/heads/${other}`).map(parse);
    if (entries.some((entry) => entry.message === `${message}${other}`)) return other;
  }
  return undefined;
}

function linesOf({ gitFolder, commonFolder }: Repository, ref: string): string[] {
  // Each working tree has its own HEAD.
  const file = join(ref === "HEAD" ? gitFolder : commonFolder, "logs", ref);
  // A person may rename or delete the branch at any moment.
  return (textIn(file) ?? "").split("\n").slice(0, -1);
}

function parse(line: string): ReflogEntry {
  const [fields = "", message = ""] = line.split("\t", 2);
  const [old = "", now = ""] = fields.split(" ", 2);
  return { old, now, message };
}
