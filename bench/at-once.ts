import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Print } from "./all.ts";
import { runOf, type Seen } from "./lanes.ts";
import { row } from "./measure.ts";
import { addTasks, begin, cpuMs, PROGRAM, remove } from "./workspace.ts";

const TASKS = 24;
const SECONDS = 2;
const CROWD = 50;
const CROWD_SECONDS = 20;

const agent = (seconds: number): string =>
  `cat >/dev/null; sleep ${seconds}; echo "$RALPHCTL_TASK" >"$RALPHCTL_TASK.txt"; echo "<task-done>$RALPHCTL_TASK</task-done>"`;

const GATES = { gates: [{ id: "instant", run: "true" }] };

/** Several lanes at once: the same tasks in less time, and what fifty of them cost. */
export async function benchAtOnce(print: Print): Promise<void> {
  const folder = begin(100, agent(SECONDS), GATES);
  try {
    // Lanes stay: only the first run makes them.
    await addTasks(folder, 8);
    await runOf(folder, ["--lanes", "8"]);
    let alone: number | undefined;
    for (const lanes of [1, 2, 4, 8]) {
      await addTasks(folder, TASKS);
      const { events } = await runOf(folder, ["--lanes", String(lanes)]);
      const ms = lengthOf(events);
      alone ??= ms;
      const ratio = `${(alone / ms / lanes).toFixed(2)} x ${lanes}`;
      print(row(`${TASKS} tasks of ${SECONDS} s, ${lanes} lanes`, `${(ms / 1000).toFixed(1)} s`, ratio));
    }
  } finally {
    remove(folder);
  }
  await crowd(print);
}

/** From the first session to the last commit. */
function lengthOf(events: readonly Seen[]): number {
  const first = events.find(({ type }) => type === "iteration.started");
  const last = events.findLast(({ type }) => type === "commit.made");
  const landed = events.filter(({ type }) => type === "commit.made").length;
  if (first === undefined || last === undefined || landed < TASKS)
    throw new Error(`${landed} of ${TASKS} tasks landed`);
  return last.seenAt - first.seenAt;
}

/** What the program itself takes while fifty agents sleep. */
async function crowd(print: Print): Promise<void> {
  const folder = begin(100, agent(CROWD_SECONDS), GATES);
  try {
    await addTasks(folder, CROWD);
    const args = [PROGRAM, "run", "build", "--json", "--lanes", String(CROWD)];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    let begun = 0;
    let before: { readonly cpu: number; readonly at: number } | undefined;
    const seen: { cores: number; megabytes: number }[] = [];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      begun += text.split('"type":"iteration.started"').length - 1;
      if (begun < CROWD || before !== undefined) return;
      before = { cpu: cpuMs(child.pid!, "own"), at: performance.now() };
      setTimeout(() => {
        const cores = (cpuMs(child.pid!, "own") - before!.cpu) / (performance.now() - before!.at);
        const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
        seen.push({ cores, megabytes: Number(kilobytes) / 1024 });
      }, 3000);
    });
    await new Promise((resolve) => child.on("exit", resolve));
    const [{ cores, megabytes } = { cores: NaN, megabytes: NaN }] = seen;
    print(
      row(`${CROWD} lanes, agents asleep`, `${(cores * 100).toFixed(1)} % of a core`, `${megabytes.toFixed(0)} MB`),
    );
  } finally {
    remove(folder);
  }
}
