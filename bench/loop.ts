import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Print } from "./all.ts";
import { type Cost, median, row, timed } from "./measure.ts";
import { addTasks, begin, cpuMs, PROGRAM, remove } from "./workspace.ts";

const ROUNDS = 9;
/** What a run takes beside its iterations is the same for both, so that it is not in the difference. */
const FEW = 5;
const MANY = 45;

/** What the loop costs beside the agent, against `while …; do agent < PROMPT.md; done`, by turns. */
export async function benchLoop(print: Print): Promise<void> {
  const settings: Setting[] = [];
  try {
    for (const files of [20, 3000]) {
      for (const agent of [IDLE, WORKING]) {
        settings.push({ folder: begin(files, agent.script), files, agent, ours: [], place: [], bare: [], fileMs: [] });
      }
    }
    // By turns too: a slow minute of the machine is one of all, and in the median of none.
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const setting of settings) await measure(setting, round);
    }
    for (const setting of settings) tell(setting, print);
  } finally {
    // Not before: where ext4 has just deleted many files, it takes up to a millisecond to make a new one, for minutes.
    for (const { folder } of settings) remove(folder);
  }
  await benchSilence(print);
}

interface InstantAgent {
  readonly name: string;
  /** The same in both loops. */
  readonly script: string;
  /** Whether each iteration takes a task of its own. */
  readonly settles: boolean;
}

const IDLE: InstantAgent = { name: "no commit", script: "cat >/dev/null", settles: false };

const WORKING: InstantAgent = {
  name: "a commit",
  script:
    'cat >/dev/null; echo "$RALPHCTL_RUN.$RALPHCTL_ITERATION" >work.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"',
  settles: true,
};

interface Setting {
  readonly folder: string;
  readonly files: number;
  readonly agent: InstantAgent;
  /** In a warm lane, and in place. */
  readonly ours: Cost[];
  readonly place: Cost[];
  readonly bare: Cost[];
  /** To make a new file there: an iteration makes five, the bare loop none. */
  readonly fileMs: number[];
}

async function measure({ folder, agent, ours, place, bare, fileMs }: Setting, round: number): Promise<void> {
  fileMs.push(newFileMs(folder, round));
  bare.push(bareLoop(folder, agent, round));
  ours.push(await iterationIn(folder, agent, []));
  place.push(await iterationIn(folder, agent, ["--in-place"]));
}

async function iterationIn(folder: string, agent: InstantAgent, more: readonly string[]): Promise<Cost> {
  const few = await runLoop(folder, agent, { iterations: FEW, more });
  const many = await runLoop(folder, agent, { iterations: MANY, more });
  return perTurn({ ms: many.ms - few.ms, cpuMs: many.cpuMs - few.cpuMs }, MANY - FEW);
}

function newFileMs(folder: string, round: number): number {
  const place = join(folder, ".ralph", "runs", `new-${round}`);
  mkdirSync(place, { recursive: true });
  let made = 0;
  return timed(9, () => writeFileSync(join(place, String((made += 1))), "new"));
}

function tell({ files, agent, ours, place, bare, fileMs }: Setting, print: Print): void {
  for (const [what, of] of [
    ["time", (cost: Cost) => cost.ms],
    ["processor", (cost: Cost) => cost.cpuMs],
  ] as const) {
    const [own, there, other] = [median(ours.map(of)), median(place.map(of)), median(bare.map(of))];
    const cells = [
      `${own.toFixed(1)} ms`,
      `bare ${other.toFixed(1)} ms`,
      `+${(own - other).toFixed(1)} ms`,
      `in place +${(there - other).toFixed(1)} ms`,
      `${((own - other) / (there - other)).toFixed(2)} x in place`,
    ];
    print(row(`${files} files, ${agent.name}, ${what}`, ...cells));
  }
  print(row(`${files} files, ${agent.name}, a new file there`, `${median(fileMs).toFixed(2)} ms`));
}

const perTurn = ({ ms, cpuMs }: Cost, turns: number): Cost => ({ ms: ms / turns, cpuMs: cpuMs / turns });

function costOf(action: () => void): Cost {
  const [start, before] = [performance.now(), cpuMs("self", "children")];
  action();
  return { ms: performance.now() - start, cpuMs: cpuMs("self", "children") - before };
}

/** What a whole run takes. */
async function runLoop(
  folder: string,
  agent: InstantAgent,
  { iterations, more }: { readonly iterations: number; readonly more: readonly string[] },
): Promise<Cost> {
  const [first] = await addTasks(folder, agent.settles ? iterations : 1);
  const only = agent.settles ? [] : ["--task", first!];
  const args = [PROGRAM, "run", "build", "--quiet", "--max-iterations", String(iterations), ...only, ...more];
  let said = "";
  const cost = costOf(() => {
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    said = `${stdout}${stderr}`;
  });
  const isAll = new RegExp(`\\bIterations +${iterations} in`).test(said);
  if (!isAll) throw new Error(`the run did not take ${iterations} iterations: ${said}`);
  return cost;
}

const BARE = 'i=0; while [ $i -lt "$1" ]; do i=$((i+1)); RALPHCTL_ITERATION=$i /bin/sh -c "$2" <PROMPT_build.md; done';

/** What one turn takes. */
function bareLoop(folder: string, { script }: InstantAgent, round: number): Cost {
  const env = { ...process.env, RALPHCTL_RUN: String(round), RALPHCTL_TASK: "t-1" };
  const cost = costOf(() => {
    const { status, stderr } = spawnSync("/bin/sh", ["-c", BARE, "sh", String(MANY), script], { cwd: folder, env });
    if (status !== 0) throw new Error(`the bare loop failed: ${stderr.toString()}`);
  });
  execFileSync("git", ["clean", "--force", "--quiet", "work.txt"], { cwd: folder });
  execFileSync("git", ["checkout", "--quiet", "."], { cwd: folder });
  return perTurn(cost, MANY);
}

/** Long enough that what Node does once when it falls idle (about 60 ms) is not taken for the rule. */
const SILENT_MS = 30_000;

/** What the program takes while its agent says nothing. */
async function benchSilence(print: Print): Promise<void> {
  const folder = begin(20, `cat >/dev/null; : >"$BEGUN"; sleep ${SILENT_MS / 1000 + 4}`);
  try {
    await addTasks(folder, 1);
    const args = [PROGRAM, "run", "build", "--max-iterations", "1"];
    const begun = join(folder, "..", "begun");
    const env = { ...process.env, BEGUN: begun };
    const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore", env });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    while (!existsSync(begun) && child.exitCode === null) await sleep(50);
    await sleep(1000);
    const [before, start] = [cpuMs(child.pid!, "own"), performance.now()];
    await sleep(SILENT_MS);
    const used = cpuMs(child.pid!, "own") - before;
    const share = (used / (performance.now() - start)) * 100;
    print(row("CPU while an agent is silent", `${share.toFixed(2)} %`, `${used} ms of ${SILENT_MS}`));
    await ended;
  } finally {
    remove(folder);
  }
}
