import { EXIT_CODES } from "./exit-code.ts";

/** That somebody wants us to end, as a long command sees it (P-40). */
export interface Interrupts {
  /** Aborted by the first signal: end in order. */
  readonly stop: AbortSignal;
  /** Aborted by the second: end now. */
  readonly kill: AbortSignal;
}

export interface OpenInterrupts extends Interrupts {
  /** Nobody can hear us any more: like a first signal, and never more than that. */
  readonly outputEnded: () => void;
}

/** Why it is to end, where nobody asked for it: there is nobody to tell. */
export const OUTPUT_ENDED = "Nobody reads the output";

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
