import { matchesAny } from "../../domain/glob.ts";
import { spaceWarning } from "../../domain/lane-space.ts";
import type { Lane } from "../../lane/lane.ts";
import type { RunRules } from "../../loop/run-rules.ts";
import { folderSize } from "../../system/folder-size.ts";
import { freeSpace } from "../../system/free-space.ts";
import type { Snapshot } from "../../system/git/snapshot.ts";
import type { OpenLanding } from "./open-landing.ts";

/** L-03: uncommitted changes of the person's that are not in the lane. Inputs of agents are laid over it. */
export const notIncluded = (changed: Snapshot["changed"], { inputs }: Pick<RunRules, "inputs">): string[] =>
  changed.map(({ path }) => path).filter((path) => !matchesAny(inputs, path));

/** Two sentences for the first run in a repository: where agents work, and how work comes home. */
export function firstRunLines(
  { isFirst, target }: OpenLanding,
  { commits, lane, count }: Pick<RunRules, "commits"> & { readonly lane: Lane; readonly count: number },
): string[] {
  if (!isFirst || lane.number === 0) return [];
  const branch = target.branch ?? "HEAD";
  const where =
    count === 1
      ? "The agent works in a lane, which is a clone of its own"
      : "Each agent works in a lane, a clone of its own";
  return [
    `${where}: your files stay as they are, and you can go on working`,
    commits
      ? `Work that the gates prove becomes a commit, and ${branch} follows it; ralphctl lanes shows the rest`
      : `Work that the gates prove becomes a commit on ${target.ref}, and ${branch} stays where it is`,
  ];
}

/** A lane is rarely larger than this allows, and to measure one takes a while. */
const PLENTY = 20 * 1024 ** 3;
const MOST_MEASURED = 50_000;

/** L-42: warns once if the disk of the lane may become full. */
export async function spaceNotices({ folder }: Pick<Lane, "folder">): Promise<string[]> {
  const free = await freeSpace(folder).catch(() => Infinity); // unknown, which is no reason to warn
  if (free > PLENTY) return [];
  const { bytes } = await folderSize(folder, MOST_MEASURED);
  return [spaceWarning({ free, lane: bytes })].filter((text) => text !== undefined);
}
