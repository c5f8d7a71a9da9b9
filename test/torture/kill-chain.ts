import { existsSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { copyOf, runAgain, runAndDie, type Seen, STEPS, type Template } from "../killed-run.ts";
import { processesOf } from "../live-run.ts";
import { git } from "../temporary-folder.ts";

/** A signal, and whether it is for the whole process group, as that of a terminal is. */
export interface Kill {
  readonly signal: "SIGINT" | "SIGTERM" | "SIGKILL";
  readonly whole: boolean;
}

/** What one run of a chain left. */
export interface Link {
  /** An exit code, or the signal that ended it. */
  readonly ended: number | NodeJS.Signals;
  /** Each task with its state and how many attempts were counted; `held`: a claim is not closed. */
  readonly tasks: readonly string[];
  readonly commits: readonly string[];
  /** Whether the working tree was given back. */
  readonly isFree: boolean;
  /** What lives on. */
  readonly processes: readonly number[];
}

export interface Chain {
  readonly links: Readonly<Record<string, Link>>;
  readonly end: Seen;
}

/** One workspace and a run for each of the ten steps, each cut off in its step; then one that is left alone. */
export async function playChain(template: Template, kill: Kill): Promise<Chain> {
  const folder = copyOf(template);
  const links: Record<string, Link> = {};
  for (const [step, from] of STEPS) {
    const ended = await runAndDie(folder, { ...kill, from, at: 1 });
    links[step] = { ended, ...(await left(template, folder)) };
  }
  return { links, end: await runAgain(template, folder) };
}

async function left({ start }: Template, folder: string): Promise<Omit<Link, "ended">> {
  const store = await openSqliteStore({ path: join(folder, ".ralph/ralph.db") });
  const { tasks } = await store.list({}, { limit: 10 });
  await store.close();
  return {
    tasks: tasks
      .filter(({ isParent }) => !isParent)
      .map(({ title, status, attempts, lease }) => `${title}: ${status} ${attempts}${lease ? " held" : ""}`),
    commits: git(folder, "log", "--reverse", "--format=%s", `${start}..`).split("\n").filter(Boolean),
    isFree: !existsSync(join(folder, ".git/ralph/run.json")),
    processes: processesOf(folder),
  };
}
