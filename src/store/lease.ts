import type { Owner } from "../domain/task.ts";

/** What a store knows of a lease. */
export interface StoredLease {
  readonly owner: Owner;
  readonly untilMs: number;
  readonly leaseMs: number;
}

export type IsAlive = (owner: Owner) => boolean | undefined;

/** Free at once when its owner is dead on this host; otherwise when it has run out. */
export const isGone = (lease: StoredLease, now: number, isAlive: IsAlive): boolean =>
  lease.untilMs <= now || isAlive(lease.owner) === false;

/**
 * When the lease must end. More time left than it was given means that the clock was put back: it would else outlive
 * a dead owner on another host by that hour.
 */
export const endOfLease = (lease: StoredLease, now: number): number => Math.min(lease.untilMs, now + lease.leaseMs);
