import { join } from "node:path";
import type { IterationFinished } from "../domain/run/event.ts";
import { OUTCOME_RULES } from "../domain/run/outcome.ts";
import type { Claim } from "../store/store.ts";
import { writeOnce } from "../system/folder.ts";
import { writePatch } from "../system/git/patch.ts";
import type { Rated } from "../domain/strength.ts";
import type { Judged } from "./attempt.ts";
import type { LaneState } from "./run-state.ts";
import type { Settled } from "./settle.ts";

/**
 * Writes `result.json` (the iteration with its evidence) and `change.patch` (the proven or rejected change) into the
 * iteration's folder. Git writes the patch in the background, from objects that never change.
 */
export function recordIteration(
  lane: LaneState,
  judged: Judged<Claim | undefined>,
  settled: Settled,
): IterationFinished {
  const { folder, said, record, claimCheck } = judged;
  const finished = finishedOf(judged, settled);
  const { type: _, ...result } = finished;
  const evidence = {
    claim: said.claim,
    channel: said.channel,
    record,
    verdict: claimCheck?.verdict,
    tree: claimCheck?.built.tree,
    evidence: claimCheck?.evidence ?? [],
    leftOut: claimCheck?.built.leftOut ?? [],
  };
  writeOnce(join(folder, "result.json"), `${JSON.stringify({ v: 1, ...result, ...evidence }, undefined, 2)}\n`);
  const built = claimCheck?.built;
  const change = settled.outcome === "verified" ? built : built?.work;
  if (built !== undefined && change !== undefined && change.paths.length > 0) {
    const patch = { from: built.head, to: change.tree, file: join(folder, "change.patch") };
    lane.background = Promise.all([lane.background, writePatch(lane.deps.home, patch)]);
  }
  return finished;
}

function finishedOf(judged: Judged<Claim | undefined>, { outcome, task, commit }: Settled): IterationFinished {
  const { claim, session } = judged;
  const status = task?.status;
  return {
    type: "iteration.finished",
    iteration: judged.iteration,
    task: claim && { id: claim.task.id, title: claim.task.title },
    outcome,
    status: status === "in_progress" || status === "dropped" ? undefined : status,
    ...(task?.status === "failed" && task.retry && { retry: true as const }),
    counted: OUTCOME_RULES[outcome].isAttempt,
    ...(judged.rated !== undefined && outcome === "verified" && strengthFields(judged.rated)),
    ...(judged.reason !== undefined && { reason: judged.reason }),
    ...(judged.question !== undefined && { question: judged.question }),
    session: session.outcome.kind,
    ...(session.sessionId !== undefined && { sessionId: session.sessionId }),
    ...(commit !== undefined && { commit }),
    durationMs: session.durationMs,
    costUsd: judged.costUsd,
    tokens: judged.tokens,
    isEstimated: judged.isEstimated,
    ...(judged.isCostPartial && { isCostPartial: true as const }),
  };
}

const strengthFields = ({ strength, look }: Rated): Pick<IterationFinished, "strength" | "look"> => ({
  strength,
  ...(look.length > 0 && { look }),
});
