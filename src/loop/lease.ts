import type { Claim, Lease, Store } from "../store/store.ts";
import type { TaskId } from "../domain/task.ts";
import type { LaneState } from "./run-state.ts";
import { guardStore } from "./session-effects.ts";

/** How long a claim lasts without a heartbeat. */
export const LEASE_MS = 60_000;

/** Takes the next ready task, or one of `only`. */
export const claimTask = (
  { deps }: LaneState,
  about: { readonly only: readonly TaskId[] | undefined; readonly iteration: number },
): Promise<Claim | undefined> =>
  deps.store.claim({
    scopes: [deps.scope],
    owner: deps.owner,
    leaseMs: deps.leaseMs ?? LEASE_MS,
    run: deps.runId,
    ...about,
  });

/** Keeps the lease alive while `action` runs. If `action` throws, releases the task. */
export async function withLease<Result>(
  lane: LaneState,
  { lease }: Claim,
  action: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { store } = lane.deps;
  lane.lease = lease;
  const lost = new AbortController();
  const stopHeartbeat = keepLease(store, lease, { onLost: () => lost.abort(), leaseMs: lane.deps.leaseMs });
  try {
    return await action(lost.signal);
  } catch (error) {
    await guardStore(lane).catch(() => undefined); // the first error is the one to report
    await release(store, lease).catch(() => undefined);
    throw error;
  } finally {
    lane.lease = undefined;
    stopHeartbeat();
  }
}

/** Keeps a claim with a recorded verdict: the next run finishes the proven work, which may be committed already. */
async function release(store: Store, lease: Lease): Promise<void> {
  const open = await store.openVerdicts();
  if (open.some(({ lease: { task, fence } }) => task === lease.task && fence === lease.fence)) return;
  await store.release(lease, "The iteration failed with an error");
}

interface Keeping {
  /** Another run has the task; or, by our own clock, another machine may have it by now (F-07). */
  readonly onLost?: () => void;
  /** Of a fleet. */
  readonly leaseMs?: number | undefined;
}

/** Keeps a lease alive until the returned function is called. */
export function keepLease(store: Store, lease: Lease, { onLost, leaseMs }: Keeping = {}): () => void {
  let heldFrom = performance.now();
  let isAsking = false;
  const isOver = (): boolean => leaseMs !== undefined && performance.now() - heldFrom > leaseMs;
  const keep = async (): Promise<void> => {
    // A database that is away is waited for.
    if (isAsking) return isOver() ? onLost?.() : undefined;
    const from = performance.now();
    isAsking = true;
    try {
      if ((await store.heartbeat(lease)) === "fenced") onLost?.();
      else heldFrom = Math.max(heldFrom, from);
    } catch {
      // The database may be writable again soon; if not, settling fails.
      if (isOver()) onLost?.();
    } finally {
      isAsking = false;
    }
  };
  const beat = setInterval(() => void keep(), (leaseMs ?? LEASE_MS) / 3);
  return () => clearInterval(beat);
}
