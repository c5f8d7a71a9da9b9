/** How long an agent may be silent, run, and take to exit once it has given its result. */
export interface AgentLimits {
  readonly inactivityMs: number;
  readonly wallMs: number;
  readonly graceMs: number;
}

export interface Watchdog {
  /** There was output. */
  readonly touch: () => void;
  readonly clear: () => void;
}

interface Watched {
  readonly hasResult: () => boolean;
  /** It may want to say something, and is not read. */
  readonly isHeldUp: () => boolean;
}

// Longer ones the timer would take for none at all.
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls `expire` once, when the first limit is over. Times are measured by a clock that nobody can set. One timer that
 * looks again when it fires: output, however much, costs no timers.
 */
export function startWatchdog(
  limits: AgentLimits,
  { hasResult, isHeldUp }: Watched,
  expire: (reason: "inactivity" | "wall" | "grace") => void,
): Watchdog {
  const wallAt = performance.now() + limits.wallMs;
  let lastAt = performance.now();
  let wasOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    wasOver = hasResult();
    if (isHeldUp()) lastAt = performance.now();
    const quietAt = lastAt + (wasOver ? limits.graceMs : limits.inactivityMs);
    const left = Math.min(quietAt, wallAt) - performance.now();
    if (left > 0) timer = setTimeout(look, Math.min(left, MAX_TIMER_MS));
    // With a result at hand, whatever ends the session, it only failed to exit (P-14).
    else expire(wasOver ? "grace" : quietAt <= wallAt ? "inactivity" : "wall");
  };
  look();
  return {
    touch: () => {
      lastAt = performance.now();
      if (hasResult() === wasOver) return;
      clearTimeout(timer);
      look();
    },
    clear: () => clearTimeout(timer),
  };
}
