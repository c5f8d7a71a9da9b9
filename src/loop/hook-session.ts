import { join, relative } from "node:path";
import type { HookPhase } from "../domain/hook.ts";
import { fileName } from "../domain/file-name.ts";
import { buildHookPrompt, HOOK_SYSTEM_PROMPT } from "../domain/prompt/hook.ts";
import { nextAgent } from "../domain/run/next-agent.ts";
import { type Budget, budgetLeft } from "../domain/run/budget.ts";
import { iterationOf } from "../domain/run/hook-event.ts";
import { harnessFailure } from "../domain/run/interpret.ts";
import { addCosts, costOf } from "../domain/usage.ts";
import { inCleanClone, treeOfClone } from "../system/git/checkout.ts";
import { writePatch } from "../system/git/patch.ts";
import { readFileAt } from "../system/git/tree-texts.ts";
import { recordOutput } from "../system/output-file.ts";
import type { HookResult, RunningHook } from "./run-hook.ts";
import type { Agent, RunDeps } from "./run-deps.ts";
import { workspaceIn } from "./review.ts";
import { besideNoGate, type LaneState, spend } from "./run-state.ts";
import { isUsedUp, reserve } from "./share.ts";
import { recordPrompt, runSession, type SessionEnd } from "./session.ts";
import { varied } from "./varied.ts";
import { whatReached } from "./watch-budget.ts";

/** Runs agent sessions one after the other in a clone of their own. Their results are a patch and a text. */
export async function runHookSessions(
  lane: LaneState,
  due: RunningHook,
  phases: readonly HookPhase[],
): Promise<HookResult> {
  const { run, deps } = lane;
  const commit = due.head;
  const working = inCleanClone(deps.home, commit, async (checkout) => {
    const cwd = await workspaceIn(checkout, lane.deps);
    const texts: string[] = [];
    let took: Took = {};
    let reason: string | undefined;
    // Waits for gates of other lanes do not count.
    let leftMs = due.hook.timeoutMs;
    for (const phase of phases) {
      const place = { cwd, folder: phases.length === 1 ? due.folder : join(due.folder, fileName(phase.id)) };
      const budget = await budgetFor(lane, due);
      const agent = agentFor(lane, budget);
      reason = typeof agent === "string" ? agent : undefined;
      if (typeof agent === "string") break;
      const request = { ...place, phase, agent, budget, leftMs };
      // Hooks run between the steps of a lane, when it holds no room.
      const session = await besideNoGate(lane, async () => await runPhase(lane, due, request));
      leftMs -= session.durationMs;
      texts.push(session.message.trim());
      took = countSession(lane, took, session);
      run.reserved.delete(due);
      reason = failureOf(session, due);
      if (reason !== undefined) break;
    }
    const { head, tail } = await recordOutput(join(due.folder, "message.md"), `${texts.join("\n\n")}\n`);
    const patch = await keepPatch(lane, due, { checkout, commit });
    const output = (tail || head).trim();
    return { passed: reason === undefined, ...(reason !== undefined && { reason }), ...took, output, ...patch };
  });
  return await working.finally(() => run.reserved.delete(due));
}

/** L-08: beside one lane a hook may use all that is left; beside several it has its part, as their sessions do. */
const budgetFor = async ({ deps, run }: LaneState, due: RunningHook): Promise<Budget> =>
  run.lanes === 1 ? budgetLeft(deps.rules, run.tally) : await reserve(run, due);

/** The most preferred agent that can start now, or why none can. */
function agentFor({ deps, run: { cooldowns } }: LaneState, budget: Budget): Agent | string {
  if (isUsedUp(budget)) return budget.isPart ? "no part of the budget is free" : "the budget of the run is spent";
  const nowMs = performance.now();
  const turn = nextAgent(cooldowns, nowMs);
  if (turn.fromMs > nowMs) return "no agent is available right now";
  return deps.agents[turn.agent]!;
}

interface PhaseRequest {
  readonly cwd: string;
  readonly folder: string;
  readonly phase: HookPhase;
  readonly agent: Agent;
  readonly budget: Budget;
  readonly leftMs: number;
}

