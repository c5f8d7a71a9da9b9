import { EXIT_CODES } from "./exit-code.ts";

/** Requests to end, for long commands (P-40). */
export interface Interrupts {
  /** Aborted by the first signal: end gracefully. */
  readonly stop: AbortSignal;
  /** Aborted by the second: end now. */
  readonly kill: AbortSignal;
}

export interface OpenInterrupts extends Interrupts {
  /** The output was closed: acts like a first signal, never like a second. */
  readonly outputEnded: () => void;
}

/** The abort reason when the output was closed. */
export const OUTPUT_ENDED = "The output was closed";

/** Under `npx` one Ctrl-C comes twice: from the terminal, and passed on by npm. */
const ECHO_MS = 100;

/**
 * Turns signals into aborts, from now on: the first into `stop`, the second into `kill`; the third ends the process at
 * once. SIGHUP is only ever the first: a terminal that closes may send several.
 */
export function openInterrupts(
  host: Pick<NodeJS.Process, "on" | "exit">,
  now = () => performance.now(),
): OpenInterrupts {
  const stop = new AbortController();
  const kill = new AbortController();
  let lastAt = -Infinity;
  const onSignal = (): void => {
    if (now() - lastAt < ECHO_MS) return;
    lastAt = now();
    if (kill.signal.aborted) host.exit(EXIT_CODES.interrupted.code);
    (stop.signal.aborted ? kill : stop).abort();
  };
  host.on("SIGINT", onSignal);
  host.on("SIGTERM", onSignal);
  host.on("SIGHUP", () => stop.abort());
  return { stop: stop.signal, kill: kill.signal, outputEnded: () => stop.abort(OUTPUT_ENDED) };
}
