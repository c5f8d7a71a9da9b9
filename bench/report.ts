import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import type { Print } from "./all.ts";
import { median, row } from "./measure.ts";
import { addTasks, begin, PROGRAM, remove } from "./workspace.ts";

const ITERATIONS = 500;
const ROUNDS = 5;
const WORK = 'cat >/dev/null; echo "$RALPHCTL_TASK" >>work.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"';

/** What it takes to make a page of a long run, against bare Node. */
export async function benchReport(print: Print): Promise<void> {
  const folder = begin(20, WORK);
  try {
    await addTasks(folder, ITERATIONS);
    start([PROGRAM, "run", "build", "--quiet", "--max-iterations", String(ITERATIONS)], folder);
    const [bare, page]: [number[], number[]] = [[], []];
    let file = "";
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(start(["-e", "0"], folder).ms);
      const made = start([PROGRAM, "report", "--html"], folder);
      page.push(made.ms);
      file = made.stdout.trim();
    }
    const [own, base] = [median(page), median(bare)];
    const size = `${(statSync(file).size / 1e6).toFixed(1)} MB`;
    print(row(`report --html, ${ITERATIONS} iterations`, `${own.toFixed(0)} ms`, `bare ${base.toFixed(0)} ms`, size));
  } finally {
    remove(folder);
  }
}

function start(args: readonly string[], cwd: string): { readonly ms: number; readonly stdout: string } {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], { cwd, encoding: "utf8" });
  // A run whose tasks nothing has proven ends with another code, and is none the worse for it.
  if (status !== 0 && !args.includes("run")) throw new Error(`${args.join(" ")} exited with ${status}: ${stderr}`);
  return { ms: performance.now() - begun, stdout };
}
