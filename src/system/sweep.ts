import { execFileSync } from "node:child_process";
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A variable in the environment by which the processes of a session are found, wherever they went. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

const POLITE_MS = 300;
const LONGEST_MS = 5000;
const PAUSE_MS = 10;

/**
 * Ends every process that carries the marker: first politely, then by SIGKILL, until none is left. Returns those that
 * were found. A process group does not do: the shell tools of agents leave it, and so does what they start.
 */
export async function sweep(marker: Marker): Promise<number[]> {
  const found = new Set<number>();
  const start = performance.now();
  let quiet = 0;
  // Two looks without a find, for a process may start another while we look; none ever found needs only one.
  while (quiet < (found.size === 0 ? 1 : 2) && performance.now() - start < LONGEST_MS) {
    const isPolite = performance.now() - start < POLITE_MS;
    const pids = marked(marker);
    quiet = pids.length === 0 ? quiet + 1 : 0;
    for (const pid of pids) {
      if (!isPolite) signal(pid, "SIGKILL");
      else if (!found.has(pid)) signal(pid, "SIGTERM");
      found.add(pid);
    }
    if (pids.length > 0) await sleep(PAUSE_MS);
  }
  return [...found].sort((left, right) => left - right);
}

/** The living processes that carry the marker, ourselves left out. */
export function marked({ name, value }: Marker): number[] {
  const entry = `${name}=${value}`;
  const pids = process.platform === "linux" ? markedInProc(entry) : markedByPs(processList(), entry);
  return pids.filter((pid) => pid !== process.pid);
}

function markedInProc(entry: string): number[] {
  const wanted = Buffer.from(`\0${entry}\0`);
  // Of somebody else's process nothing can be read, and to be refused takes longer than to ask whose it is.
  const user = process.getuid?.() ?? 0;
  const isOurs = (pid: string): boolean => user === 0 || lstatSync(`/proc/${pid}`, QUIET)?.uid === user;
  return readdirSync("/proc")
    .filter((name) => /^\d/.test(name))
    .filter((pid) => isOurs(pid) && carries(pid, wanted))
    .map(Number);
}

const QUIET = { throwIfNoEntry: false } as const;

function carries(pid: string, wanted: Buffer): boolean {
  if (!environOf(pid).includes(wanted)) return false;
  // The number may have passed to another process since: it must be alive and the same before and after.
  const start = startOf(pid);
  return start !== undefined && environOf(pid).includes(wanted) && startOf(pid) === start;
}

/** One for all: hundreds of environments are looked at, one after the other. Most are far smaller. */
const space = Buffer.alloc(128 * 1024);

/** The environment of a process with a NUL byte before each entry and after the last; empty when it is gone. */
function environOf(pid: string): Buffer {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/environ`, "r");
    const length = readSync(file, space, 1, space.length - 1, 0);
    if (length < space.length - 1) return space.subarray(0, length + 1);
    return Buffer.concat([Buffer.alloc(1), readFileSync(`/proc/${pid}/environ`)]);
  } catch {
    return space.subarray(0, 0); // gone, or closed to us: either way not one of ours
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** When a process started, in ticks since boot; undefined when it is gone or waits as a zombie. */
function startOf(pid: string): string | undefined {
  const stat = statOf(pid);
  // The name, in brackets, may itself contain blanks and brackets.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined || /^[ZXx]/.test(fields[0] ?? "") ? undefined : fields[19];
}

function statOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined; // gone
  }
}

/** Where there is no /proc: every process with its environment, as text. */
function processList(): string {
  try {
    return execFileSync("ps", ["-A", "-E", "-ww", "-o", "pid=,stat=,command="], {
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return ""; // without a list nothing can be found
  }
}

/** The processes in the output of `ps` that carry an entry in their environment. */
export function markedByPs(list: string, entry: string): number[] {
  return list.split("\n").flatMap((line) => {
    const [, pid, state = "Z", command = ""] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const isMarked = !state.startsWith("Z") && `${command} `.includes(` ${entry} `);
    return isMarked ? [Number(pid)] : [];
  });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself, which is what was wanted.
  }
}
