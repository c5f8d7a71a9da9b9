import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../error-code.ts";
import { hasMarker, type Marker } from "./marker.ts";
import { ps, startTimeOf } from "./process-identity.ts";

export type { Marker } from "./marker.ts";

const POLITE_MS = 300;
const TIMEOUT_MS = 5000;
const PAUSE_MS = 10;
/** On a busy machine processes end all the time, and most are not ours. */
const MAX_SCANS = 5;

/**
 * Ends every process that carries the marker: first politely, then by SIGKILL, until none is left. Returns those that
 * were found. A process group does not do: the shell tools of agents leave it, and so does what they start.
 * `earlier`: who was there before anybody carried the marker, so that they need not be asked for it.
 */
export async function sweep(marker: Marker, earlier: ProcessTable = NOBODY): Promise<number[]> {
  const found = new Set<number>();
  const gone = new Set<string>();
  const start = performance.now();
  let quiet = 0;
  // Two looks without a find, for a process may start another while we look; none ever found needs only one.
  for (let looks = 1; quiet < (found.size === 0 ? 1 : 2) && performance.now() - start < TIMEOUT_MS; looks += 1) {
    const isPolite = performance.now() - start < POLITE_MS;
    const seen = markedProcesses(marker, earlier);
    const { processes } = seen;
    const isBetween = seen.isBetween && isPolite;
    const hasGone = seen.gone.some((pid) => !gone.has(pid)) && looks < MAX_SCANS;
    for (const pid of seen.gone) gone.add(pid);
    quiet = processes.length === 0 && !isBetween && !hasGone ? quiet + 1 : 0;
    const asked = isPolite ? processes.filter(({ pid }) => !found.has(pid)) : processes;
    signalAll(asked, isPolite ? "SIGTERM" : "SIGKILL");
    for (const { pid } of processes) found.add(pid);
    if (processes.length > 0 || isBetween) await sleep(PAUSE_MS);
  }
  return [...found].sort((left, right) => left - right);
}

/** The living processes that carry the marker, ourselves left out. */
export const marked = (marker: Marker): number[] => markedProcesses(marker).processes.map(({ pid }) => pid);

/** A process, and when it began: its number alone may pass to another. */
export interface MarkedProcess {
  readonly pid: number;
  readonly start: string;
}

/** The result of one scan, during which processes start and end. */
interface Seen {
  readonly processes: readonly MarkedProcess[];
  /** Processes that ended before they could be checked: one of them may have started another. */
  readonly gone: readonly string[];
  /** A process was in the middle of `exec`: for that moment it has no environment. */
  readonly isBetween: boolean;
}

function markedProcesses(marker: Marker, earlier: ProcessTable = NOBODY): Seen {
  const seen =
    process.platform === "linux"
      ? markedInProc(marker, earlier)
      : { processes: markedByPs(processList(), marker), gone: [], isBetween: false };
  return { ...seen, processes: seen.processes.filter(({ pid }) => pid !== process.pid) };
}

/**
 * Sends a signal to the processes that are still the same: during the scan of hundreds one can end, and its id can be
 * reused.
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
export type ProcessTable = ReadonlyMap<string, number>;

const NOBODY: ProcessTable = new Map();
let latest = NOBODY;

/** The processes of the last scan. None of them carries a marker that is created from now on. */
export const lastScan = (): ProcessTable => latest;

function markedInProc(marker: Marker, earlier: ProcessTable): Seen {
  const wanted = Buffer.from(marker.value);
  const look = new Map<string, number>();
  latest = look;
  const gone: string[] = [];
  let isBetween = false;
  // Other users' processes cannot be read, and a refusal takes longer than checking the owner.
  const user = process.getuid?.() ?? 0;
  const isAsked = (pid: string): boolean => {
    const folder = lstatSync(`/proc/${pid}`, QUIET);
    if (folder === undefined) {
      gone.push(pid);
      return false;
    }
    look.set(pid, folder.ino);
    if (earlier.get(pid) === folder.ino) return false;
    if (user === 0 || folder.uid === user) return true;
    isBetween ||= earlier.size > 0 && folder.uid === 0 && isOf(pid, user);
    return false;
  };
  const carries = (pid: string): boolean => {
    const environ = environOf(pid);
    if (environ === undefined) {
      isBetween ||= earlier.size > 0;
      return false;
    }
    if (environ.length > 0) {
      return environ.includes(wanted) && entriesOf(environ).some((entry) => hasMarker(entry, marker));
    }
    const why = withoutEnviron(pid);
    if (why === "gone") gone.push(pid);
    isBetween ||= why === "between";
    return false;
  };
  const processes = readdirSync("/proc")
    .filter((name) => /^\d/.test(name) && isAsked(name) && carries(name))
    .flatMap((pid) => {
      // The number may have passed to another process since: it must be alive and carry the marker still.
      const start = startTimeOf(Number(pid));
      if (start === undefined) gone.push(pid);
      return start !== undefined && carries(pid) ? [{ pid: Number(pid), start }] : [];
    });
  return { processes, gone, isBetween };
}

const QUIET = { throwIfNoEntry: false } as const;

/** While a process starts a program, all in its folder belongs to root for a moment, but not the process itself. */
function isOf(pid: string, user: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return new RegExp(`^Uid:\\t${user}\\b`, "m").test(status) && !/^State:\t[ZXx]/m.test(status);
  } catch {
    return false; // it is gone
  }
}

const entriesOf = (environ: Buffer): string[] => environ.toString("latin1").split("\0");

/** One for all: hundreds of environments are looked at, one after the other. Most are far smaller. */
const space = Buffer.alloc(128 * 1024);

/** The environment of a process with a NUL byte after each entry; empty when there is none now, undefined: not for us. */
function environOf(pid: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/environ`, "r");
    const length = readSync(file, space, 0, space.length, 0);
    return length < space.length ? space.subarray(0, length) : readFileSync(`/proc/${pid}/environ`);
  } catch (error) {
    return ["EACCES", "EPERM"].includes(codeOf(error)) ? undefined : space.subarray(0, 0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Why a process shows no environment: it is gone, between two programs, or was given none. */
function withoutEnviron(pid: string): "gone" | "between" | "none" {
  try {
    return whyNoEnviron(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return "gone";
  }
}

/** `PF_KTHREAD`: it runs in the kernel, and has no memory and no environment at any time. */
const PART_OF_SYSTEM = 0x20_0000;

/** The same by `/proc/PID/stat`: state, flags, size, where its environment begins and ends (fields 3, 9, 23, 50, 51). */
export function whyNoEnviron(stat: string): "gone" | "between" | "none" {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "X", flags, size, begin, end] = [0, 6, 20, 47, 48].map((index) => fields[index]);
  if ((Number(flags) & PART_OF_SYSTEM) !== 0) return "none";
  // A process without memory is about to end.
  if ("ZXx".includes(state) || size === "0") return "gone";
  return end !== "0" && begin === end ? "none" : "between";
}

/** For systems without /proc: every process with its start time and environment, as text. */
const processList = (): string => ps("-A", "-E", "-ww", "-o", "pid=,stat=,lstart=,command=");

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
  const starts = readStarts(ps("-o", "pid=,lstart=", "-p", processes.map(({ pid }) => pid).join(",")));
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
