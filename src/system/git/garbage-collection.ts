import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { textIn } from "../folder.ts";
import { startTimeOf } from "../process/process-identity.ts";
import { isLoose } from "./object.ts";
import { git } from "./git.ts";
import type { Repository } from "./repository.ts";

const PAUSE_MS = 50;
const LONGEST_MS = 5 * 60_000;

/**
 * Waits until no `git gc` is under way. One that began before a ref named an object may still remove it, however long
 * the ref has been there by then: it looks at the refs first, and removes at its end.
 */
export async function garbageCollected(home: Repository): Promise<void> {
  for (let waitedMs = 0; isCollecting(home) && waitedMs < LONGEST_MS; waitedMs += PAUSE_MS) await wait(PAUSE_MS);
}

/** Whether an object that a ref names now is there to stay. */
export async function isKept(home: Repository, name: string): Promise<boolean> {
  await garbageCollected(home);
  return isLoose(home, name) || (await git(home, ["cat-file", "-e", name])).code === 0;
}

/** Git writes its process and host there. A file that a killed one left says nothing. */
function isCollecting({ commonFolder }: Repository): boolean {
  const [pid = "", host = ""] = (textIn(join(commonFolder, "gc.pid")) ?? "").trim().split(" ");
  return pid !== "" && host === hostname() && startTimeOf(Number(pid)) !== undefined;
}