async function runPhase(lane: LaneState, due: RunningHook, request: PhaseRequest): Promise<SessionEnd> {
  const { deps } = lane;
  const { hook, event, point, about, name, signal } = due;
  const { cwd, folder, phase, agent, budget, leftMs } = request;
  const text = buildHookPrompt({ prompt: phase.prompt, event, point, folder: about });
  const prompt = { system: HOOK_SYSTEM_PROMPT, text };
  recordPrompt(folder, prompt);
  const iteration = String(iterationOf(event) ?? 0);
  return await runSession(withinTime(deps, leftMs), {
    agent,
    model: modelOf(agent, deps),
    prompt,
    cwd,
    folder,
    env: {
      // Like a reviewer, it may read tasks but has none of its own (W-01).
      RALPHCTL_ATTEMPT: `${deps.runId}.${iteration}.hook`,
      RALPHCTL_HOOK: hook.id,
      RALPHCTL_TASK: "",
      RALPHCTL_ITERATION: iteration,
    },
    name,
    // Events of parallel sessions would mix with those of the agent. The transcript has them all.
    onEvent: () => undefined,
    signal,
    budget,
  });
}

/** A hook has its own time limit, and its processes never outlive its session. */
const withinTime = (deps: RunDeps, leftMs: number): RunDeps =>
  varied(deps, {
    rules: { ...deps.rules, session: { ...deps.rules.session, wallMs: Math.max(leftMs, 1) }, keepsProcesses: false },
  });

/** Nothing depends on a hook, so the fast model is good enough. */
const modelOf = ({ roles }: Agent, { rules }: RunDeps): string | undefined =>
  (rules.strategy === "fixed" ? roles.model : (roles.fast ?? roles.model)) ?? undefined;

type Took = Pick<HookResult, "costUsd" | "tokens" | "isEstimated" | "isCostPartial" | "swept">;

function countSession(lane: LaneState, before: Took, { usage, swept }: SessionEnd): Took {
  const spent = costOf(usage);
  spend(lane.run, spent);
  const { tokens, costUsd: earlier, isEstimated = false, isCostPartial } = before;
  const partial = isCostPartial && { isCostPartial };
  const sum = tokens === undefined ? spent : addCosts({ costUsd: earlier, tokens, isEstimated, ...partial }, spent);
  const { costUsd, ...rest } = sum;
  return {
    ...rest,
    ...(costUsd !== undefined && { costUsd }),
    ...((before.swept ?? 0) + swept > 0 && { swept: (before.swept ?? 0) + swept }),
  };
}

function failureOf(ended: SessionEnd, { hook }: RunningHook): string | undefined {
  const { outcome, stoppedBy, isOverBudget } = ended;
  if (isOverBudget) return `it ${whatReached(ended)}`;
  if (stoppedBy === "abort") return "stopped";
  if (stoppedBy === "wall") return `timed out after ${hook.timeoutMs / 1000} s`;
  return harnessFailure(outcome);
}

/** The file of a workspace in which sessions leave word for those after them. */
const AGENTS = "AGENTS.md";
const MOST_LINES = 20;

/**
 * Saves the session's changes as a patch for a person to read. They never reach the working tree; but the lines that it
 * added to AGENTS.md are context from now on, as nobody may ever apply them.
 */
async function keepPatch(
  { deps }: LaneState,
  { folder }: RunningHook,
  { checkout, commit }: { readonly checkout: string; readonly commit: string },
): Promise<Pick<HookResult, "patch">> {
  const tree = await treeOfClone(deps.home, checkout, commit);
  if (tree === undefined) return {};
  const file = join(folder, "change.patch");
  await writePatch(deps.home, { from: commit, to: tree, file });
  const path = join(relative(deps.home.folder, deps.root), AGENTS);
  const before = new Set((await readFileAt(deps.home, commit, path))?.split("\n"));
  const lines = (await readFileAt(deps.home, tree, path))?.split("\n").map((line) => line.trimEnd()) ?? [];
  const added = lines.filter((line) => line !== "" && !before.has(line));
  await deps.hooks.tell(deps.scope, added.slice(0, MOST_LINES).map(deps.hooks.redact));
  return { patch: relative(deps.root, file) };
}
