import { endsWithin } from "../sleep.ts";
import type { AgentEvent, AgentExit, AgentOutcome, AgentReader, StopReason } from "../../domain/agent-event.ts";
import type { Environment } from "../../domain/environment.ts";
import { signalOf } from "../../domain/sandbox/init.ts";
import { removeAll, writeAtomic } from "../folder.ts";
import { collectFiles, lookNowAndThen, openOwnFile } from "./agent-files.ts";
import { type AgentOutput, openAgentOutput } from "./agent-output.ts";
import { type Marker, withMarker } from "./marker.ts";
import type { Box } from "./box.ts";
import { endGroup } from "./process-group.ts";
import { type AgentChild, type AgentCommand, spawnAgent } from "./spawn-agent.ts";
import { lastScan, type ProcessTable, sweep } from "./sweep.ts";
import { type AgentLimits, type SessionPhase, startWatchdog } from "./watchdog.ts";

export type { AgentCommand, AgentFile } from "./spawn-agent.ts";
export type { AgentLimits } from "./watchdog.ts";

/** A signal, and the time to wait after it. */
export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly waitMs: number;
}

export interface AgentSession {
  readonly command: AgentCommand;
  readonly reader: AgentReader;
  /** SIGKILL always follows. */
  readonly stopOrder: readonly StopStep[];
  readonly cwd: string;
  /** What stands around it. */
  readonly box?: Box | undefined;
  /** All of the environment but what the command adds. */
  readonly env: Environment;
  /** Every process of the session carries it; none that does survives. */
  readonly marker: Marker;
  readonly limits: AgentLimits;
  /** Files for the raw output and the raw standard error; added to, never rewritten. No error output: no such file. */
  readonly transcript: string;
  readonly stderr: string;
  readonly onEvent: (event: AgentEvent) => void;
  /** Told the end of its standard error before its last event. */
  readonly onStderr?: ((text: string) => void) | undefined;
  /** Told when the reader may know more than its events say; absent: it is asked for them alone. */
  readonly onLook?: (() => void) | undefined;
  /**
   * Told when the session's last process is gone: none of them writes any more. Its last words may be in the pipes. Told
   * again when these were held by one that could not be found: it may have written since. Not where processes are kept.
   */
  readonly onGone?: (() => void) | undefined;
  /** Whether its words so far need no more: then a command in the background is not waited for. */
  readonly isThrough?: (() => boolean) | undefined;
  /** Stops the agent by its stop order. */
  readonly signal: AbortSignal;
  /** Resolves when those who are told of events have kept up; undefined: they have. */
  readonly caughtUp?: (() => Promise<void> | undefined) | undefined;
  /** Kills it at once. */
  readonly kill?: AbortSignal;
  /** Leaves alone what the agent left running. */
  readonly keepsProcesses?: boolean;
}

export interface AgentResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stoppedBy?: StopReason;
  readonly outcome: AgentOutcome;
  /** From its start to the end of its last process, whatever was done to the clock on the wall. */
  readonly durationMs: number;
  /** Processes that the agent left behind and that were ended. */
  readonly swept: readonly Swept[];
  /** The end of its standard error. */
  readonly stderr: string;
}

/** A process by its number, or by its name if its number means nothing here. */
export type Swept = number | string;

/** How long pipes may stay open after the agent is gone: silent, and at all. Our own reading is not counted. */
const QUIET_PIPES_MS = 250;
const OPEN_PIPES_MS = 5000;
/** More than pipes can hold: a process that writes this much after the agent's end would not stop. */
const MAX_PIPE_BYTES = 4 * 1024 * 1024;
/** Free pipes end within this time, unless they are full or the machine is busy. */
const HELD_MS = 5;

/**
 * Runs one session of an agent, from its start to the end of its last process. Resolves however the session ended;
 * rejects when it could not be started, or not be recorded.
 */
export async function runAgent(session: AgentSession): Promise<AgentResult> {
  const startMs = performance.now();
  const { command, marker } = session;
  const earlier = lastScan();
  const output = openAgentOutput(session);
  let endLooks = (): void => undefined;
  try {
    for (const { path, text, isSecret } of command.files) await writeAtomic(path, text, isSecret ? 0o600 : undefined);
    const { [marker.name]: outer } = session.env;
    const env = withMarker({ ...session.env, ...command.env, [marker.name]: outer }, marker);
    const own = openOwnFile(session.reader, env);
    endLooks = session.onLook === undefined ? endLooks : lookNowAndThen(own, session.onLook);
    const ended = session.signal.aborted
      ? NOT_STARTED
      : await supervise(
          { ...session, earlier },
          await spawnAgent(command, { cwd: session.cwd, env, box: session.box }),
          output,
        );
    output.flush();
    const durationMs = Math.round(performance.now() - startMs);
    endLooks();
    await own.look();
    const exit: AgentExit = {
      ...ended.exit,
      atMs: Date.now(),
      stderr: output.stderrTail(),
      files: await collectFiles(command.collect),
    };
    session.onStderr?.(exit.stderr);
    const last = session.reader.end(exit);
    last.forEach(session.onEvent);
    return { ...ended.exit, outcome: outcomeIn(last), durationMs, swept: ended.swept, stderr: exit.stderr };
  } finally {
    endLooks();
    output.close();
    for (const { path, isSecret } of command.files) if (isSecret) await removeAll(path);
  }
}

