import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Print } from "./all.ts";
import { median, row } from "./measure.ts";

const ROUNDS = 21;

/** What the program costs beyond bare Node, started by turns so that both see the same machine. */
export function benchStart(print: Print): void {
  const program = join(process.cwd(), "dist", "bin.js");
  const cwd = mkdtempSync(join(tmpdir(), "ralphctl-bench-"));
  try {
    execFileSync("git", ["init", "--quiet"], { cwd });
    execFileSync(process.execPath, [program, "init"], { cwd, stdio: "ignore" });
    const lines: Record<string, readonly string[]> = {
      "node -e 0": ["-e", "0"],
      "ralphctl --version": [program, "--version"],
      "ralphctl --help": [program, "--help"],
      "ralphctl prompt build": [program, "prompt", "build"],
    };
    const times = new Map(Object.keys(lines).map((name) => [name, [] as number[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, args] of Object.entries(lines)) times.get(name)!.push(start(args, cwd));
    }
    const bare = median(times.get("node -e 0")!);
    for (const [name, measured] of times) {
      const own = median(measured);
      print(row(name, `${own.toFixed(0)} ms`, `${(own / bare).toFixed(2)} x`, `+${(own - bare).toFixed(0)} ms`));
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function start(args: readonly string[], cwd: string): number {
  const begin = performance.now();
  const { status } = spawnSync(process.execPath, [...args], { cwd, stdio: "ignore" });
  if (status !== 0) throw new Error(`${args.join(" ")} exited with ${status}`);
  return performance.now() - begin;
}
