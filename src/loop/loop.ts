import type { RunFinished } from "../domain/run/event.ts";
import type { Claim } from "../store/store.ts";
import { after } from "./after.ts";
import { attempt } from "./attempt.ts";
import { begin, withLease } from "./begin.ts";
import { decide, type End } from "./decide.ts";
import { finish, nothingReady } from "./finish.ts";
import { withHooks } from "./hooks.ts";
import { LEASE_MS } from "./lease.ts";
import type { Assignment, RunDeps } from "./run-deps.ts";
import { planIteration } from "./plan-iteration.ts";
import { type RunState, startRun } from "./run-state.ts";
import { settle } from "./settle.ts";
import { afterSprint } from "./sprint.ts";
import type { WorkTree } from "./work-tree.ts";

/** The loop: decide, claim, attempt, settle, after; until the work is proven done, or something ends it. */
export async function runLoop(deps: RunDeps, assignment: Assignment, work: WorkTree): Promise<RunFinished> {
  const state = startRun(deps, work, assignment);
  return await withHooks(state, async () => {
    let end = await begin(state, assignment);
    while (end === undefined) end = (await decide(state)) ?? (await iterate(state, assignment));
    return await finish(state, end);
  });
}

/** One iteration; an end when it was the last. */
async function iterate(state: RunState, assignment: Assignment): Promise<End | undefined> {
  if (state.mode === "plan") return await planIteration(state, assignment);
  const claim = await claimTask(state);
  return claim === undefined ? await nothingReady(state) : await workOn(state, claim);
}

/** From a claim to its settling. */
export async function workOn(state: RunState, claim: Claim): Promise<End | undefined> {
  return await withLease(state, claim, async (setting) => {
    const attempted = await attempt(state, claim, setting);
    const settled = await settle(state, { claim, iteration: setting.iteration, attempted });
    const request = { claim, setting, attempted, settled };
    return (await after(state, request)) ?? (await afterSprint(state, request));
  });
}

export const claimTask = ({ deps, only, tally }: RunState): Promise<Claim | undefined> =>
  deps.store.claim({
    scopes: [deps.scope],
    only,
    owner: deps.owner,
    leaseMs: LEASE_MS,
    run: deps.run,
    iteration: tally.started + 1,
  });
