import type { Claim, Lease, Store } from "../store/store.ts";
import type { TaskId } from "../domain/task.ts";
import type { LaneState } from "./run-state.ts";
import { guardStore } from "./session-effects.ts";

/** How long a claim lasts without a heartbeat. */
export const LEASE_MS = 60_000;

const BEAT_MS = LEASE_MS / 3;

/** Takes the next ready task, or one of `only`. */
export const claimTask = (
  { deps }: LaneState,
  about: { readonly only: readonly TaskId[] | undefined; readonly iteration: number },
): Promise<Claim | undefined> =>
  deps.store.claim({ scopes: [deps.scope], owner: deps.owner, leaseMs: LEASE_MS, run: deps.runId, ...about });

/** Keeps the lease alive while `action` runs. If `action` throws, releases the task. */
export async function withLease<Result>(
  lane: LaneState,
  { lease }: Claim,
  action: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { store } = lane.deps;
  const lost = new AbortController();
  const stopHeartbeat = keepLease(store, lease, () => lost.abort());
  try {
    return await action(lost.signal);
  } catch (error) {
    await guardStore(lane).catch(() => undefined); // the first error is the one to report
    await release(store, lease).catch(() => undefined);
    throw error;
  } finally {
    stopHeartbeat();
  }
}

/** Keeps a claim with a recorded verdict: the next run finishes the proven work, which may be committed already. */
async function release(store: Store, lease: Lease): Promise<void> {
  const open = await store.openVerdicts();
  if (open.some(({ lease: { task, fence } }) => task === lease.task && fence === lease.fence)) return;
  await store.release(lease, "The iteration failed with an error");
}

/** Keeps a lease alive until the returned function is called. `onLost`: another run has the task. */
export function keepLease(store: Store, lease: Lease, onLost: () => void): () => void {
  const beat = setInterval(() => {
    store.heartbeat(lease).then(
      (state) => state === "fenced" && onLost(),
      () => undefined, // the database may be writable again soon; if not, settling fails
    );
  }, BEAT_MS);
  return () => clearInterval(beat);
}
