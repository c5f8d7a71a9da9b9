import { hasTerminal } from "../app/foreground.ts";
import { EXIT_CODES } from "./exit-code.ts";

/** Requests to end, for long commands (P-40). */
export interface Interrupts {
  /** Aborted by the first signal: end gracefully. */
  readonly stop: AbortSignal;
  /** Aborted by the second: end now. */
  readonly kill: AbortSignal;
  /**
   * For a command that goes on without its terminal. The returned signal is aborted when the terminal is closed; without
   * a terminal there is none, and SIGHUP stops.
   */
  readonly outliveTerminal?: () => AbortSignal | undefined;
}

export interface OpenInterrupts extends Required<Interrupts> {
  /** The output was closed: acts like a first signal, never like a second. */
  readonly outputEnded: () => void;
  /** The terminal may have been closed: by SIGHUP, or because it cannot be written to. */
  readonly hungUp: () => void;
  /** The terminal was closed, and the command goes on. */
  readonly isAlone: () => boolean;
}

/** The abort reason when the output was closed. */
export const OUTPUT_ENDED = "The output was closed";

/** Under `npx` one Ctrl-C comes twice: from the terminal, and passed on by npm. */
const ECHO_MS = 100;

/** A shell that ends passes SIGHUP on before the system takes the terminal away. */
const FAREWELL_MS = 300;

/**
 * Turns signals into aborts, from now on: the first into `stop`, the second into `kill`; the third ends the process at
 * once. SIGHUP is only ever the first: a terminal that closes may send several.
 */
export function openInterrupts(
  host: Pick<NodeJS.Process, "on" | "exit">,
  { now = () => performance.now(), isAtTerminal = hasTerminal } = {},
): OpenInterrupts {
  const stop = new AbortController();
  const kill = new AbortController();
  let closed: AbortController | undefined;
  let lastAt = -Infinity;
  const onSignal = (): void => {
    if (now() - lastAt < ECHO_MS) return;
    lastAt = now();
    if (kill.signal.aborted) host.exit(EXIT_CODES.interrupted.code);
    (stop.signal.aborted ? kill : stop).abort();
  };
  const hungUp = (): void => {
    if (closed === undefined) stop.abort();
    else if (!isAtTerminal()) closed.abort();
    else setTimeout(() => (isAtTerminal() ? stop : closed)?.abort(), FAREWELL_MS);
  };
  host.on("SIGINT", onSignal);
  host.on("SIGTERM", onSignal);
  host.on("SIGHUP", hungUp);
  return {
    stop: stop.signal,
    kill: kill.signal,
    outputEnded: () => stop.abort(OUTPUT_ENDED),
    hungUp,
    isAlone: () => closed?.signal.aborted === true,
    outliveTerminal: () => {
      if (closed === undefined && isAtTerminal()) closed = new AbortController();
      return closed?.signal;
    },
  };
}
