import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathExists } from "../folder.ts";
import { gitFolder } from "./folder.ts";
import { gitProcessesIn } from "./git-processes.ts";
import { findUnfinishedOperations } from "./unfinished-operation.ts";

const PAUSE_MS = 50;
const LONGEST_MS = 20_000;

/**
 * What a look finds of a file that is expected in the person's tree; undefined if it is not there, or is not at rest. A rebase or a checkout
 * of the person takes files away for a moment: while such a git is at work, the file may come back.
 */
export async function expectFile<Found>(
  path: string,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  let mayComeBack = true;
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const found = await look();
    if (found !== undefined || !mayComeBack || waitedMs >= LONGEST_MS) return found;
    // Before the next look: it ends when all files are in their places.
    mayComeBack = isChanging(dirname(path));
    if (mayComeBack) await wait(PAUSE_MS);
  }
}

/** An operation that stopped, or a lock that a killed git left, has no process: nothing will come of it. */
function isChanging(folder: string): boolean {
  const git = gitFolder(folder);
  if (git === undefined) return false;
  const isBegun =
    pathExists(join(git.own, "index.lock")) || findUnfinishedOperations({ gitFolder: git.own }).length > 0;
  return isBegun && gitProcessesIn(git.top, "tree").length > 0;
}
