import { spawnSync } from "node:child_process";
import type { Print } from "./all.ts";
import { runOf, type Seen } from "./lanes.ts";
import { median, row } from "./measure.ts";
import { addTasks, begin, remove } from "./workspace.ts";

const FILES = 3100;
const CLAIMS = 15;
const GATE = "sleep 0.3";
const WORK = 'cat >/dev/null; echo "$RALPHCTL_TASK" >work.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"';

/** What a claim takes beside its gate, from the end of the agent until its work has landed, against the bare gate. */
export async function benchClaim(print: Print): Promise<void> {
  const folder = begin(FILES, WORK, { gates: [{ id: "slow", run: GATE }] });
  try {
    await addTasks(folder, CLAIMS);
    const { events } = await runOf(folder, ["--max-iterations", String(CLAIMS)]);
    const bare = median(Array.from({ length: CLAIMS }, () => bareGate(folder)));
    const whole = median(times(events, "agent.ended", "iteration.finished"));
    const proof = median(times(events, "claim.made", "verdict.reached"));
    const cells = (ms: number): string[] => [`+${(ms - bare).toFixed(0)} ms`, `${(ms / bare).toFixed(2)} x the gate`];
    print(row(`a claim, ${FILES} files, \`${GATE}\``, ...cells(whole)));
    print(row("of it until the verdict", ...cells(proof)));
  } finally {
    remove(folder);
  }
}

/** How long each iteration took from one event to another. */
function times(events: readonly Seen[], from: string, to: string): number[] {
  const found: number[] = [];
  let startedAt: number | undefined;
  for (const { type, seenAt } of events) {
    if (type === from) startedAt = seenAt;
    if (type !== to || startedAt === undefined) continue;
    found.push(seenAt - startedAt);
    startedAt = undefined;
  }
  if (found.length < CLAIMS) throw new Error(`${found.length} of ${CLAIMS} claims`);
  return found;
}

function bareGate(folder: string): number {
  const start = performance.now();
  spawnSync("/bin/sh", ["-c", GATE], { cwd: folder });
  return performance.now() - start;
}
