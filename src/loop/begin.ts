import { join } from "node:path";
import { type Hook, hookCommand } from "../domain/hook.ts";
import type { HookDefinition, RunStarted } from "../domain/run/event.ts";
import { defaultIterations } from "../domain/run/policy.ts";
import { baselineReport } from "../domain/verdict-report.ts";
import { runChecks } from "./check.ts";
import type { End } from "./decide.ts";
import { runHooks } from "./hooks.ts";
import { finishPlanning } from "./plan-tree.ts";
import { finishFailure } from "./recover.ts";
import type { Assignment } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";
import { revertAndReport } from "./verify.ts";
import { hasReady } from "./work-left.ts";
import { acceptChecks, beginChecks } from "./work-tree.ts";

/** Before the first iteration: sets the limit, finishes work of an earlier run, and finds red gates. */
export async function begin(lane: LaneState, assignment: Assignment): Promise<End | undefined> {
  const { run, deps } = lane;
  run.iterations = deps.rules.iterations ?? defaultIterations({ mode: run.mode, tasks: assignment.size });
  await runHooks(lane, reportStarted(lane, assignment));
  const needsPerson = await finishFailure(lane);
  if (needsPerson !== undefined) return { brokeOff: "person", reason: needsPerson };
  if (run.mode === "build") await finishPlanning(lane);
  // Without an attempt, nothing would be compared with the baseline.
  if (run.mode === "build" && (await hasReady(run))) await takeBaseline(lane);
  return undefined;
}

function reportStarted({ deps, work, run }: LaneState, { mode, size, notices }: Assignment): RunStarted {
  const { rules } = deps;
  const { hooks } = deps.hooks;
  const started: RunStarted = {
    type: "run.started",
    run: deps.runId,
    scope: deps.scope,
    mode,
    harness: deps.agents[0].name,
    version: deps.version,
    pid: deps.owner.pid,
    folder: deps.repository.folder,
    branch: work.last.branch,
    head: work.last.head,
    limits: {
      iterations: run.iterations,
      ...(rules.timeMs !== undefined && { timeMs: rules.timeMs }),
      ...(rules.costUsd !== undefined && { costUsd: rules.costUsd }),
      ...(rules.tokens !== undefined && { tokens: rules.tokens }),
    },
    gates: deps.gates.gates.map(({ id, kind, run: command }) => ({ gate: id, kind, command })),
    ...(hooks.length > 0 && { hooks: hooks.map(definitionOf) }),
    tasks: size === "one" ? 1 : size,
  };
  deps.emit(started);
  for (const text of notices) deps.emit({ type: "run.notice", level: "warning", text });
  return started;
}

const definitionOf = ({ id, on, work }: Hook): HookDefinition => ({
  hook: id,
  kind: work.kind,
  on,
  command: hookCommand(work),
});

/** Switches from planning to building in the same run. */
export async function beginBuilding(lane: LaneState, tasks: number): Promise<undefined> {
  const { deps, run } = lane;
  run.mode = "build";
  run.iterations = deps.rules.iterations ?? run.tally.iterations + defaultIterations({ mode: "build", tasks });
  await takeBaseline(lane);
  return undefined;
}

/** P-24: records which gates were red before the first attempt. */
async function takeBaseline(lane: LaneState): Promise<void> {
  const { deps, work, run } = lane;
  // If work of an earlier attempt is in the tree, a red gate says nothing about the state before it.
  if (deps.gates.gates.length === 0 || work.task !== undefined) return;
  deps.emit({ type: "check.started", check: "baseline" });
  beginChecks(work, work.last);
  const results = await runChecks(deps, deps.gates.gates, {
    cwd: deps.root,
    outputFolder: join(deps.folder, "baseline"),
    env: {},
    name: "baseline",
  });
  const red = results.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
  run.red = deps.stop.aborted ? [] : baselineReport(results);
  acceptChecks(work, await revertAndReport(lane, work.last));
  deps.emit({ type: "check.finished", check: "baseline", red });
}
