import { setTimeout } from "node:timers/promises";

/** The time for a timer. One of more than 24 days would end at once, so it ends then. */
export const timerMs = (ms: number): number => Math.min(ms, 2 ** 31 - 1);

/** Waits until the time is over or the signal aborts. Never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(timerMs(Math.max(ms, 1)), undefined, { signal }).catch(() => undefined);
}
