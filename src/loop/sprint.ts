import { join } from "node:path";
import { commitMessage } from "../domain/commit-message.ts";
import { goalMode, isOutOfIdeas } from "../domain/run/goal-mode.ts";
import { OUTCOME_RULES } from "../domain/run/outcome.ts";
import type { SprintMode } from "../domain/prompt/sprint.ts";
import type { TaskId } from "../domain/task.ts";
import { NOTHING_USED } from "../domain/usage.ts";
import type { Claim } from "../store/store.ts";
import { changesBetween } from "../system/git/snapshot.ts";
import type { AfterRequest } from "./after.ts";
import { judgeAttempt } from "./judge-attempt.ts";
import type { End } from "./decide.ts";
import { gatherTask } from "./gather.ts";
import { keepLease, LEASE_MS } from "./lease.ts";
import { keepPlanOnly } from "./plan-tree.ts";
import { STEPS_LEFT } from "./rule-goal.ts";
import { type RunState, spend, tell } from "./run-state.ts";
import { settle } from "./settle.ts";
import type { SessionEffects } from "./session-effects.ts";
import { beginSession } from "./work-tree.ts";

/** What an iteration of a sprint with a goal is for (S003-05); undefined in any other scope. */
export function sprintModeOf({ deps, idle }: RunState, task: TaskId): SprintMode | undefined {
  if (deps.goal === undefined) return undefined;
  return task === deps.goal.task ? goalMode(idle, deps.goal.idleThreshold) : "executing";
}

/** After an iteration of a sprint with a goal: what was planned is kept, what was said of the goal is checked. */
export async function afterSprint(state: RunState, request: AfterRequest): Promise<End | undefined> {
  const { goal } = state.deps;
  if (goal === undefined) return undefined;
  if (request.claim.task.id === goal.task) return await afterGoal(state, request);
  state.idle = 0;
  const isSaid = request.attempted.said?.completion !== undefined && request.settled.outcome === "verified";
  return isSaid ? await claimGoal(state, request) : undefined;
}

/** D-12: whoever finds nothing to do, again and again, and does not say that all is done, is stuck. */
async function afterGoal(state: RunState, request: AfterRequest): Promise<End | undefined> {
  const { deps } = state;
  const { outcome } = request.settled;
  if (outcome === "verified" || !OUTCOME_RULES[outcome].isIteration) return undefined;
  // It needs every step, so it is blocked as long as one is open.
  const hasSteps = (await deps.store.get(deps.goal!.task))?.blocked === true;
  if (outcome === "planned" || hasSteps) await keepSteps(state, request);
  // A claim that came too early is no lack of ideas.
  if (outcome !== "deferred") state.idle = hasSteps ? 0 : state.idle + 1;
  const { idleThreshold } = deps.goal!;
  if (!isOutOfIdeas(state.idle, idleThreshold)) return undefined;
  const reason = `${state.idle} iterations in a row found no step to add, and none of them could say that the goal is achieved`;
  return { brokeOff: "stuck", reason };
}

/** As in plan mode (P-04): the steps are committed, and what else was changed is put aside. */
async function keepSteps(state: RunState, { claim, setting }: AfterRequest): Promise<void> {
  const { deps, work } = state;
  const { iteration } = setting;
  const changes = await changesBetween(work.repository, work.base, work.last);
  const commitWith = commitMessage({ subject: "Plan the sprint", trailers: { "Ralph-Run": deps.run } });
  const { aside } = await keepPlanOnly(state, { effects: { now: work.last, changes }, commitWith, iteration });
  for (const note of aside) deps.emit({ type: "protocol.broken", iteration, note });
  if (aside.length > 0) state.noted = { task: claim.task.id, notes: [...(state.noted?.notes ?? []), ...aside] };
}

/** D-12: said with the last step. The goal is claimed, too, and its claim is verified as any other. */
async function claimGoal(state: RunState, { setting, attempted, claim: step }: AfterRequest): Promise<undefined> {
  const { deps, work, tally } = state;
  const claim = await deps.store.claim({
    scopes: [deps.scope],
    only: [deps.goal!.task],
    owner: deps.owner,
    leaseMs: LEASE_MS,
    run: deps.run,
    iteration: tally.started,
  });
  if (claim === undefined) {
    state.noted = { task: step.task.id, notes: [...(state.noted?.notes ?? []), STEPS_LEFT] };
    return;
  }
  const lost = new AbortController();
  const letGo = keepLease(deps.store, claim.lease, () => lost.abort());
  try {
    await beginSession(work, claim.task.id);
    const after = await concludeGoal(state, claim, {
      setting: { ...setting, signal: lost.signal, folder: join(setting.folder, "goal") },
      attempted,
    });
    if (after.verified?.review !== undefined) spend(state, after);
    const settled = await settle(state, { claim, iteration: setting.iteration, attempted: after });
    if (settled.outcome === "verified" && after.proven !== undefined) {
      const { proof, built, verified } = after.proven;
      state.settled.push({ task: claim.task, proof, tree: built.tree, gates: verified.gates });
      tell(state, "The goal was claimed with the last step, and holds");
    }
  } finally {
    letGo();
  }
}

/** The session has been paid for and looked at already: only what it said of the goal is left of it. */
async function concludeGoal(state: RunState, claim: Claim, about: Pick<AfterRequest, "setting" | "attempted">) {
  const { deps, work } = state;
  const { said, session } = about.attempted;
  return await judgeAttempt(state, {
    claim,
    setting: about.setting,
    brief: await gatherTask(deps.store, claim.task, deps.rules),
    session: { ...session, usage: NOTHING_USED },
    effects: { ...NO_CHANGE, now: work.last },
    said: { ...said!, claim: "done", promisesAll: false, notes: [] },
  });
}

const NO_CHANGE: Omit<SessionEffects, "now"> = {
  changes: [],
  hasChanged: false,
  followed: { added: [], updated: [], dropped: [], revived: [], claims: [], revertedMarks: [], problems: [] },
  command: undefined,
  notes: [],
  damage: undefined,
};
