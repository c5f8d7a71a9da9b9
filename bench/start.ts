import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { iterationFinished, iterationStarted, runFinished, runStarted } from "../test/run-events.ts";
import type { Print } from "./all.ts";
import { type Cost, median, row } from "./measure.ts";
import { cpuMs } from "./workspace.ts";

const ROUNDS = 21;
const TASKS = 100_000;

/** What the program costs beyond bare Node, started by turns so that all see the same machine. */
export async function benchStart(print: Print): Promise<void> {
  const program = join(process.cwd(), "dist", "bin.js");
  const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-"));
  try {
    const [fresh, used] = [join(folder, "fresh"), join(folder, "used")];
    mkdirSync(fresh);
    execFileSync("git", ["init", "--quiet"], { cwd: fresh });
    execFileSync(process.execPath, [program, "init"], { cwd: fresh, stdio: "ignore" });
    addChecks(fresh);
    await addTasks(join(fresh, ".ralph", "ralph.db"));
    cpSync(fresh, used, { recursive: true });
    addRuns(join(used, ".ralph", "runs"));
    const lines: Record<string, readonly [cwd: string, ...args: string[]]> = {
      "node -e 0": [fresh, "-e", "0"],
      "ralphctl --version": [fresh, program, "--version"],
      "ralphctl --help": [fresh, program, "--help"],
      "ralphctl gates": [fresh, program, "gates"],
      "ralphctl prompt build": [fresh, program, "prompt", "build"],
      "ralphctl task ready, 100,000 tasks": [fresh, program, "task", "ready"],
      "ralphctl status, the same": [fresh, program, "status"],
      "ralphctl status, the same, 50 runs": [used, program, "status"],
    };
    const costs = new Map(Object.keys(lines).map((name) => [name, [] as Cost[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, [cwd, ...args]] of Object.entries(lines)) costs.get(name)!.push(start(args, cwd));
    }
    const bare = ofAll(costs.get("node -e 0")!);
    print(row("", "time", "over bare", "processor", "over bare"));
    for (const [name, measured] of costs) {
      const own = ofAll(measured);
      const cells = (["ms", "cpuMs"] as const).flatMap((what) => [
        `${own[what].toFixed(0)} ms`,
        over(own[what], bare[what]),
      ]);
      print(row(name, ...cells));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A package with scripts, a lock file and CI. */
function addChecks(folder: string): void {
  const scripts = { typecheck: "tsc", lint: "eslint .", test: "vitest run", build: "tsdown", dev: "vite" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
  writeFileSync(join(folder, "package-lock.json"), "{}");
  mkdirSync(join(folder, ".github", "workflows"), { recursive: true });
  const steps = ["npm ci", ...Object.keys(scripts).map((name) => `npm run ${name}`), "npm run e2e"].map((run) => ({
    run,
  }));
  const workflow = { on: ["push"], jobs: Object.fromEntries(["a", "b", "c"].map((name) => [name, { steps }])) };
  writeFileSync(join(folder, ".github", "workflows", "ci.yml"), JSON.stringify(workflow, undefined, 2));
}

/** Half of them wait for the one before. */
async function addTasks(path: string): Promise<void> {
  await using store = await openSqliteStore({ path });
  await store.add(
    Array.from({ length: TASKS }, (_, n) => ({
      id: `t-${n}`,
      scope: "workspace",
      title: `Task ${n}`,
      needs: n % 2 === 0 ? [] : [`t-${n - 1}`],
    })),
  );
}

const RUNS = 50;
const TALK = {
  type: "agent.tool-result",
  iteration: 1,
  ok: true,
  output: "what a tool gave back, and more of it ".repeat(25),
};

/** A megabyte of events each; the newest ended without a word, so that it is read as a living one would be. */
function addRuns(folder: string): void {
  for (let n = 0; n < RUNS; n += 1) {
    const run = `r-20261116-0000${String(n).padStart(2, "0")}-aaaa`;
    const events: readonly object[] = [
      { ...runStarted, run },
      { ...iterationStarted, iteration: 1 },
      ...Array.from({ length: 900 }, () => TALK),
      { ...iterationFinished, iteration: 1 },
      ...(n === RUNS - 1 ? [] : [runFinished]),
    ];
    mkdirSync(join(folder, run), { recursive: true });
    const lines = events.map((event) => `${JSON.stringify({ v: 1, at: "2026-11-16T00:00:00.000Z", run, ...event })}\n`);
    writeFileSync(join(folder, run, "events.ndjson"), lines.join(""));
  }
}

/** The system counts in hundredths of a second, over all rounds that is fine enough; a median would not be. */
const ofAll = (costs: readonly Cost[]): Cost => ({
  ms: median(costs.map(({ ms }) => ms)),
  cpuMs: costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / costs.length,
});

const over = (own: number, bare: number): string =>
  `${own < bare ? "" : "+"}${(own - bare).toFixed(0)} ms, ${(own / bare).toFixed(2)} x`;

function start(args: readonly string[], cwd: string): Cost {
  const [begin, before] = [performance.now(), cpuMs("self", "children")];
  const { status } = spawnSync(process.execPath, [...args], { cwd, stdio: "ignore" });
  if (status !== 0) throw new Error(`${args.join(" ")} exited with ${status}`);
  return { ms: performance.now() - begin, cpuMs: cpuMs("self", "children") - before };
}
