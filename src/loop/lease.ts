import type { Lease, Store } from "../store/store.ts";

/** How long a claim is held without a sign of life. */
export const LEASE_MS = 60_000;

const BEAT_MS = LEASE_MS / 3;

/** Keeps a lease alive until the returned function is called. `onLost`: somebody else has the task. */
export function keepLease(store: Store, lease: Lease, onLost: () => void): () => void {
  const beat = setInterval(() => {
    store.heartbeat(lease).then(
      (state) => state === "fenced" && onLost(),
      () => undefined, // a database that cannot be written now may be in a moment, and settling will tell
    );
  }, BEAT_MS);
  return () => clearInterval(beat);
}
