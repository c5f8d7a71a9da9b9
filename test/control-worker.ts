// A loop without work, for the tests of what steers one: bundled and started as a process of its own.
import { appendFileSync } from "node:fs";
import { processIo } from "../src/cli/process-io.ts";
import { RalphError } from "../src/domain/error.ts";
import { type AttendedProgram, runAttended } from "../src/system/process/attended-process.ts";
import { openRequests } from "../src/system/run-requests.ts";
import { lockTree } from "../src/system/tree-lock.ts";

const [, , mode = "", ...args] = process.argv;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve())));
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

if (mode === "loop") await loop(args[0]!, args[1]!, args[2]);
if (mode === "contend") await contend(args[0]!, args.slice(1));
if (mode === "signals") await signals();
if (mode === "unasked") await unasked();
if (mode === "print") await print(args[0]!);
if (mode === "attended") await attended(args);
if (mode === "attended-keeping") await attended(args, { keepsProcesses: true });

/** Holds the tree until it is told to stop; a stubborn one, until it is told twice. */
async function loop(gitFolder: string, run: string, kind = "orderly"): Promise<void> {
  const { stop, kill } = processIo(process).interrupts();
  try {
    const lock = await lockTree(gitFolder, { run, scope: "workspace" });
    const requests = openRequests(gitFolder, run);
    say(`locked ${JSON.stringify(lock.left)}`);
    while (!stop.aborted && !requests.stopAfter()) await tick();
    if (kind === "stubborn") {
      say("stopping");
      while (!kill.aborted) await tick();
    }
    requests.clear();
    lock.release();
    process.exitCode = stop.aborted ? 130 : 0;
  } catch (error) {
    say(error instanceof RalphError ? `${error.kind} ${error.message}` : String(error));
    process.exitCode = 75;
  }
}

/** Takes one tree after the other, at the moments at which all others try too, and lives on until its input ends. */
async function contend(log: string, gitFolders: readonly string[]): Promise<void> {
  say("ready");
  const start = Number(await new Promise((resolve) => process.stdin.once("data", resolve)));
  for (const [index, folder] of gitFolders.entries()) {
    while (Date.now() < start + index * 15) continue;
    try {
      const { left } = await lockTree(folder, { run: `r-${process.pid}`, scope: "workspace" });
      appendFileSync(log, `${index} ${left.join()}\n`);
    } catch (error) {
      if (!(error instanceof RalphError && error.kind === "busy")) throw error;
    }
  }
  say("through");
  await new Promise((resolve) => process.stdin.on("end", resolve).resume());
}

async function signals(): Promise<void> {
  const io = processIo(process);
  const { stop, kill } = io.interrupts();
  const timer = setInterval(() => undefined, 1000);
  say(`same: ${io.interrupts().stop === stop}`);
  await aborted(stop);
  say("stop");
  await aborted(kill);
  say("kill");
  setTimeout(() => clearInterval(timer), 30_000);
}

/** A command that puts nothing in order. */
async function unasked(): Promise<void> {
  processIo(process).out("up");
  for (let left = 1500; left > 0; left -= 1) await tick();
}

/** Prints until nobody reads any more, and writes down that it could put things in order. */
async function print(log: string): Promise<void> {
  const io = processIo(process);
  const { stop, kill } = io.interrupts();
  while (!stop.aborted) {
    io.out("x".repeat(100_000));
    await io.drained();
    await tick();
  }
  io.out("more");
  io.err("more");
  await tick();
  appendFileSync(log, `in order, kill: ${kill.aborted}`);
  process.exitCode = 130;
}

/** Hands its terminal over. What it would do on signals itself is put back afterwards. */
async function attended([value = "", file = "", ...words]: readonly string[], own: Partial<AttendedProgram> = {}) {
  const interrupts: string[] = [];
  process.on("SIGINT", (signal) => interrupts.push(signal));
  const env = { PATH: process.env["PATH"] };
  const marker = { name: "RALPHCTL_MARKER", value };
  const start = performance.now();
  try {
    const result = await runAttended({ file, args: words, env, cwd: process.cwd(), marker, ...own });
    const { code, signal, stoppedBy, swept, durationMs } = result;
    const isTimed = durationMs >= 0 && durationMs <= Math.ceil(performance.now() - start);
    const during = interrupts.length;
    process.kill(process.pid, "SIGINT");
    while (interrupts.length === during) await tick();
    say(`result ${JSON.stringify({ code, signal, stoppedBy, swept: swept.length, isTimed, during })}`);
  } catch (error) {
    say(error instanceof RalphError ? `${error.kind} ${error.message}` : String(error));
  }
  process.exit();
}
