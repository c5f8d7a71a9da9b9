import { publishLanding, fetchLanding } from "../system/git/remote.ts";
import type { RemoteTrouble } from "../system/git/remote-trouble.ts";
import { isAncestor } from "../system/git/ref.ts";
import { sleep } from "../system/sleep.ts";
import type { End } from "./decide.ts";
import type { FleetDeps, HeldLander, LaneLander, PublishedMove } from "./fleet-deps.ts";
import { takeRemote } from "./follow-remote.ts";
import { reportAnswer, reportTrouble } from "./report-remote.ts";
import type { LaneState } from "./run-state.ts";

// F-03: one machine at a time moves the branch of the remote. The database says which; the remote's leases refuse one that
// has slept since.

/** The landing cannot go on, and why. */
export class LandingBlocked extends Error {
  readonly end: End;

  constructor(end: End) {
    super(end.reason);
    this.name = "LandingBlocked";
    this.end = end;
  }
}

const LOOK_MS = 250;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Becomes the lander of the fleet, and brings the landing here up to what the remote has. The lane must be in a room:
 * commits that a person pushed are proven. Waits for a remote that is away, as long as nobody stops the run.
 */
export async function holdLander(lane: LaneState): Promise<void> {
  if (lane.lander !== undefined) return;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    lane.lander = await becomeLander(lane);
    const trouble = await bringUp(lane, lane.lander).catch(async (error: unknown) => {
      await leaveLander(lane);
      throw error;
    });
    if (trouble === undefined) {
      reportAnswer(lane);
      return;
    }
    await leaveLander(lane);
    await awaitRemote(lane, trouble, waitMs);
  }
}

export async function leaveLander(lane: LaneState): Promise<void> {
  const held = lane.lander;
  lane.lander = undefined;
  await held?.leave();
}

async function becomeLander(lane: LaneState): Promise<HeldLander> {
  const { deps, run, seat } = lane;
  const { shared, target, leaseMs, wake } = deps.fleet!;
  const desk = await seat.aside(run.landers.take);
  try {
    for (;;) {
      if (deps.stop.aborted) throw new LandingBlocked({ interrupted: true, reason: "Stopped by you" });
      const taken = await shared.takeLander(target, { owner: deps.owner, leaseMs });
      if (taken !== undefined) return heldLander(lane, taken.epoch, () => run.landers.give(desk));
      await seat.aside(async () => await Promise.race([wake.next(), sleep(LOOK_MS, deps.stop)]));
    }
  } catch (error) {
    run.landers.give(desk);
    throw error;
  }
}

function heldLander({ deps }: LaneState, epoch: number, onLeft: () => void): HeldLander {
  const { shared, target, leaseMs } = deps.fleet!;
  // Should it be lost, the remote refuses the push.
  const beat = setInterval(() => void shared.keepLander(target, epoch).catch(() => undefined), leaseMs / 3);
  return {
    epoch,
    seen: { head: undefined, lander: undefined },
    leave: async () => {
      clearInterval(beat);
      onLeft();
      // Without the database, the lease ends by itself.
      await shared.leaveLander(target, epoch).catch(() => undefined);
    },
  };
}

/** Decides what became of landings that others began, and takes over what the remote has. */
async function bringUp(lane: LaneState, held: HeldLander): Promise<RemoteTrouble | undefined> {
  const { deps, seat } = lane;
  const { shared, remote, target } = deps.fleet!;
  for (;;) {
    const seen = await seat.aside(async () => await fetchLanding(deps.home, remote));
    if ("trouble" in seen) return seen;
    if (seen.head === undefined) return branchGone(lane);
    held.seen = seen;
    const left = (await shared.openIntents(target)).filter(({ epoch }) => epoch < held.epoch);
    if (left.length > 0) {
      // From here on, whoever meant to land these is refused by the remote.
      const said = await publishLanding(deps.home, remote, { from: seen, to: undefined, epoch: held.epoch });
      if (said === "moved") continue;
      if ("trouble" in said) return said;
      held.seen = { ...seen, lander: said.lander };
      for (const intent of left) {
        const how = (await isAncestor(deps.home, intent.to, seen.head)) ? "landed" : "given-up";
        await shared.closeIntent(intent, { epoch: held.epoch, how });
      }
    }
    const end = await takeRemote(lane, seen.head);
    if (end !== undefined) throw new LandingBlocked(end);
    return undefined;
  }
}

const branchGone = ({ deps, run }: LaneState): RemoteTrouble => {
  const { remote, branch } = deps.fleet!.remote;
  return {
    trouble: "no such ref",
    why: `The remote ${remote} has no branch ${branch} any more, so nothing can land`,
    remedy: `Push it again: git push ${remote} ${run.landing.slice(0, 12)}:refs/heads/${branch}`,
  };
};

/** F-07: candidates wait for a remote that is away or refuses. Said once, with the remedy. */
export async function awaitRemote(lane: LaneState, { why, remedy }: RemoteTrouble, waitMs: number): Promise<void> {
  const { run, seat } = lane;
  reportTrouble(lane, { why, remedy });
  const { stop } = run.deps;
  if (!stop.aborted) await seat.aside(async () => await sleep(waitMs, stop));
  if (stop.aborted) throw new LandingBlocked({ interrupted: true, reason: "Stopped by you" });
}

/** Lands a commit on the remote. The lane must be the lander. False if something else has landed meanwhile. */
export async function publish(lane: LaneState, move: PublishedMove): Promise<boolean> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const trouble = await publishOnce(lane, move);
    if (typeof trouble === "boolean") return trouble;
    // The remote may have it all the same: whoever is the lander next finds out.
    await leaveLander(lane);
    await awaitRemote(lane, trouble, waitMs);
    await holdLander(lane);
    if (await isAncestor(lane.deps.home, move.to, lane.run.landing)) return true;
    if (lane.run.landing !== move.from) return false;
  }
}

async function publishOnce(lane: LaneState, move: PublishedMove): Promise<boolean | RemoteTrouble> {
  const { deps, lander, seat } = lane;
  const { shared, remote, target } = deps.fleet as FleetDeps;
  const { from, to, tree, lease } = move;
  if (lander === undefined || (lander.seen.head !== from && lander.seen.head !== to)) return false;
  const { epoch, seen } = lander;
  // History that others have is never taken off the branch.
  if (seen.head !== undefined && seen.head !== to && !(await isAncestor(deps.home, seen.head, to))) return false;
  const intent = { target, epoch, from, to, tree, run: deps.runId, task: lease?.task, fence: lease?.fence };
  if ((await shared.addIntent(intent)) === "fenced") return false;
  const said = await seat.aside(async () => await publishLanding(deps.home, remote, { from: seen, to, epoch }));
  if (said === "moved") {
    await shared.closeIntent(intent, { epoch, how: "given-up" });
    return false;
  }
  if ("trouble" in said) return said;
  lander.seen = { head: to, lander: said.lander };
  await shared.closeIntent(intent, { epoch, how: "landed" });
  return true;
}

export const laneLander: LaneLander = { hold: holdLander, leave: leaveLander, publish };
