import type { RunFinished } from "../domain/run/event.ts";
import type { Claim } from "../store/store.ts";
import { after } from "./after.ts";
import { attempt } from "./attempt.ts";
import { begin, withLease } from "./begin.ts";
import { decide, type End } from "./decide.ts";
import { finish, nothingReady } from "./finish.ts";
import { withHooks } from "./hooks.ts";
import { LEASE_MS } from "./lease.ts";
import type { Assignment, RunParts } from "./parts.ts";
import { planIteration } from "./plan-iteration.ts";
import { type Running, startRunning } from "./running.ts";
import { settle } from "./settle.ts";
import { afterSprint } from "./sprint.ts";
import type { WorkTree } from "./work-tree.ts";

/** The loop: decide, claim, attempt, settle, after; until the work is proven done, or something ends it. */
export async function runLoop(parts: RunParts, assignment: Assignment, work: WorkTree): Promise<RunFinished> {
  const running = startRunning(parts, work, assignment);
  return await withHooks(running, async () => {
    let end = await begin(running, assignment);
    while (end === undefined) end = (await decide(running)) ?? (await iterate(running, assignment));
    return await finish(running, end);
  });
}

/** One iteration; an end when it was the last. */
async function iterate(running: Running, assignment: Assignment): Promise<End | undefined> {
  if (running.mode === "plan") return await planIteration(running, assignment);
  const claim = await claimTask(running);
  return claim === undefined ? await nothingReady(running) : await workOn(running, claim);
}

/** From a claim to its settling. */
export async function workOn(running: Running, claim: Claim): Promise<End | undefined> {
  return await withLease(running, claim, async (setting) => {
    const attempted = await attempt(running, claim, setting);
    const settled = await settle(running, { claim, iteration: setting.iteration, attempted });
    const request = { claim, setting, attempted, settled };
    return (await after(running, request)) ?? (await afterSprint(running, request));
  });
}

export const claimTask = ({ parts, only, tally }: Running): Promise<Claim | undefined> =>
  parts.store.claim({
    scopes: [parts.scope],
    only,
    owner: parts.owner,
    leaseMs: LEASE_MS,
    run: parts.run,
    iteration: tally.started + 1,
  });
