import type { FileChange } from "./change.ts";

/** The origin of a gate. Gates run in this order. */
export type GateKind = "task" | "workspace" | "command" | "reviewer";

/** A check that ralphctl itself runs. */
export interface Gate {
  readonly id: string;
  readonly kind: GateKind;
  /** For `sh -c`. What a task is about reaches it by environment only. */
  readonly run: string;
  /** A function of the program that runs the loop; `run` is then only its description. */
  readonly check?: GateCheck | undefined;
  readonly timeoutMs: number;
  /** How often it is run again after a failure. */
  readonly retries: number;
  /** An agent wrote it, and no person has approved it (T-12). */
  readonly isAgents?: boolean;
}

/** T-12: as a check that an agent wrote. */
export const asAgents = (gate: Gate): Gate => ({ ...gate, isAgents: true });

/** Checks the work. If it throws, the gate fails, and the message goes to the next attempt. */
export type GateCheck = (place: CheckedPlace) => GateAnswer | Promise<GateAnswer>;

export interface CheckedPlace {
  /** Absolute path of the work. */
  readonly folder: string;
  /** The variables that commands get: `RALPHCTL_TASK`, `RALPHCTL_TASK_TITLE` and the others. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts at the time limit, or if the run is told to stop. */
  readonly signal: AbortSignal;
}

/** True or false, or a result with a message for the next attempt. */
export type GateAnswer = boolean | { readonly passed: boolean; readonly output?: string };

/** How one run of a gate ended. */
export type GateEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "timeout"; readonly afterMs: number }
  /** It wrote too much output. */
  | { readonly kind: "flood"; readonly limitBytes: number }
  /** It exited with 0 after it had changed files of the tree: it has not passed on that tree. */
  | { readonly kind: "wrote"; readonly files: readonly string[] }
  /** It ran no tests, although it runs some on the base. */
  | { readonly kind: "no tests"; readonly code: number }
  /** Stopped by us: it says nothing about the work. */
  | { readonly kind: "stopped" };

export interface GateOutput {
  /** All of it. */
  readonly file: string;
  readonly bytes: number;
  /** The beginning and the end; the end is empty when the beginning is all. */
  readonly head: string;
  readonly tail: string;
}

export interface GateRun {
  readonly end: GateEnd;
  readonly durationMs: number;
  readonly output: GateOutput;
  /** Processes that it left behind and that were stopped. */
  readonly swept: number;
}

export interface GateResult {
  readonly gate: Gate;
  readonly passed: boolean;
  /** The first run and every retry; the last decides. */
  readonly runs: readonly GateRun[];
  /** The files that it changed, if it passes with them: a fix that could become part of the work. */
  readonly fix?: readonly FileChange[] | undefined;
  /** Its test runner found no tests, as on the base: it passed, and shows nothing. */
  readonly isEmpty?: true;
}

/** The recorded basis of a verdict: enough to run the gate again. */
export interface Evidence {
  readonly gate: string;
  readonly kind: GateKind;
  readonly command: string;
  /** Git's name for all files at the time, and the commit below them. */
  readonly tree: string;
  readonly commit: string | undefined;
  /** Names what the command resolved to (T-04); absent in records of older versions. */
  readonly definition?: string;
  readonly passed: boolean;
  readonly isAgents: boolean;
  /** T-02: it ran on the lane's files as they lay, and not in the room. */
  readonly isOnLane?: true;
  readonly runs: readonly {
    readonly end: GateEnd;
    readonly durationMs: number;
    /** All that it wrote; in a workspace relative to its folder, which may be moved. */
    readonly outputFile: string;
  }[];
}

const ORDER: readonly GateKind[] = ["task", "workspace", "command", "reviewer"];

/** P-15: a task's own gates, the workspace's, the one of the command line, the reviewer. */
export const inOrder = (gates: readonly Gate[]): Gate[] =>
  [...gates].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));

export interface EvidencePlace extends Pick<Evidence, "tree" | "commit" | "definition" | "isOnLane"> {
  readonly root: string;
}

export const evidenceOf = ({ gate, passed, runs }: GateResult, { root, ...at }: EvidencePlace): Evidence => ({
  gate: gate.id,
  kind: gate.kind,
  command: gate.run,
  ...at,
  passed,
  isAgents: gate.isAgents === true,
  runs: runs.map(({ end, durationMs, output }) => ({ end, durationMs, outputFile: within(root, output.file) })),
});

const within = (root: string, file: string): string =>
  file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;

/** A gate's definition when a run began: what it runs and, for a script, what that says. */
export interface PinnedGate {
  readonly id: string;
  readonly run: string;
  /** Undefined where the command is all there is. */
  readonly script: string | undefined;
  /** The file that tells of it, with the part: `package.json (scripts.test)`. */
  readonly at?: string;
  /** The id of a gate that runs all of this, too. */
  readonly within?: string;
  /** The id of a gate that is run in place of this one, because it checks the same. */
  readonly instead?: string;
}

/** Without those in whose place another one of them runs. */
export function notReplaced(gates: readonly PinnedGate[]): PinnedGate[] {
  const ids = new Set(gates.map(({ id }) => id));
  return gates.filter(({ instead }) => instead === undefined || !ids.has(instead));
}

/** Without those that another one of them runs, too, or stands for. */
export function keptGates(gates: readonly PinnedGate[]): PinnedGate[] {
  const standing = notReplaced(gates);
  const ids = new Set(standing.map(({ id }) => id));
  return standing.filter(({ within }) => within === undefined || !ids.has(within));
}

/** Gates whose definitions `gates: auto` finds in one place and not in another, or that start less or something else there. */
export const gatesWithout = (gates: readonly PinnedGate[], others: readonly PinnedGate[]): PinnedGate[] => {
  const known = new Map(others.map(({ id, run }) => [id, run]));
  return gates.filter(({ id, run }) => !doesAllAndMore(run, known.get(id)));
};

/** The same command, or one that does the same in more members of a workspace. */
function doesAllAndMore(before: string, now = ""): boolean {
  const old = before.split(" ");
  const added = now.split(" ").filter((word) => word !== old[0] || old.shift() === undefined);
  return old.length === 0 && added.every((word) => word === "--workspace" || /^\.\/[\w./-]+\/\.\.\.$/.test(word));
}
