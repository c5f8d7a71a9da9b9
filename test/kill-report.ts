import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { git, temporaryFolder } from "./temporary-folder.ts";

/** A workspace as a kill left it: what comes next changes it. */
export function photograph(folder: string): string {
  for (let tries = 1; ; tries += 1) {
    const copy = join(temporaryFolder(), "workspace");
    try {
      cpSync(folder, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      return copy;
    } catch (error) {
      // An agent that outlived its run goes on working until the next one comes.
      if (tries === MOST_TRIES) throw error;
    }
  }
}

const MOST_TRIES = 10;

/** All that is known of a workspace, for whoever has to find out what went wrong in it. */
export async function evidenceOf(folder: string): Promise<Record<string, unknown>> {
  const said = (...args: readonly string[]): string[] => {
    try {
      return git(folder, "--no-optional-locks", ...args).split("\n");
    } catch (error) {
      return [String(error)];
    }
  };
  return {
    status: said("status", "--porcelain"),
    log: said("log", "--format=%h %s %T", "--all"),
    reflog: said("reflog", "--format=%h %gs"),
    staged: said("ls-files", "--stage"),
    plan: textIn(folder, "IMPLEMENTATION_PLAN.md"),
    gitFolder: readdirSync(join(folder, ".git"), { recursive: true, encoding: "utf8" }).filter(
      (name) => !name.startsWith("objects/") && !name.startsWith("hooks/"),
    ),
    work: textIn(folder, ".git/ralph/work.ndjson"),
    holder: textIn(folder, ".git/ralph/run.json"),
    runs: eventsIn(folder),
    store: await storeIn(folder).catch(String),
  };
}

const textIn = (folder: string, path: string): string | undefined =>
  existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined;

function eventsIn(folder: string): Record<string, string[] | undefined> {
  const runs = join(folder, ".ralph/runs");
  const names = existsSync(runs) ? readdirSync(runs) : [];
  return Object.fromEntries(names.map((name) => [name, textIn(runs, `${name}/events.ndjson`)?.split("\n")]));
}

async function storeIn(folder: string): Promise<unknown> {
  const path = join(folder, ".ralph/ralph.db");
  if (!existsSync(path)) return "none";
  const store = await openSqliteStore({ path });
  try {
    const { tasks } = await store.list({}, { limit: 10 });
    const attempts = await Promise.all(tasks.map(({ id }) => store.attempts(id)));
    return { tasks, attempts, verdicts: await store.openVerdicts() };
  } finally {
    await store.close();
  }
}

/** Writes a report to a place that outlives the tests, and says where. */
export function keepReport(name: string, report: unknown): string {
  const folder = process.env["RALPH_REPORTS"]!; // see test/build-once.ts
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${process.pid}-${Date.now().toString(36)}.json`);
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
  return file;
}
