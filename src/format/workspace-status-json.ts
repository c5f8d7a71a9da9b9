import { type Estimate, estimateOf } from "../domain/run/estimate.ts";
import type { IterationRecord } from "../domain/run/iteration-record.ts";
import { inRooms, openIterations } from "../domain/run/run-record.ts";
import { type LivingRun, spentSoFar, type WorkspaceStatus } from "../app/status.ts";
import { isoTime, taskJson } from "../domain/task-json.ts";

/** The same as JSON; null for missing values. */
export const workspaceStatusJson = (status: WorkspaceStatus) => ({
  version: 1,
  at: isoTime(status.nowMs),
  folder: status.root,
  scope: status.scope ?? null,
  running: status.running.map((run) => runJson(run, status.nowMs)),
  last: status.last === undefined ? null : lastJson(status.last),
  tasks: status.counts.map(({ scope, leaves, ready, blocked, retry }) => ({ scope, ...leaves, ready, blocked, retry })),
  next: status.next.map((task) => taskJson(task)),
  waiting: status.waiting.map((task) => taskJson(task)),
  failed: status.failed.map((task) => taskJson(task)),
  held: status.leases.map(({ task, isAlive }) => ({ ...taskJson(task), isHolderAlive: isAlive ?? null })),
  notFollowing: status.behind.map(({ branch, ref, commits, refusal }) => ({
    branch,
    ref,
    commits: commits ?? null,
    why: refusal?.why ?? null,
    remedy: refusal?.remedy ?? null,
    steps: refusal?.steps ?? ["ralphctl land"],
  })),
  found: status.found.map(({ name, what, use }) => ({ name, what, use })),
  context: status.context,
  costUsd: status.spent.costUsd ?? null,
  isCostPartial: status.spent.isCostPartial,
  isCostEstimated: status.spent.isCostEstimated,
  tokens: status.spent.tokens,
  runs: status.spent.runs,
});

function runJson({ run, scope, pid, host, root, glance }: LivingRun, nowMs: number) {
  const who = { run, scope, pid, host, folder: root };
  if (glance === undefined) return { ...who, startedAt: null };
  const { summary, startedAtMs, lastAtMs } = glance;
  const open = openIterations(glance);
  const { costUsd, tokens, isCostPartial, isCostEstimated } = spentSoFar(glance);
  return {
    ...who,
    startedAt: isoTime(startedAtMs),
    lastAt: isoTime(lastAtMs),
    idleMs: Math.max(0, nowMs - lastAtMs),
    mode: summary.started?.mode ?? null,
    lane: summary.started?.lane ?? null,
    lanes: summary.started?.lanes ?? 1,
    limits: summary.started?.limits ?? null,
    iteration: open.map(sessionJson).at(-1) ?? null,
    iterations: open.map(sessionJson),
    room: inRooms(glance)[0]?.started.iteration ?? null,
    rooms: inRooms(glance).map(({ started }) => started.iteration),
    estimate: estimateJson(estimateOf(glance, nowMs), nowMs),
    waiting: waitingJson(summary.waiting),
    asked: summary.asked,
    commits: summary.commits,
    costUsd: costUsd ?? null,
    isCostPartial,
    isCostEstimated,
    tokens,
  };
}

const sessionJson = ({ started, startedAtMs }: IterationRecord) => ({
  iteration: started.iteration,
  of: started.of,
  startedAt: isoTime(startedAtMs),
  mode: started.mode,
  task: started.task ?? null,
  harness: started.harness,
  model: started.model ?? null,
  lane: started.lane ?? null,
  folder: started.folder,
});

const estimateJson = (found: Estimate | undefined, nowMs: number) =>
  found === undefined
    ? null
    : {
        tasks: found.tasks,
        endsAt: { from: isoTime(nowMs + found.leftMs.from), to: isoTime(nowMs + found.leftMs.to) },
        costUsd: found.costUsd ?? null,
        isCostPartial: found.isCostPartial,
      };

const waitingJson = (waiting: { readonly for: string; readonly untilMs?: number } | undefined) =>
  waiting === undefined
    ? null
    : { for: waiting.for, until: waiting.untilMs === undefined ? null : isoTime(waiting.untilMs) };

const lastJson = ({ run, scope, lastAtMs, finished }: NonNullable<WorkspaceStatus["last"]>) => ({
  run,
  scope: scope ?? null,
  lastAt: isoTime(lastAtMs),
  ending: finished?.ending ?? null,
  reason: finished?.reason ?? null,
  costUsd: finished?.costUsd ?? null,
  isCostPartial: finished === undefined ? null : (finished.isCostPartial ?? false),
  isCostEstimated: finished === undefined ? null : (finished.isCostEstimated ?? false),
  tokens: finished?.tokens ?? null,
});
