import { setTimeout as sleep } from "node:timers/promises";

/** Waits; the signal ends it sooner. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(ms, 1), undefined, { signal }).catch(() => undefined); // waking early is what the signal is for
}
