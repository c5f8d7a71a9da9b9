import type { Lease } from "../store/store.ts";
import { writeCommit } from "../system/git/commit.ts";
import { dropCandidates, pushCandidate } from "../system/git/remote.ts";
import { awaitRemote, holdLander, leaveLander } from "./lander.ts";
import type { LaneState } from "./run-state.ts";

interface Offered {
  readonly tree: string;
  readonly head: string;
  readonly message: string;
}

const WAIT_MS = 5000;

/**
 * F-03: keeps the commit that is to land on the remote, so that another machine can land it after a crash. Without a
 * fleet there is none. `hasMoved`: something else landed while the remote was away.
 */
export async function offerCandidate(
  lane: LaneState,
  lease: Lease,
  { tree, head, message }: Offered,
): Promise<{ readonly candidate?: string; readonly hasMoved: boolean }> {
  const { deps, seat } = lane;
  const { task, fence } = lease;
  if (deps.fleet === undefined) return { hasMoved: false };
  const { remote } = deps.fleet;
  const commit = await writeCommit(deps.home, { tree, parents: [head], message });
  for (;;) {
    const trouble = await seat.aside(async () => await pushCandidate(deps.home, remote, { task, fence, commit }));
    lane.offered = lease;
    if (trouble === undefined) break;
    await leaveLander(lane);
    await awaitRemote(lane, trouble, WAIT_MS);
  }
  await holdLander(lane);
  return { candidate: commit, hasMoved: lane.run.landing !== head };
}

/** Takes it away once the claim is settled. Nobody waits for that. */
export function withdrawCandidate(lane: LaneState): void {
  const { fleet, home } = lane.deps;
  const { offered } = lane;
  lane.offered = undefined;
  if (fleet === undefined || offered === undefined) return;
  const dropped = dropCandidates(home, fleet.remote, [offered]).catch(() => undefined);
  lane.background = Promise.all([lane.background, dropped]);
}
