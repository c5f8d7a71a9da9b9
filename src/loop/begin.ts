import { join } from "node:path";
import { RalphError } from "../domain/error.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { type Hook, hookCommand } from "../domain/hook.ts";
import type { HookDefinition, RunStarted } from "../domain/run/event.ts";
import { defaultIterations } from "../domain/run/policy.ts";
import { changeIn } from "../domain/run/ready-changes.ts";
import { SEVERAL } from "../domain/scope-name.ts";
import { baselineReport } from "../domain/verdict-report.ts";
import { runChecks } from "./check.ts";
import { checkLanding } from "./check-landing.ts";
import { nameTree } from "../system/git/tree.ts";
import { setupError } from "../lane/open-places.ts";
import { describeDifference, type RoomLines } from "../lane/room-advice.ts";
import { runHooks } from "./hooks.ts";
import { saysNo } from "./red-first.ts";
import { readOwnPlans } from "./plan-texts.ts";
import { rescueWork } from "./rescue.ts";
import type { Assignment } from "./run-deps.ts";
import { laneInScopeOf } from "./open-lane.ts";
import { hasScopes, type LaneState } from "./run-state.ts";
import { takeScopes } from "./scopes.ts";
import { restoreMark } from "./settle.ts";
import { type LanePlaces, rescueOthers } from "./work-in-lanes.ts";
import { hasReady } from "./work-left.ts";
import { quietly } from "./varied.ts";

/** Before everything else: sets the limit, and keeps work of a killed session. */
export async function begin(lane: LaneState, assignment: Assignment, places: LanePlaces): Promise<void> {
  const { run, deps } = lane;
  run.iterations = deps.rules.iterations ?? defaultIterations({ mode: run.mode, tasks: assignment.size });
  await takeScopes(lane);
  await runHooks(lane, reportStarted(lane, assignment));
  await readOwnPlans(lane);
  const rescued = await rescueWork(lane);
  // A killed run may have marked it as done before its proof.
  if (rescued !== undefined) await restoreMark(laneInScopeOf(lane, rescued), rescued);
  await rescueOthers(lane, places);
}

/** Before the first iteration: finds red gates. Without an attempt, nothing would be compared with them. */
export async function takeFirstBaseline(lane: LaneState): Promise<void> {
  if (lane.run.mode === "build" && (await hasReady(lane.run))) await takeBaseline(lane);
}

/** A machine begins to work on a run that another one follows. */
export async function joinRun(lane: LaneState, places: LanePlaces): Promise<void> {
  await readOwnPlans(lane);
  await rescueWork(lane);
  await rescueOthers(lane, places);
}

/** The most paths in an event. */
const MOST_PATHS = 20;

function reportStarted({ deps, place, run }: LaneState, assignment: Assignment): RunStarted {
  const { mode, notices, info, notIncluded } = assignment;
  const { rules } = deps;
  const { hooks } = deps.hooks;
  const started: RunStarted = {
    type: "run.started",
    run: deps.runId,
    ...scopesOf(run),
    mode,
    harness: deps.agents[0].name,
    version: deps.version,
    pid: deps.owner.pid,
    folder: deps.home.folder,
    branch: deps.target.branch,
    head: run.landing,
    lane: { number: place.number, folder: place.folder },
    lanes: run.lanes,
    ...(deps.fleet !== undefined && { fleet: true }),
    ...(notIncluded.length > 0 && {
      notIncluded: { files: notIncluded.length, paths: notIncluded.slice(0, MOST_PATHS) },
    }),
    limits: {
      iterations: run.iterations,
      ...(rules.timeMs !== undefined && { timeMs: rules.timeMs }),
      ...(rules.costUsd !== undefined && { costUsd: rules.costUsd }),
      ...(rules.tokens !== undefined && { tokens: rules.tokens }),
    },
    gates: [...deps.gates.gates, ...run.agentsGates].map(({ id, kind, run: command }) => ({ gate: id, kind, command })),
    ...(hooks.length > 0 && { hooks: hooks.map(definitionOf) }),
    tasks: run.scopes.reduce((sum, { tasks }) => sum + tasks, 0),
  };
  deps.emit(started);
  run.hasStarted = true;
  for (const text of info) deps.emit({ type: "run.notice", level: "info", text });
  for (const text of notices) deps.emit({ type: "run.notice", level: "warning", text });
  return started;
}

const scopesOf = (run: LaneState["run"]): Pick<RunStarted, "scope" | "changes"> =>
  hasScopes(run)
    ? { scope: SEVERAL, changes: run.scopes.map(({ deps }) => changeIn(deps.scope)) }
    : { scope: run.deps.scope };

const definitionOf = ({ id, on, work }: Hook): HookDefinition => ({
  hook: id,
  kind: work.kind,
  on,
  command: hookCommand(work),
});

/** Switches from planning to building in the same run. */
export async function beginBuilding(lane: LaneState, tasks: number): Promise<void> {
  const { deps, run } = lane;
  run.mode = "build";
  run.iterations = deps.rules.iterations ?? run.counted + defaultIterations({ mode: "build", tasks });
  await takeBaseline(lane);
}

/** P-24: records which gates were red before the first attempt. */
async function takeBaseline(lane: LaneState): Promise<void> {
  const { deps, run } = lane;
  const gates = [...deps.gates.gates, ...run.agentsGates];
  if (gates.length === 0) return;
  deps.emit({ type: "check.started", check: "baseline" });
  const results = await checkLanding(deps, { commit: run.landing, gates, name: "baseline" });
  const red = results.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
  run.redGates = red;
  run.redBefore = results.filter(saysNo).map(({ gate }) => gate.id);
  run.red = deps.stop.aborted ? [] : baselineReport(results);
  deps.emit({ type: "check.finished", check: "baseline", red });
  if (!deps.stop.aborted) await refuseIrreproducible(lane, results);
}

/**
 * L-21: gates that lack an ignored file of the person's would reject all work, and so does set-up that fails. They are
 * tried again in the room with these files, never in the person's tree.
 */
async function refuseIrreproducible({ deps, run }: LaneState, results: readonly GateResult[]): Promise<void> {
  const red = results.filter(({ passed }) => !passed);
  if (red.length === 0) return;
  // Set-up is not a gate.
  const setup = red.find(({ gate }) => ![...deps.gates.gates, ...run.agentsGates].includes(gate));
  const difference = await deps.explainRoom({ red, setup });
  const gates = setup === undefined ? red.map(({ gate }) => gate) : deps.gates.gates;
  const hasFiles = difference.lines.include.length > 0;
  const mended = hasFiles ? await passWith({ deps, run }, difference.lines, gates) : [];
  if (deps.stop.aborted) return;
  if (mended.length > 0) {
    const { message, fix } = describeDifference({ ...difference, gates: mended });
    throw new RalphError("config", message, { hint: fix });
  }
  if (setup !== undefined) throw setupError("the room", setup);
}

/** The gates that pass in a room with these files. */
async function passWith(
  { deps, run }: Pick<LaneState, "deps" | "run">,
  lines: RoomLines,
  gates: readonly Gate[],
): Promise<string[]> {
  const { tree } = await nameTree(deps.home, run.landing, []);
  const room = await deps.openTrialRoom(lines);
  try {
    const { root, env, setup } = await room.enter({ head: run.landing, tree });
    if (setup?.passed === false) return [];
    const place = { cwd: root, outputFolder: join(deps.folder, "trial"), env, name: "trial" };
    const results = await runChecks(quietly(deps), gates, place);
    return results.filter(({ passed }) => passed).map(({ gate }) => gate.id);
  } finally {
    await room.close();
  }
}
