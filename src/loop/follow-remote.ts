import { fetchLanding } from "../system/git/remote.ts";
import { moveLanding, saveLostLanding } from "../system/git/landing.ts";
import { isAncestor } from "../system/git/ref.ts";
import type { End } from "./decide.ts";
import { asLanderOf } from "./desk.ts";
import { takeIn } from "./follow-person.ts";
import { reportAnswer, reportTrouble } from "./report-remote.ts";
import { type LaneState, tell } from "./run-state.ts";

/**
 * F-03: before the next candidate, the landing here takes over what others landed. Commits that a person pushed are proven
 * first. Throws if only a person can go on.
 */
export async function followRemote(lane: LaneState): Promise<void> {
  const { deps, run, seat } = lane;
  const seen = await seat.aside(async () => await fetchLanding(deps.home, deps.fleet!.remote));
  if ("trouble" in seen) {
    // Sessions can go on: what they prove waits.
    if (seen.trouble !== "moved") reportTrouble(lane, seen);
    return;
  }
  if (seen.head !== undefined) reportAnswer(lane);
  if (seen.head === undefined || seen.head === run.landing) return;
  if (await isProven(lane, seen.head)) await adopt(lane, seen.head);
  else await asLanderOf(deps, async () => await Promise.resolve());
}

/** Takes over what the remote has, as the lander. Returns an end if only a person can go on. */
export async function takeRemote(lane: LaneState, head: string): Promise<End | undefined> {
  const { deps, run } = lane;
  if (head === run.landing) return undefined;
  if (await isProven(lane, head)) {
    await adopt(lane, head);
    return undefined;
  }
  const isRewound = !(await isAncestor(deps.home, run.landing, head));
  if (isRewound) await saveRewound(lane);
  const seen = { kind: isRewound ? "diverged" : "ahead", branch: head, landing: run.landing } as const;
  return await takeIn(lane, { ...seen, isRemote: true }, { commits: [head], what: "commits that were pushed" });
}

/** An intent and the remote together say that it landed. */
async function isProven({ deps }: LaneState, head: string): Promise<boolean> {
  const { shared, target } = deps.fleet!;
  if ((await shared.landedBy(target, [head])).has(head)) return true;
  return (await shared.openIntents(target)).some(({ to }) => to === head);
}

async function adopt(lane: LaneState, head: string): Promise<void> {
  const { deps, run } = lane;
  if (!(await isAncestor(deps.home, run.landing, head))) await saveRewound(lane);
  const from = run.landing;
  if (await moveLanding(deps.home, deps.target, { from, to: head, subject: "take over what landed" }))
    run.landing = head;
}

/** Somebody changed the history on the remote, and that is theirs to do. */
async function saveRewound(lane: LaneState): Promise<void> {
  const { deps } = lane;
  const ref = await saveLostLanding(deps.home, deps.target);
  const { remote, branch } = deps.fleet!.remote;
  tell(
    lane,
    `The history of ${branch} on ${remote} was changed, and the run goes on from there; the old one is ${ref}`,
  );
}
