import { watchTips as readTips, saveGone, type Tips } from "../system/git/gone-refs.ts";
import { type LaneState, warn } from "./run-state.ts";

/** What the person has beside their branch. Stashes come and go while they work, unless they lent their tree. */
export const watchTips = async ({ deps, place }: LaneState): Promise<Tips> =>
  await readTips(deps.home, { stashes: place.number === 0 });

/** T-40 T-41: names what is gone since, in words that blame nobody. */
export async function nameGoneRefs(lane: LaneState, before: Tips): Promise<void> {
  for (const { ref, saved } of await saveGone(lane.deps.home, before, await watchTips(lane))) {
    const what =
      ref === "refs/stash" ? "A stash" : ref.replace("refs/heads/", "The branch ").replace("refs/tags/", "The tag ");
    warn(lane, `${what} was removed during the session. If that was not you, ${saved} has its commits`);
  }
}
