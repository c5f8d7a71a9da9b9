import { readFileSync } from "node:fs";
import { ps } from "./process-identity.ts";

/** A process above this one: who started it, and the variables it began with. */
export interface Ancestor {
  readonly parent: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A chain of processes is short; one that never ends would be a mistake of ours. */
const MAX_ANCESTORS = 64;

/** The processes above this one, the nearest first, as far as we may look at them. */
export function* ancestors(): Generator<Ancestor> {
  const fromPs = (pid: number) => readAncestor(ps("-E", "-ww", "-o", "ppid=,command=", "-p", String(pid)));
  const look = process.platform === "linux" ? fromProc : fromPs;
  let pid = process.ppid;
  for (let count = 0; count < MAX_ANCESTORS && pid > 1; count++) {
    const found = look(pid);
    if (found === undefined) return;
    yield found;
    pid = found.parent;
  }
}

function fromProc(pid: number): Ancestor | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Counted from the last bracket: a process may call itself "a) R 1 (".
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return { parent, env: variablesIn(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")) };
  } catch {
    return undefined; // it has ended, or belongs to somebody else
  }
}

/** The output of `ps -E -o ppid=,command=`, in which a value ends at its first blank. */
export function readAncestor(line: string): Ancestor | undefined {
  const [, parent, words] = /^\s*(\d+)\s+(.*\S)\s*$/s.exec(line) ?? [];
  return parent === undefined || words === undefined
    ? undefined
    : { parent: Number(parent), env: variablesIn(words.split(" ")) };
}

const variablesIn = (entries: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap((entry) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(entry) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
