import type { AgentReader } from "../../domain/agent-event.ts";
import { timerMs } from "../sleep.ts";

/** How long an agent may be silent, run, and take to exit once it has given its result. */
export interface AgentLimits {
  readonly inactivityMs: number;
  readonly wallMs: number;
  readonly graceMs: number;
  /** The longest wait for a usage limit that it may name, and how long it may wait for one that it names no end of. */
  readonly patienceMs: number;
}

/** What a watchdog looks at. */
interface Watched {
  readonly progress: () => SessionPhase;
  readonly limited: AgentReader["limited"];
  readonly isHeldUp: () => boolean;
}

/** How far a session is. `waiting`: it has a result, and a command in the background may make it go on. */
export type SessionPhase = "working" | "waiting" | "over";

interface Watchdog {
  /** There was output. */
  readonly touch: () => void;
  readonly clear: () => void;
}

/**
 * Calls `expire` once, when the first limit is over, by the monotonic clock. Uses one timer that checks again when it
 * fires: output costs no timers. An agent that is held up may want to say something, and is not read.
 */
export function startWatchdog(
  limits: AgentLimits,
  { progress, limited, isHeldUp }: Watched,
  expire: (reason: "inactivity" | "wall" | "grace" | "background" | "limited") => void,
): Watchdog {
  const wallAt = performance.now() + limits.wallMs;
  const silenceMs = { working: limits.inactivityMs, waiting: Infinity, over: limits.graceMs };
  let lastAt = performance.now();
  let last: SessionPhase = "working";
  let waitMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    last = progress();
    waitMs = limited?.(Date.now());
    if (isHeldUp()) lastAt = performance.now();
    const quietAt = lastAt + silenceMs[last];
    const limitedAt = last === "working" && waitMs !== undefined ? lastAt + patience(waitMs, limits) : Infinity;
    const left = Math.min(quietAt, limitedAt, wallAt) - performance.now();
    if (left > 0) timer = setTimeout(look, timerMs(left));
    // With a result at hand, whatever ends the session, it only failed to exit (P-14).
    else if (last !== "working") expire(last === "over" ? "grace" : "background");
    else if (limitedAt <= Math.min(quietAt, wallAt)) expire("limited");
    else expire(quietAt <= wallAt ? "inactivity" : "wall");
  };
  look();
  return {
    touch: () => {
      lastAt = performance.now();
      if (progress() === last && limited?.(Date.now()) === waitMs) return;
      clearTimeout(timer);
      look();
    },
    clear: () => clearTimeout(timer),
  };
}

/**
 * For how long an agent may be silent that says it waits this long for a usage limit. After a wait with an end, the model
 * may well think in silence, as after any other request.
 */
function patience(waitMs: number, { patienceMs }: AgentLimits): number {
  if (waitMs > patienceMs) return 0;
  return waitMs === 0 ? patienceMs : Infinity;
}
