import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "../src/harness/command.ts";
import { sweep } from "../src/system/process/sweep.ts";
import type { Print } from "./all.ts";
import { byTurns, type Cost, row } from "./measure.ts";
import { runSession } from "./session.ts";
import { session } from "./harness-session.ts";

const ROUNDS = 41;

/** What a session costs beside the agent itself: an agent that says one word, against starting it bare. */
export async function benchSpawn(print: Print): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-spawn-"));
  let number = 0;
  const agent = { file: "/bin/echo", args: ["done"] };
  const ours = async (): Promise<void> => {
    number += 1;
    await runSession({ ...agent, reader: command.reader(session), folder, name: String(number) });
  };
  const bare = async (): Promise<void> => {
    const child = spawn(agent.file, agent.args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    await once(child, "close");
  };
  try {
    const costs = await byTurns(ROUNDS, { bare, ours });
    const cell = ({ ms, cpuMs }: Cost): string => `${ms.toFixed(1)} (${cpuMs.toFixed(1)}) ms`;
    const added = { ms: costs.ours.ms - costs.bare.ms, cpuMs: costs.ours.cpuMs - costs.bare.cpuMs };
    print(row("time (processor)", "session", "child_process", "added"));
    print(row("an agent that says one word", cell(costs.ours), cell(costs.bare), cell(added)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The look through all processes after each session and gate, where nothing was left. */
export async function benchSweep(print: Print): Promise<void> {
  const processes = readdirSync("/proc").filter((name) => /^\d/.test(name)).length;
  const look = async (): Promise<unknown> => await sweep({ name: "RALPHCTL_MARKER", value: `bench-${process.pid}` });
  const { look: cost } = await byTurns(ROUNDS, { look });
  print(row(`a sweep, ${processes} processes`, `${cost.ms.toFixed(1)} ms`, `${cost.cpuMs.toFixed(1)} ms cpu`));
}
