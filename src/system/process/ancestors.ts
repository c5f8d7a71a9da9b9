import { textIn } from "../folder.ts";
import { ps } from "./process-identity.ts";

/** A process above this one: who started it, which group and session it is in, and the variables it began with. */
export interface Ancestor {
  readonly parent: number;
  readonly group: number;
  /** 0 if the system does not tell. */
  readonly session: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A chain of processes is short; one that never ends would be a mistake of ours. */
const MAX_ANCESTORS = 64;

/**
 * The processes above this one, the nearest first, as far as we may look at them. A process whose parent has ended
 * belongs to init, but it stays in its group and session until it leaves them: their leaders come last.
 */
export function* ancestors(): Generator<Ancestor> {
  yield* above(process.pid, lookAround());
}

/** Another process, and those above it. */
export function* withAncestors(pid: number): Generator<Ancestor> {
  const look = lookAround();
  const own = look(pid);
  if (own !== undefined) yield own;
  yield* above(pid, look);
}

type Look = (pid: number) => Ancestor | undefined;

const lookAround = (): Look => (process.platform === "linux" ? fromProc : fromPs());

function* above(start: number, look: Look): Generator<Ancestor> {
  const own = look(start);
  const seen = new Set([start]);
  const parent = start === process.pid ? process.ppid : (own?.parent ?? 0);
  for (const first of [parent, own?.group ?? 0, own?.session ?? 0]) {
    for (let pid = first; pid > 1 && !seen.has(pid) && seen.size < MAX_ANCESTORS;) {
      seen.add(pid);
      const found = look(pid);
      if (found === undefined) break;
      yield found;
      pid = found.parent;
    }
  }
}

function fromProc(pid: number): Ancestor | undefined {
  const stat = textIn(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined; // it has ended
  // Counted from the last bracket: a process may call itself "a) R 1 (".
  const [, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 4);
  // The variables of other users are not for us, their processes may still have one of ours above them.
  const env = variablesIn((textIn(`/proc/${pid}/environ`) ?? "").split("\0"));
  return { parent: Number(parent), group: Number(group), session: Number(session), env };
}

/** For systems without /proc: one `ps` for all, because each takes as long as a small command. */
function fromPs(): Look {
  const all = readAncestors(ps("-A", "-E", "-ww", "-o", "pid=,ppid=,pgid=,command="));
  return (pid) => all.get(pid);
}

/** The output of `ps -E -o pid=,ppid=,pgid=,command=`, in which a value ends at its first blank. */
export const readAncestors = (lines: string): ReadonlyMap<number, Ancestor> =>
  new Map(
    lines.split("\n").flatMap((line) => {
      const [, pid, parent, group, words] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*\S)\s*$/.exec(line) ?? [];
      if (pid === undefined || words === undefined) return [];
      const found = { parent: Number(parent), group: Number(group), session: 0, env: variablesIn(words.split(" ")) };
      return [[Number(pid), found] as const];
    }),
  );

const variablesIn = (entries: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap((entry) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(entry) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
