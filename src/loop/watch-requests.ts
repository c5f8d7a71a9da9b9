import type { RunDeps } from "./run-deps.ts";

const LOOK_MS = 500;

/**
 * Says when a person asks for a pause or an end in another terminal, and when they change their mind: the loop itself looks
 * only between iterations. Returns a function that ends the watch.
 */
export function watchRequests({ requests, emit }: Pick<RunDeps, "requests" | "emit">): () => void {
  let said = { stop: false, pause: false };
  const look = (): void => {
    const asked = { stop: requests.stopAfter(), pause: requests.isPaused() };
    if (asked.stop === said.stop && asked.pause === said.pause) return;
    said = asked;
    try {
      const from = asked.stop || asked.pause ? requests.from?.() : undefined;
      emit({ type: "run.asked", ...asked, ...(from !== undefined && { from }) });
    } catch {
      // A log that cannot be written ends the run at its next event, in order. From a timer it would end the process.
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    // What a page asks is in the log, also if the run ends at once.
    if (requests.from?.() !== undefined) look();
  };
}
