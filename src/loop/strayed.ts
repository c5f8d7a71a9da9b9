import { moveLanding, readLanding, saveLostLanding } from "../system/git/landing.ts";
import { markStray, sessionMoves, type Watch } from "../system/git/stray.ts";
import { type LaneState, warn } from "./run-state.ts";

interface Ended {
  readonly iteration: number;
  readonly watch: Watch;
}

/**
 * T-41: what a session did in the person's repository is named, and does not count as the person's. It stays as it is,
 * because they may have done something on top of it. Returns notes for the next prompt.
 */
export async function handleStrayed(lane: LaneState, { iteration, watch }: Ended): Promise<string[]> {
  const { deps, place } = lane;
  const { home, target } = deps;
  if (place.number === 0) return [];
  const landing = await takeBackLanding(lane);
  const moves = sessionMoves(home, target, { watch, lane: place.folder });
  if (moves.length === 0 && !landing) return [];
  const commits = await markStray(home, target, { name: `${deps.runId}.${iteration}`, moves });
  const made = commits.map((commit) => commit.slice(0, 10)).join(", ");
  const what = landing ? `moved ${target.ref}` : made === "" ? "moved HEAD or a branch" : `committed ${made}`;
  warn(lane, `The session ${what} in your repository, outside its lane. No task gets credit for that`);
  return [`You ${what} in ${home.folder}, which does not count. Work only in ${place.root}.`];
}

/** L-25: no agent writes into the landing ref, and no other ralphctl while this run has it. The commit stays under another ref. */
async function takeBackLanding({ deps, run }: LaneState): Promise<boolean> {
  const { home, target } = deps;
  const now = await readLanding(home, target);
  if (now === run.landing) return false;
  await saveLostLanding(home, target);
  return await moveLanding(home, target, { from: now, to: run.landing, subject: "take back a move of a session" });
}
