import { signal } from "@preact/signals";

/** The time, each second; it stands still while nobody looks. */
export const nowMs = signal(Date.now());

/** What the server's clock is ahead of this one. */
let aheadMs = 0;

/** The server's time at this moment. */
export const timeMs = (): number => Date.now() + aheadMs;

const tick = (): void => {
  nowMs.value = timeMs();
};

/** The server says what time it is: a phone's clock may be minutes off. Less than a second is the way of the message. */
export function setClock(serverMs: number): void {
  const ahead = serverMs - Date.now();
  aheadMs = Math.abs(ahead) < 2000 ? 0 : ahead;
  tick();
}

export function startClock(): void {
  setInterval(() => {
    if (document.visibilityState === "visible") tick();
  }, 1000);
  document.addEventListener("visibilitychange", tick);
}
