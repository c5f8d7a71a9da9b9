import { readdirSync, readFileSync } from "node:fs";

export const allProcesses = (): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((id) => id > 0);

/** A process and all below it. */
export function processTree(pid: number): number[] {
  const parents = allProcesses().map((id) => [id, parentOf(id)] as const);
  const found = [pid];
  for (const one of found) found.push(...parents.filter(([, parent]) => parent === one).map(([id]) => id));
  return found;
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1]);
  } catch {
    return undefined; // it has ended
  }
}

/** As when a machine sleeps: all below a process stands still. Returns a function that wakes it. */
export function freezeTree(pid: number): () => void {
  const all = processTree(pid);
  for (const one of all) sendSignal(one, "SIGSTOP");
  return () => all.forEach((one) => sendSignal(one, "SIGCONT"));
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended by itself
  }
}

/** The processes in whose environment a text is, with what they were started as. */
export function processesWith(text: string): { readonly pid: number; readonly words: string }[] {
  return allProcesses().flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(text)) return [];
      return [{ pid, words: readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ") }];
    } catch {
      return []; // it has ended, or is another's
    }
  });
}
