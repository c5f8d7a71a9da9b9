import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Print } from "./all.ts";
import { writeClaudeOutput } from "./claude-output.ts";
import { median, row } from "./measure.ts";
import { addTasks, begin, cpuMs, PROGRAM, remove } from "./workspace.ts";

const GIGABYTE = 1024 ** 3;
const PIECE = 32 * 1024 * 1024;
const SAMPLE_MS = 100;

/** What a whole run of the built program needs while its agent prints a gigabyte. */
export async function benchMemory(print: Print): Promise<void> {
  print(row("1 GB of output", "peak", "first quarter", "last quarter", "time", "processor"));
  const line = "x".repeat(999);
  await benchAgent({ name: "nothing, for comparison", script: "cat >/dev/null; sleep 2" }, print);
  await benchAgent({ name: "text in lines of 1 kB", script: `yes ${line} | head -c ${GIGABYTE}` }, print);
  await benchAgent({ name: "text in one line", script: `head -c ${GIGABYTE} /dev/zero` }, print);
  await benchAgent({ name: "Claude Code", isClaude: true }, print);
}

interface LoudAgent {
  readonly name: string;
  readonly script?: string;
  readonly isClaude?: boolean;
}

async function benchAgent({ name, script = "true", isClaude = false }: LoudAgent, print: Print): Promise<void> {
  const program = join(".git", "claude");
  const folder = begin(20, script, { claude: isClaude ? program : null });
  try {
    if (isClaude) writeClaude(folder, program);
    await addTasks(folder, 1);
    const harness = isClaude ? "claude" : "command";
    const args = [PROGRAM, "run", "build", "--max-iterations", "1", "--json", "--harness", harness];
    const { sizes, peak, ms, cpu } = await watch(args, folder);
    const quarter = Math.ceil(sizes.length / 4);
    // The start of the program is no part of it.
    const ends = [sizes.slice(quarter >> 1, quarter), sizes.slice(-quarter)].map((part) => megabytes(median(part)));
    print(row(name, megabytes(peak), ...ends, `${(ms / 1000).toFixed(1)} s`, `${(cpu / 1000).toFixed(1)} s`));
  } finally {
    remove(folder);
  }
}

/** A program that prints a piece of output again and again. */
function writeClaude(folder: string, program: string): void {
  const output = join(folder, ".git", "output");
  writeClaudeOutput(output, PIECE);
  const times = Math.ceil(GIGABYTE / statSync(output).size);
  writeFileSync(
    join(folder, program),
    `#!/bin/sh\ncat >/dev/null\nfor n in $(seq ${times}); do cat "${output}"; done\n`,
  );
  chmodSync(join(folder, program), 0o755);
}

interface Watched {
  /** Resident, in bytes, as time went by. */
  readonly sizes: readonly number[];
  readonly peak: number;
  readonly ms: number;
  readonly cpu: number;
}

async function watch(args: readonly string[], cwd: string): Promise<Watched> {
  const start = performance.now();
  const child = spawn(process.execPath, [...args], { cwd, stdio: "ignore" });
  const sizes: number[] = [];
  let [peak, cpu] = [0, 0];
  const timer = setInterval(() => {
    const status = statusOf(child.pid!);
    if (status === undefined) return;
    sizes.push(kilobytes(status, "VmRSS"));
    peak = Math.max(peak, kilobytes(status, "VmHWM"));
    cpu = cpuMs(child.pid!, "own");
  }, SAMPLE_MS);
  await once(child, "exit");
  clearInterval(timer);
  return { sizes, peak, ms: performance.now() - start, cpu };
}

/** Undefined when it has just ended. */
function statusOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return status.includes("VmRSS") ? status : undefined;
  } catch {
    return undefined;
  }
}

const kilobytes = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * 1024;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
