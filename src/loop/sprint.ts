import { join } from "node:path";
import { commitMessage } from "../domain/commit-message.ts";
import { goalMode, isOutOfIdeas } from "../domain/run/goal-mode.ts";
import { MEANINGS } from "../domain/run/outcome.ts";
import type { SprintMode } from "../domain/prompt/sprint.ts";
import type { TaskId } from "../domain/task.ts";
import { NOTHING_USED } from "../domain/usage.ts";
import type { Claim } from "../store/store.ts";
import { changesBetween } from "../system/git-snapshot.ts";
import type { AfterRequest } from "./after.ts";
import { conclude } from "./conclude.ts";
import type { End } from "./decide.ts";
import { gatherTask } from "./gather.ts";
import { keepLease, LEASE_MS } from "./lease.ts";
import { keepPlanOnly } from "./plan-tree.ts";
import { STEPS_LEFT } from "./rule-goal.ts";
import { type Running, spend, tell } from "./running.ts";
import { settle } from "./settle.ts";
import type { Stock } from "./stock.ts";
import { beginSession } from "./work-tree.ts";

/** What an iteration of a sprint with a goal is for (S003-05); undefined in any other scope. */
export function sprintModeOf({ parts, idle }: Running, task: TaskId): SprintMode | undefined {
  if (parts.goal === undefined) return undefined;
  return task === parts.goal.task ? goalMode(idle, parts.goal.idleThreshold) : "executing";
}

/** After an iteration of a sprint with a goal: what was planned is kept, what was said of the goal is checked. */
export async function afterSprint(running: Running, request: AfterRequest): Promise<End | undefined> {
  const { goal } = running.parts;
  if (goal === undefined) return undefined;
  if (request.claim.task.id === goal.task) return await afterGoal(running, request);
  running.idle = 0;
  const isSaid = request.attempted.said?.completion !== undefined && request.settled.outcome === "verified";
  return isSaid ? await claimGoal(running, request) : undefined;
}

/** D-12: whoever finds nothing to do, again and again, and does not say that all is done, is stuck. */
async function afterGoal(running: Running, request: AfterRequest): Promise<End | undefined> {
  const { parts } = running;
  const { outcome } = request.settled;
  if (outcome === "verified" || !MEANINGS[outcome].isIteration) return undefined;
  // It needs every step, so it is blocked as long as one is open.
  const hasSteps = (await parts.store.get(parts.goal!.task))?.blocked === true;
  if (outcome === "planned" || hasSteps) await keepSteps(running, request);
  // A claim that came too early is no lack of ideas.
  if (outcome !== "deferred") running.idle = hasSteps ? 0 : running.idle + 1;
  const { idleThreshold } = parts.goal!;
  if (!isOutOfIdeas(running.idle, idleThreshold)) return undefined;
  const reason = `${running.idle} iterations in a row found no step to add, and none of them could say that the goal is achieved`;
  return { brokeOff: "stuck", reason };
}

/** As in plan mode (P-04): the steps are committed, and what else was changed is put aside. */
async function keepSteps(running: Running, { claim, setting }: AfterRequest): Promise<void> {
  const { parts, work } = running;
  const { iteration } = setting;
  const changes = await changesBetween(work.repository, work.base, work.last);
  const commitWith = commitMessage({ subject: "Plan the sprint", trailers: { "Ralph-Run": parts.run } });
  const { aside } = await keepPlanOnly(running, { stock: { now: work.last, changes }, commitWith, iteration });
  for (const note of aside) parts.emit({ type: "protocol.broken", iteration, note });
  if (aside.length > 0) running.noted = { task: claim.task.id, notes: [...(running.noted?.notes ?? []), ...aside] };
}

/** D-12: said with the last step. The goal is claimed, too, and its claim is verified as any other. */
async function claimGoal(running: Running, { setting, attempted, claim: step }: AfterRequest): Promise<undefined> {
  const { parts, work, tally } = running;
  const claim = await parts.store.claim({
    scopes: [parts.scope],
    only: [parts.goal!.task],
    owner: parts.owner,
    leaseMs: LEASE_MS,
    run: parts.run,
    iteration: tally.started,
  });
  if (claim === undefined) {
    running.noted = { task: step.task.id, notes: [...(running.noted?.notes ?? []), STEPS_LEFT] };
    return;
  }
  const lost = new AbortController();
  const letGo = keepLease(parts.store, claim.lease, () => lost.abort());
  try {
    await beginSession(work, claim.task.id);
    const after = await concludeGoal(running, claim, {
      setting: { ...setting, signal: lost.signal, folder: join(setting.folder, "goal") },
      attempted,
    });
    if (after.verified?.review !== undefined) spend(running, after);
    const settled = await settle(running, { claim, iteration: setting.iteration, attempted: after });
    if (settled.outcome === "verified" && after.proven !== undefined) {
      const { proof, built, verified } = after.proven;
      running.settled.push({ task: claim.task, proof, tree: built.tree, gates: verified.gates });
      tell(running, "The goal was claimed with the last step, and holds");
    }
  } finally {
    letGo();
  }
}

/** The session has been paid for and looked at already: only what it said of the goal is left of it. */
async function concludeGoal(running: Running, claim: Claim, about: Pick<AfterRequest, "setting" | "attempted">) {
  const { parts, work } = running;
  const { said, session } = about.attempted;
  return await conclude(running, {
    claim,
    setting: about.setting,
    brief: await gatherTask(parts.store, claim.task, parts.rules),
    session: { ...session, usage: NOTHING_USED },
    stock: { ...NO_CHANGE, now: work.last },
    said: { ...said!, claim: "done", promisesAll: false, notes: [] },
  });
}

const NO_CHANGE: Omit<Stock, "now"> = {
  changes: [],
  hasChanged: false,
  followed: { added: [], updated: [], dropped: [], revived: [], claims: [], putBack: [], problems: [] },
  command: undefined,
  notes: [],
  trouble: undefined,
};
