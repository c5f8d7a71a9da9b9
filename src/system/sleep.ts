import { setTimeout } from "node:timers/promises";

/** Waits until the time is over or the signal aborts. Never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(Math.max(ms, 1), undefined, { signal }).catch(() => undefined);
}
