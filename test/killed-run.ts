import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { PROGRAM } from "./built-program.ts";
import { CRASH_STEPS, type CrashStep } from "./crash-steps.ts";
import { evidenceOf, keepReport, photograph } from "./kill-report.ts";
import { copyOf, type Seen, type Template } from "./kill-template.ts";
import { endProcessesOf, processesOf } from "./live-run.ts";
import { runOf } from "./loop-workspace.ts";
import { typed } from "./recording-io.ts";
import { landedTwice, unproven } from "./torture/landing-history.ts";
import { homeOf, git, temporaryFolder } from "./temporary-folder.ts";

export interface Death {
  /** The step of the program in which it dies. */
  readonly step?: CrashStep;
  /** Without a step: the number of the write, of all. */
  readonly at?: number;
  /** Default: the one that nobody can put off. */
  readonly signal?: NodeJS.Signals;
  /** It is for everything in its process group, as that of a terminal is; SIGKILL for all that it started, too. */
  readonly whole?: boolean;
  /** A file for the names of the points that were passed. */
  readonly log?: string;
  /** A file for what it prints as its errors. */
  readonly errors?: string;
  /** Die after so many milliseconds instead. */
  readonly afterMs?: number;
  /** More words for the run. */
  readonly args?: readonly string[];
}

/** One `ralphctl run` that is killed; resolves to how it ended: an exit code, or the signal that ended it. */
export async function runAndDie(folder: string, death: Death): Promise<number | NodeJS.Signals> {
  const { step, at, whole = false, log = "", errors, afterMs, signal = "SIGKILL", args = [] } = death;
  const where = {
    DIE_AT: String(step === undefined ? (at ?? "") : 1),
    DIE_FROM: step === undefined ? "" : CRASH_STEPS[step],
    DIE_LOG: log,
  };
  const env = { ...where, DIE_SIGNAL: signal, DIE_WHOLE: whole ? "yes" : "" };
  const preload = afterMs === undefined || log !== "" ? ["--import", resolve("test/die-at.mjs")] : [];
  const stderr = errors === undefined ? "ignore" : openSync(errors, "a");
  const child = spawn(process.execPath, [...preload, PROGRAM, "run", "--json", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...homeOf(folder), ...env },
    stdio: ["ignore", "ignore", stderr],
    detached: true,
  });
  if (stderr !== "ignore") closeSync(stderr);
  const timer = afterMs === undefined ? undefined : setTimeout(() => kill(child, folder, { whole, signal }), afterMs);
  const end = await new Promise<number | NodeJS.Signals>((done) => {
    child.on("exit", (code, name) => done(code ?? name!));
  });
  clearTimeout(timer);
  return end;
}

function kill(
  { pid }: ChildProcess,
  folder: string,
  { whole, signal }: Required<Pick<Death, "whole" | "signal">>,
): void {
  try {
    process.kill(whole ? -pid! : pid!, signal);
    if (whole && signal === "SIGKILL") for (const each of processesOf(folder)) process.kill(each, signal);
  } catch {
    // It was through before its time came.
  }
}

/** What a run left when it was cut off. */
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

export async function leftBy({ start }: Template, folder: string, ended: Link["ended"]): Promise<Link> {
  const store = await openSqliteStore({ path: join(folder, ".ralph/ralph.db") });
  const { tasks } = await store.list({}, { limit: 10 });
  await store.close();
  return {
    ended,
    tasks: tasks
      .filter(({ isParent }) => !isParent)
      .map(({ title, status, attempts, lease }) => `${title}: ${status} ${attempts}${lease ? " held" : ""}`),
    commits: git(folder, "log", "--reverse", "--format=%s", `${start}..`).split("\n").filter(Boolean),
    isFree: !existsSync(join(folder, ".git/ralph/run.json")),
    processes: processesOf(folder),
  };
}

/** Runs again, and says all that can be seen then. */
export async function runAgain({ start, hasLanes = false }: Template, folder: string, mode = "auto"): Promise<Seen> {
  const run = runOf(folder, await typed(["run", mode, "--json"], { cwd: folder }));
  const store = await openSqliteStore({ path: join(folder, ".ralph/ralph.db") });
  const { tasks } = await store.list({}, { limit: 10 });
  const problems: unknown[] = await store.check();
  await store.close();
  problems.push(...(await unproven(folder, { isGreen: () => true })), ...landedTwice(folder));
  const lines = (text: string): string[] => text.split("\n").filter(Boolean);
  const commits = lines(git(folder, "log", "--reverse", "--format=%s", `${start}..`));
  const paths = lines(git(folder, "diff", "--name-only", start, "HEAD"));
  const inGit = readdirSync(join(folder, ".git"), { recursive: true, encoding: "utf8" });
  return {
    code: run.code,
    states: Object.fromEntries(tasks.map(({ title, status }) => [title, status])),
    commits: hasLanes ? commits.toSorted() : commits,
    files: Object.fromEntries(paths.map((path) => [path, `${git(folder, "show", `HEAD:${path}`)}\n`])),
    differences: git(folder, "status", "--porcelain"),
    refs: [...new Set(lines(git(folder, "for-each-ref", "--format=%(refname)")).map(withoutNames))],
    locks: inGit.filter((name) => name.endsWith(".lock")),
    problems,
    processes: await endProcesses(folder),
    ...(run.code !== 0 && { trouble: run.finished?.reason ?? run.stderr }),
  };
}