type Exit = Pick<AgentExit, "code" | "signal" | "stoppedBy">;

interface Ended {
  readonly exit: Exit;
  readonly swept: readonly Swept[];
}

const NOT_STARTED: Ended = { exit: { code: null, signal: null, stoppedBy: "abort" }, swept: [] };

/** Waits for the agent's end, or brings it about. */
async function supervise(
  session: AgentSession & { readonly earlier: ProcessTable },
  agent: AgentChild,
  output: AgentOutput,
): Promise<Ended> {
  const exited = new Promise<Exit>((resolve) => {
    agent.once("exit", (code, signal) => resolve(session.box === undefined ? { code, signal } : byShell(code, signal)));
  });
  let stoppedBy: StopReason | undefined;
  const stop = (reason: StopReason): void => {
    if (stoppedBy !== undefined) return;
    stoppedBy = reason;
    void stopInOrder(agent, session.stopOrder, exited);
  };
  const onAbort = (): void => stop("abort");
  const onKill = (): void => {
    stop("abort");
    agent.send("SIGKILL");
  };
  const progress = (): SessionPhase => progressOf(session);
  const { limited } = session.reader;
  const watchdog = startWatchdog(session.limits, { progress, limited, isHeldUp: output.isHeldUp }, stop);
  session.signal.addEventListener("abort", onAbort);
  session.kill?.addEventListener("abort", onKill);
  if (session.signal.aborted) onAbort();
  if (session.kill?.aborted === true) onKill();

  let failure: { readonly error: unknown } | undefined;
  const heard = (): void => {
    watchdog.touch();
    if (session.reader.isRefused?.() === true) stop("refused");
    if (session.reader.isStuck?.() === true) stop("repeats");
  };
  const read = output.read(agent, heard).catch((error: unknown) => {
    failure = { error };
    stop("abort");
    // Both: output on the other one would go to a closed file.
    agent.stdout.destroy();
    agent.stderr.destroy();
  });
  const how = await exited;
  watchdog.clear();
  session.signal.removeEventListener("abort", onAbort);
  session.kill?.removeEventListener("abort", onKill);
  const isKept = session.keepsProcesses === true;
  const left = await agent.left();
  const swept = isKept ? [] : [...left, ...(await sweep(session.marker, session.earlier))];
  if (!isKept) endGroup(agent.pid);
  const onGone = isKept ? undefined : session.onGone;
  onGone?.();
  const goneAt = performance.now();
  await closePipes(session, { agent, read, output });
  if (performance.now() - goneAt > HELD_MS) onGone?.();
  if (failure !== undefined) throw failure.error;
  return { exit: stoppedBy === undefined ? how : { ...how, stoppedBy }, swept };
}

async function stopInOrder(agent: AgentChild, order: readonly StopStep[], exited: Promise<unknown>): Promise<void> {
  for (const { signal, waitMs } of order) {
    agent.send(signal);
    if (await endsWithin(exited, waitMs)) return;
  }
  agent.send("SIGKILL");
}

/** The shell in a box, or bubblewrap itself, tells of a signal by the exit code. */
function byShell(code: number | null, signal: string | null): Exit {
  const told = signalOf(code);
  return told === undefined ? { code, signal } : { code: null, signal: told };
}

/**
 * A process that we cannot end may hold the pipes open forever. Reads what is in them, as fast as the receivers can
 * take it, and then closes them.
 */
async function closePipes(
  { signal }: AgentSession,
  { agent, read, output }: { readonly agent: AgentChild; readonly read: Promise<void>; readonly output: AgentOutput },
): Promise<void> {
  let start = performance.now();
  let before = output.taken();
  while (!(await endsWithin(read, QUIET_PIPES_MS))) {
    // On a busy machine the time may be over before anybody has looked into the pipes. One look empties them.
    await new Promise(setImmediate);
    const now = performance.now();
    const taken = output.taken();
    if (output.isHeldUp() && !signal.aborted) [start, before] = [now, taken];
    const isQuiet = now - Math.max(start, output.lastAt()) >= QUIET_PIPES_MS;
    const readMs = taken.bytes - before.bytes < MAX_PIPE_BYTES ? taken.ms - before.ms : 0;
    if (!isQuiet && now - start - readMs < OPEN_PIPES_MS) continue;
    agent.stdout.destroy();
    agent.stderr.destroy();
  }
}

function outcomeIn(events: readonly AgentEvent[]): AgentOutcome {
  const last = events.at(-1);
  if (last?.type === "agent.ended") return last.outcome;
  throw new Error("A reader ended a session without agent.ended as its last event");
}

function progressOf({ reader, isThrough }: AgentSession): SessionPhase {
  if (reader.hasResult()) return "over";
  if (reader.isWaiting?.() !== true) return "working";
  return isThrough?.() === true ? "over" : "waiting";
}
