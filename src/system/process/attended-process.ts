import { once } from "node:events";
import type { Environment } from "../../domain/environment.ts";
import type { Swept } from "./agent-process.ts";
import { type Box, type BoxedChild, startBoxed } from "./box.ts";
import { type Marker, withMarker } from "./marker.ts";
import { startError } from "./spawn-agent.ts";
import { sweep } from "./sweep.ts";

/** A program that a person works with, in its own interface. */
export interface AttendedProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** All of the environment but the marker. */
  readonly env: Environment;
  readonly cwd: string;
  /** Every process of the session carries it; none that does survives. */
  readonly marker: Marker;
  /** What stands around it. */
  readonly box?: Box | undefined;
  /** Leaves alone what the agent left running. */
  readonly keepsProcesses?: boolean;
}

export interface AttendedResult {
  readonly code: number | null;
  readonly signal: string | null;
  /** We were told to end, and told the agent. */
  readonly stoppedBy?: StopSignal;
  /** Processes that the agent left behind and that were ended. */
  readonly swept: readonly Swept[];
  readonly durationMs: number;
}

type StopSignal = "SIGTERM" | "SIGHUP";

/** Signals of the terminal to all its processes. Meanwhile only the agent handles them. */
const KEYS = ["SIGINT", "SIGQUIT"] as const;
const STOPS: readonly StopSignal[] = ["SIGTERM", "SIGHUP"];

/**
 * Hands the terminal over to an agent until it ends: the same process group, our own streams, no limits. Resolves
 * however it ended; rejects when it could not be started.
 */
export async function runAttended(program: AttendedProgram): Promise<AttendedResult> {
  const begunAt = performance.now();
  let boxed: BoxedChild | undefined;
  let stoppedBy: StopSignal | undefined;
  // Before the start: a signal in that moment must not end us and leave the agent alone.
  const takeBack = takeSignals((signal) => {
    stoppedBy ??= signal;
    boxed?.send(signal);
  });
  try {
    boxed = await start(program);
    const how = once(boxed.child, "exit") as Promise<[AttendedResult["code"], AttendedResult["signal"]]>;
    if (stoppedBy !== undefined) boxed.send(stoppedBy);
    const [code, signal] = await how;
    const left = await boxed.left();
    const swept = program.keepsProcesses === true ? [] : [...left, ...(await sweep(program.marker))];
    const durationMs = Math.round(performance.now() - begunAt);
    return { code, signal, ...(stoppedBy && { stoppedBy }), swept, durationMs };
  } finally {
    takeBack();
  }
}

async function start({ file, args, env, cwd, marker, box }: AttendedProgram): Promise<BoxedChild> {
  try {
    const about = { file, args, cwd, env: withMarker(env, marker), box, isAttended: true };
    const boxed = startBoxed({ ...about, stdio: ["inherit", "inherit", "inherit"] });
    await once(boxed.child, "spawn");
    return boxed;
  } catch (cause) {
    throw await startError(file, cwd, cause);
  }
}

/** Ignores signals of keys and forwards stop signals to the agent. Returns a function that undoes it. */
function takeSignals(onStop: (signal: StopSignal) => void): () => void {
  const ignore = (): void => undefined;
  const others = KEYS.map((name) => process.listeners(name));
  // Ours first: with no listener at all, even for a moment, the key would end us.
  for (const name of KEYS) process.on(name, ignore);
  KEYS.forEach((name, index) => others[index]!.forEach((listener) => process.off(name, listener)));
  for (const name of STOPS) process.on(name, onStop);
  return () => {
    KEYS.forEach((name, index) => others[index]!.forEach((listener) => process.on(name, listener)));
    for (const name of KEYS) process.off(name, ignore);
    for (const name of STOPS) process.off(name, onStop);
  };
}
