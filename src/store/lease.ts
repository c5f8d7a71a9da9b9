import type { Owner } from "../domain/task.ts";

/** A lease as a store records it. */
export interface StoredLease {
  readonly owner: Owner;
  readonly untilMs: number;
  readonly leaseMs: number;
}

export type IsAlive = (owner: Owner) => boolean | undefined;

/** It has expired, or its owner is known to be dead, which only its own host can tell. */
export const isGone = (lease: StoredLease, now: number, isAlive: IsAlive): boolean =>
  lease.untilMs <= now || isAlive(lease.owner) === false;

/**
 * When the lease must end. If it has more time left than it was given, the clock was set back; without the cap it would
 * outlive a dead owner on another host by that much.
 */
export const endOfLease = (lease: StoredLease, now: number): number => Math.min(lease.untilMs, now + lease.leaseMs);
