import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openSqliteStore } from "../src/store/sqlite.ts";

export const PROGRAM = join(process.cwd(), "dist", "bin.js");

/**
 * A repository that is a workspace, in which the agent is a shell script; `claude`: a program that plays Claude Code. Its
 * lanes are beside it; `remove` removes both.
 */
export function begin(files: number, script: string, { claude = null, gates = [] }: BeginOptions = {}): string {
  const folder = join(mkdtempSync(join(tmpdir(), "ralphctl-bench-loop-")), "work");
  mkdirSync(folder);
  const run = (...args: readonly string[]): void => void execFileSync("git", args, { cwd: folder });
  run("init", "--quiet", "--initial-branch", "main");
  run("config", "user.name", "Bench");
  run("config", "user.email", "bench@example.com");
  for (let n = 0; n < files; n += 1) {
    mkdirSync(join(folder, `d${n % 50}`), { recursive: true });
    writeFileSync(join(folder, `d${n % 50}`, `${n}.txt`), `${n}\n`.repeat(50));
  }
  execFileSync(process.execPath, [PROGRAM, "init"], { cwd: folder, stdio: "ignore" });
  const config = {
    harness: "command",
    harnesses: { command: { run: script }, claude: { bin: claude } },
    gates,
    lanes: { folder: "../lanes" },
    limits: { attempts: 100_000, iterationsPerTask: 100_000, noProgress: 100_000 },
    verify: { allowUnverified: true },
  };
  writeFileSync(join(folder, ".ralph/config.yaml"), JSON.stringify(config));
  run("add", "--all");
  run("commit", "--quiet", "--message", "Begin");
  return folder;
}

export interface BeginOptions {
  readonly claude?: string | null;
  readonly gates?: readonly { readonly id: string; readonly run: string }[];
}

export const lanesOf = (folder: string): string => join(dirname(folder), "lanes");

export const remove = (folder: string): void => rmSync(dirname(folder), { recursive: true, force: true });

export async function addTasks(folder: string, count: number): Promise<string[]> {
  await using store = await openSqliteStore({ path: join(folder, ".ralph", "ralph.db") });
  return await store.add(Array.from({ length: count }, (_, n) => ({ scope: "workspace", title: `Task ${n}` })));
}

/** User and system time so far, of a process or of its children that have ended; counted in hundredths of a second. */
export function cpuMs(pid: number | "self", whose: "own" | "children"): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const at = whose === "own" ? 11 : 13;
  return (Number(fields[at]) + Number(fields[at + 1])) * 10;
}
