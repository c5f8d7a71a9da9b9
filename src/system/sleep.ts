import { setTimeout as pause } from "node:timers/promises";

/** The time for a timer. One of more than 24 days would end at once, so it ends then. */
export const timerMs = (ms: number): number => Math.min(ms, 2 ** 31 - 1);

/** Waits until the time is over or the signal aborts. Never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(timerMs(Math.max(ms, 1)), undefined, { signal }).catch(() => undefined);
}

/** Whether it happens in this time. A signal that aborts ends the wait. */
export async function endsWithin(promise: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (() => void) | undefined;
  const late = new Promise<boolean>((resolve) => {
    giveUp = () => resolve(false);
    timer = setTimeout(giveUp, ms);
    signal?.addEventListener("abort", giveUp);
  });
  const ended = signal?.aborted !== true && (await Promise.race([promise.then(() => true), late]));
  clearTimeout(timer);
  if (giveUp !== undefined) signal?.removeEventListener("abort", giveUp);
  return ended;
}
