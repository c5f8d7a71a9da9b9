import { execFileSync } from "node:child_process";
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { hasMarker, type Marker } from "./marker.ts";
import { PS_ENVIRONMENT, startTimeOf } from "./process-identity.ts";

export type { Marker } from "./marker.ts";

const POLITE_MS = 300;
const LONGEST_MS = 5000;
const PAUSE_MS = 10;

/**
 * Ends every process that carries the marker: first politely, then by SIGKILL, until none is left. Returns those that
 * were found. A process group does not do: the shell tools of agents leave it, and so does what they start.
 * `earlier`: who was there before anybody carried the marker, so that they need not be asked for it.
 */
export async function sweep(marker: Marker, earlier: Look = NOBODY): Promise<number[]> {
  const found = new Set<number>();
  const start = performance.now();
  let quiet = 0;
  // Two looks without a find, for a process may start another while we look; none ever found needs only one.
  while (quiet < (found.size === 0 ? 1 : 2) && performance.now() - start < LONGEST_MS) {
    const isPolite = performance.now() - start < POLITE_MS;
    const processes = markedProcesses(marker, earlier);
    quiet = processes.length === 0 ? quiet + 1 : 0;
    const asked = isPolite ? processes.filter(({ pid }) => !found.has(pid)) : processes;
    signalAll(asked, isPolite ? "SIGTERM" : "SIGKILL");
    for (const { pid } of processes) found.add(pid);
    if (processes.length > 0) await sleep(PAUSE_MS);
  }
  return [...found].sort((left, right) => left - right);
}

/** The living processes that carry the marker, ourselves left out. */
export const marked = (marker: Marker): number[] => markedProcesses(marker).map(({ pid }) => pid);

/** A process, and when it began: its number alone may pass to another. */
export interface MarkedProcess {
  readonly pid: number;
  readonly start: string;
}

function markedProcesses(marker: Marker, earlier: Look = NOBODY): MarkedProcess[] {
  const all = process.platform === "linux" ? markedInProc(marker, earlier) : markedByPs(processList(), marker);
  return all.filter(({ pid }) => pid !== process.pid);
}

/**
 * Sends a signal to those that still are what was found: between the look at the first and the last of hundreds there
 * is time for one to end, and for its number to be given anew.
 */
export function signalAll(processes: readonly MarkedProcess[], name: NodeJS.Signals): void {
  if (processes.length === 0) return;
  const startOf = process.platform === "linux" ? startTimeOf : startsByPs(processes);
  for (const { pid, start } of processes) if (startOf(pid) === start) signal(pid, name);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself, which is what was wanted.
  }
}

/**
 * Processes by their numbers, each with the number of its folder in `/proc`: another process that has the same number
 * later has another folder.
 */
export type Look = ReadonlyMap<string, number>;

const NOBODY: Look = new Map();
let latest = NOBODY;

/** Who was there when we last looked for anybody. None of them carries a marker that is given out from now on. */
export const lastLook = (): Look => latest;

function markedInProc(marker: Marker, earlier: Look): MarkedProcess[] {
  const wanted = Buffer.from(marker.value);
  const look = new Map<string, number>();
  latest = look;
  // Of somebody else's process nothing can be read, and to be refused takes longer than to ask whose it is.
  const user = process.getuid?.() ?? 0;
  const isAsked = (pid: string): boolean => {
    const folder = lstatSync(`/proc/${pid}`, QUIET);
    if (folder === undefined) return false;
    look.set(pid, folder.ino);
    return (user === 0 || folder.uid === user) && earlier.get(pid) !== folder.ino;
  };
  const carries = (pid: string): boolean => {
    const environ = environOf(pid);
    return environ.includes(wanted) && entriesOf(environ).some((entry) => hasMarker(entry, marker));
  };
  return readdirSync("/proc")
    .filter((name) => /^\d/.test(name) && isAsked(name) && carries(name))
    .flatMap((pid) => {
      // The number may have passed to another process since: it must be alive and carry the marker still.
      const start = startTimeOf(Number(pid));
      return start !== undefined && carries(pid) ? [{ pid: Number(pid), start }] : [];
    });
}

const QUIET = { throwIfNoEntry: false } as const;

const entriesOf = (environ: Buffer): string[] => environ.toString("latin1").split("\0");

/** One for all: hundreds of environments are looked at, one after the other. Most are far smaller. */
const space = Buffer.alloc(128 * 1024);

/** The environment of a process with a NUL byte after each entry; empty when it is gone. */
function environOf(pid: string): Buffer {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/environ`, "r");
    const length = readSync(file, space, 0, space.length, 0);
    return length < space.length ? space.subarray(0, length) : readFileSync(`/proc/${pid}/environ`);
  } catch {
    return space.subarray(0, 0); // gone, or closed to us: either way not one of ours
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const LIST = ["-A", "-E", "-ww", "-o", "pid=,stat=,lstart=,command="];

/** Where there is no /proc: every process with its beginning and its environment, as text. */
const processList = (): string => ps(LIST);

function ps(args: readonly string[]): string {
  try {
    return execFileSync("ps", args, {
      encoding: "utf8",
      env: PS_ENVIRONMENT,
      maxBuffer: 256 * 1024 * 1024,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return ""; // without a list nothing can be found
  }
}

/** `Mon Nov 16 04:59:18 2026`, of a width that does not change. */
const START = String.raw`\S+ +\S+ +\S+ +\S+ +\S+`;
const LINE = new RegExp(String.raw`^\s*(\d+)\s+(\S+)\s+(${START}) (.*)$`);

/** The processes in the output of `ps` that carry a marker in their environment. */
export function markedByPs(list: string, marker: Marker): MarkedProcess[] {
  return list.split("\n").flatMap((line) => {
    const [, pid, state = "Z", start = "", command = ""] = LINE.exec(line) ?? [];
    const isMarked = !state.startsWith("Z") && command.split(" ").some((word) => hasMarker(word, marker));
    return isMarked ? [{ pid: Number(pid), start }] : [];
  });
}

/** When each of these began, as it is now: one `ps` for all of them. */
function startsByPs(processes: readonly MarkedProcess[]): (pid: number) => string | undefined {
  const starts = readStarts(ps(["-o", "pid=,lstart=", "-p", processes.map(({ pid }) => pid).join(",")]));
  return (pid) => starts.get(pid);
}

/** The output of `ps -o pid=,lstart=`. */
export const readStarts = (list: string): ReadonlyMap<number, string> =>
  new Map(
    list.split("\n").flatMap((line) => {
      const [, pid, start = ""] = /^\s*(\d+)\s+(.*\S)\s*$/.exec(line) ?? [];
      return pid === undefined ? [] : [[Number(pid), start] as const];
    }),
  );
