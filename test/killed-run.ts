import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { marked, sweep } from "../src/system/sweep.ts";
import { PROGRAM, ralphctl } from "./built-program.ts";
import { loopWorkspace, runOf } from "./loop-workspace.ts";
import { git, temporaryFolder } from "./temporary-folder.ts";

/** Three tasks from a plan file: one agent does not commit, one does, one is rejected at first. */
const PLAN = "# Plan\n\n- [ ] Write alpha\n- [ ] Write beta\n- [ ] Write gamma\n";
const SCRIPT = `
- when: { title: Write alpha }
  steps:
    - write: { path: alpha.txt, text: "alpha\\n" }
    - run: echo alpha >README.md
    - say: <task-done>{task}</task-done>
- when: { title: Write beta }
  steps:
    - write: { path: beta.txt, text: "beta\\n" }
    - run: git add beta.txt && git commit --quiet --message "Agent's own"
    - say: <task-done>{task}</task-done>
- when: { title: Write gamma }
  steps:
    - run: if test -f gamma.txt; then echo gamma >gamma.txt; else echo bad >gamma.txt; fi
    - say: <task-done>{task}</task-done>
`;
const CONFIG = `gates:\n  - { id: test, run: "sleep 0.05; ! grep -qs bad gamma.txt" }\n`;

/** All that can be seen of a workspace when its work is complete. */
export interface Seen {
  readonly code: number;
  readonly states: Readonly<Record<string, string>>;
  readonly commits: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly differences: string;
  readonly refs: readonly string[];
  readonly locks: readonly string[];
  /** What the slow query says against what is kept. */
  readonly problems: readonly unknown[];
  readonly processes: readonly number[];
}

const expected = (plan: string): Seen => {
  const hasGamma = plan.includes("gamma");
  return {
    code: 0,
    states: { Plan: "done", "Write alpha": "done", "Write beta": "done", ...(hasGamma && { "Write gamma": "done" }) },
    commits: ["Write alpha", "Agent's own", "Write beta", ...(hasGamma ? ["Write gamma"] : [])],
    files: {
      "IMPLEMENTATION_PLAN.md": plan.replaceAll("[ ]", "[x]"),
      "README.md": "alpha\n",
      "alpha.txt": "alpha\n",
      "beta.txt": "beta\n",
      ...(hasGamma && { "gamma.txt": "gamma\n" }),
    },
    differences: "",
    refs: ["refs/heads/main"],
    locks: [],
    problems: [],
    processes: [],
  };
};

export interface Template {
  readonly folder: string;
  readonly start: string;
  /** What every run must come to, however often it was killed. */
  readonly whole: Seen;
}

/** `small`: without the task that is rejected at first. */
export async function killTemplate(size: "small" | "whole"): Promise<Template> {
  const plan = size === "small" ? PLAN.replace("- [ ] Write gamma\n", "") : PLAN;
  const place = await loopWorkspace({
    script: SCRIPT,
    tasks: [],
    config: CONFIG,
    files: { "IMPLEMENTATION_PLAN.md": plan },
  });
  return { folder: place.folder, start: place.git("rev-parse", "HEAD"), whole: expected(plan) };
}

/** A workspace of its own, made in no time. */
export function copyOf({ folder }: Template): string {
  const copy = join(temporaryFolder(), "workspace");
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return copy;
}

export interface Death {
  /** The number of the point, counted from the first one that `from` names. */
  readonly at?: number;
  /** Parts of the names of points that are passed in this order, with " then " between them. */
  readonly from?: string;
  /** Kill everything in its process group with it, git included. */
  readonly whole?: boolean;
  readonly log?: string;
  /** Die after so many milliseconds instead. */
  readonly afterMs?: number;
}

/** One `ralphctl run` that is killed; resolves to whether it was. */
export async function runAndDie(folder: string, { at, from = "", whole = false, log = "", afterMs }: Death) {
  const env = { DIE_AT: String(at ?? ""), DIE_FROM: from, DIE_LOG: log, DIE_WHOLE: whole ? "yes" : "" };
  const preload = afterMs === undefined ? ["--import", resolve("test/die-at.mjs")] : [];
  const child = spawn(process.execPath, [...preload, PROGRAM, "run", "--json"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
    stdio: "ignore",
    detached: true,
  });
  const timer = afterMs === undefined ? undefined : setTimeout(() => kill(child, whole), afterMs);
  const signal = await new Promise((done) => child.on("exit", (_, name) => done(name)));
  clearTimeout(timer);
  return signal === "SIGKILL";
}

function kill({ pid }: ChildProcess, whole: boolean): void {
  try {
    process.kill(whole ? -pid! : pid!, "SIGKILL");
  } catch {
    // It was through before its time came.
  }
}

/** Runs again, and says all that can be seen then. */
export async function runAgain({ start }: Template, folder: string): Promise<Seen> {
  const run = runOf(folder, await ralphctl(["run", "--json"], { cwd: folder }));
  if (run.code !== 0) throw new Error(`${run.code} ${run.finished?.reason} ${run.stderr}`);
  const store = await openSqliteStore({ path: join(folder, ".ralph/ralph.db") });
  const { tasks } = await store.list({}, { limit: 10 });
  const problems = await store.check();
  await store.close();
  const lines = (text: string): string[] => text.split("\n").filter(Boolean);
  const paths = lines(git(folder, "diff", "--name-only", start, "HEAD"));
  const inGit = readdirSync(join(folder, ".git"), { recursive: true, encoding: "utf8" });
  return {
    code: run.code,
    states: Object.fromEntries(tasks.map(({ title, status }) => [title, status])),
    commits: lines(git(folder, "log", "--reverse", "--format=%s", `${start}..`)),
    files: Object.fromEntries(paths.map((path) => [path, `${git(folder, "show", `HEAD:${path}`)}\n`])),
    differences: git(folder, "status", "--porcelain"),
    refs: lines(git(folder, "for-each-ref", "--format=%(refname)")),
    locks: inGit.filter((name) => name.endsWith(".lock")),
    problems,
    processes: await processesOf(folder),
  };
}

/** Processes that a run of this workspace has left; they are ended, so that no test leaves them to the next. */
async function processesOf(folder: string): Promise<number[]> {
  const runs = join(folder, ".ralph/runs");
  const found: number[] = [];
  for (const run of existsSync(runs) ? readdirSync(runs) : []) {
    const marker = { name: "RALPHCTL_RUN", value: run };
    found.push(...marked(marker));
    await sweep(marker);
  }
  return found;
}

/** The points that a run passes, by name. */
export async function pointsOf(template: Template): Promise<string[]> {
  const folder = copyOf(template);
  const log = join(temporaryFolder(), "points");
  await runAndDie(folder, { log });
  return readFileSync(log, "utf8").trim().split("\n");
}

/** What is not as it must be, by name. */
export const differences = ({ whole }: Template, seen: Readonly<Record<string, unknown>>): [string, unknown][] =>
  [...new Set([...Object.keys(whole), ...Object.keys(seen)])]
    .filter((name) => JSON.stringify(seen[name]) !== JSON.stringify(whole[name as keyof Seen]))
    .map((name) => [name, seen[name]]);