const withoutNames = (ref: string): string => ref.replace(/^refs\/ralph\/r-.*/, "refs/ralph/RUN/TASK");

/** Processes that runs of this workspace have left; they are ended, so that no test leaves them to the next. */
async function endProcesses(folder: string): Promise<number[]> {
  const found = processesOf(folder);
  await endProcessesOf(folder);
  return found;
}

/** The points that a run passes, by name. */
export async function pointsOf(template: Template): Promise<string[]> {
  const folder = copyOf(template);
  const log = join(temporaryFolder(), "points");
  await runAndDie(folder, { log });
  return readFileSync(log, "utf8").trim().split("\n");
}

/** One death and the run after it. What is not as it must be then, and where all about it is written down. */
export async function tryDeath(template: Template, death: Death): Promise<unknown> {
  const folder = copyOf(template);
  const notes = temporaryFolder();
  const [log, errors] = [join(notes, "points"), join(notes, "errors")];
  const ended = await runAndDie(folder, { ...death, log, errors });
  // One that was through before its time came proves nothing.
  if (death.afterMs !== undefined && ended === 0) {
    return await tryDeath(template, { ...death, afterMs: death.afterMs / 2 });
  }
  const left = photograph(folder);
  const disorder =
    death.signal === undefined || death.signal === "SIGKILL" ? [] : await disorderIn(template, folder, ended);
  const end = await runAgain(template, folder).catch((error: unknown) => ({ error: String(error) }));
  const odd = [...disorder, ...differences(template, { ...end })];
  if (odd.length === 0) {
    for (const place of [folder, left, notes]) rmSync(place, { recursive: true, force: true });
    return undefined;
  }
  const moment = linesIn(log).slice(-12);
  const killed = { ended, errors: linesIn(errors), points: linesIn(log).length, ...(await evidenceOf(left)) };
  const report = keepReport("killed-run", { death, moment, odd, killed, again: await evidenceOf(folder) });
  return { death, moment: moment.slice(-3), odd, report };
}

/** Those of the deaths that were not made good. */
export async function wrongAfter(template: Template, deaths: Iterable<Death>): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (const death of deaths) {
    const found = await tryDeath(template, death);
    if (found !== undefined) wrong.push(found);
  }
  return wrong;
}

/** What a run must not leave that was asked to end. */
async function disorderIn(template: Template, folder: string, ended: Link["ended"]): Promise<[string, unknown][]> {
  // Before it listens to signals it dies of them, and has nothing yet to put in order.
  if (typeof ended === "string" && !existsSync(join(folder, ".git/ralph"))) return [];
  const link = await leftBy(template, folder, ended);
  // So it does after its last word, while Node ends: then nothing is left to put in order.
  const isOver = typeof ended === "string" ? hasFinished(folder) : ended === 130 || ended === 0;
  const isInOrder = isOver && link.isFree && link.processes.length === 0 && !link.tasks.some(isHeld);
  return isInOrder ? [] : [["left", link]];
}

/** Whether the last thing that was written down of a run is its end. */
function hasFinished(folder: string): boolean {
  const runs = join(folder, ".ralph/runs");
  const [run = ""] = existsSync(runs) ? readdirSync(runs) : [];
  const last = linesIn(join(runs, run, "events.ndjson")).findLast((line) => line !== "");
  return last?.includes('"type":"run.finished"') === true;
}

const isHeld = (task: string): boolean => task.includes("in_progress") || task.endsWith("held");

const linesIn = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);

/** What is not as it must be, by name. */
const differences = ({ whole }: Template, seen: Readonly<Record<string, unknown>>): [string, unknown][] =>
  [...new Set([...Object.keys(whole), ...Object.keys(seen)])]
    .filter((name) => JSON.stringify(seen[name]) !== JSON.stringify(whole[name as keyof Seen]))
    .map((name) => [name, seen[name]]);
