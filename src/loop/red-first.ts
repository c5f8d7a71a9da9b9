import type { Gate, GateResult } from "../domain/gate.ts";
import type { StrengthFacts } from "../domain/strength.ts";
import { idsIn, type Task, type TaskId } from "../domain/task.ts";
import type { Store } from "../store/store.ts";
import { checkLanding } from "./check-landing.ts";
import { taskEnv } from "./naming.ts";
import { definitionName } from "./proofs.ts";
import { inRoom, type LaneState } from "./run-state.ts";
import { quietly } from "./varied.ts";

// T-21: a gate that fails before the work and passes with it speaks of the work.

/**
 * Runs a task's own gates on the landing before its first session, and remembers those that fail. Undefined if it has
 * none or had a session before. `time`: all that they may take, or only `verify.extra`. T-22 and T-21 share this run.
 */
export async function tryOwnGates(
  lane: LaneState,
  task: Task,
  { commit = lane.run.landing, time = "extra", isParent = false }: OwnTrial = {},
): Promise<readonly GateResult[] | undefined> {
  const { deps } = lane;
  const own = deps.gates.ofTask(task);
  const gates = time === "whole" ? own : own.map((gate) => once(gate, deps.rules.extraMs));
  if (gates.length === 0 || (await hadSession(deps.store, task.id))) return undefined;
  const results = await inRoom(lane, async () => await runOwn(lane, task, { commit, gates }));
  const failed = results.filter((result) => saysNo(result)).map(({ gate }) => definitionName(gate, deps.gates.pinned));
  // The parts of a parent are its work, so that a gate which failed before them speaks of it.
  const known = isParent ? idsIn(await deps.store.getMeta(keyOf(task.id))) : [];
  const all = [...known, ...failed];
  if (!deps.stop.aborted) await deps.store.setMeta(keyOf(task.id), all.length === 0 && !isParent ? undefined : all);
  return results;
}

const once = (gate: Gate, timeMs: number): Gate => ({
  ...gate,
  retries: 0,
  timeoutMs: Math.min(gate.timeoutMs, timeMs),
});

/** One check at a time, so that gates between its start and its end are its own (L-43). */
async function runOwn(
  { deps }: LaneState,
  task: Task,
  { commit, gates }: { readonly commit: string; readonly gates: readonly Gate[] },
): Promise<readonly GateResult[]> {
  deps.emit({ type: "check.started", check: "own" });
  const ran = await checkLanding(deps, { commit, gates, name: `own-${task.id}`, env: taskEnv({ task }) });
  // T-22: a gate without a test cannot say that the task is done.
  const results = ran.map((result) => (result.isEmpty === true ? asRed(result) : result));
  const red = results.filter(({ passed }) => !passed).map(({ gate }) => gate.id);
  deps.emit({ type: "check.finished", check: "own", red });
  return results;
}

interface OwnTrial {
  readonly commit?: string;
  readonly time?: "extra" | "whole";
  /** Whether the task consists of parts. */
  readonly isParent?: boolean;
}

/** T-13, T-21: runs the gates of all tasks above this one, once, before the first work on their parts. */
export async function tryParentsGates(lane: LaneState, { parent }: Task): Promise<void> {
  const { store } = lane.deps;
  const above = parent === undefined ? undefined : await store.get(parent);
  if (above === undefined) return;
  const isTried = above.gates.length === 0 || (await store.getMeta(keyOf(above.id))) !== undefined;
  if (!isTried) await tryOwnGates(lane, above, { isParent: true });
  await tryParentsGates(lane, above);
}

const asRed = (result: GateResult): GateResult => ({ ...result, passed: false });

/** Gates that pass now and failed before: a task's own before its first session, others in the baseline (P-24). */
export const redBefore = async (lane: LaneState, task: Task, results: readonly GateResult[]): Promise<string[]> =>
  (await failedBefore(lane, task, results)).map(({ gate }) => before(gate));

const before = ({ id }: Gate): string => `${id} failed before the work`;

async function failedBefore({ deps, run }: LaneState, task: Task, results: readonly GateResult[]) {
  const failed = idsIn(await deps.store.getMeta(keyOf(task.id)));
  const isRed = ({ gate, passed, isEmpty }: GateResult): boolean =>
    passed &&
    isEmpty !== true &&
    gate.isAgents !== true &&
    (gate.kind === "task" ? failed.includes(definitionName(gate, deps.gates.pinned)) : run.redBefore.includes(gate.id));
  return results.filter(isRed);
}

interface Landed {
  readonly head: string;
  readonly results: readonly GateResult[];
  /** Whether a gate passes without the work, but with its tests. */
  readonly passesWithTests: (gate: Gate) => Promise<boolean>;
}

/**
 * The same, but only those that fail without the work still. Others became green by the time of day, by something
 * outside of the repository, by what landed meanwhile, or by chance. Nor those that only wanted tests: any test would do.
 * Slow ones are taken at their word.
 */
export async function redWithout(
  lane: LaneState,
  task: Task,
  { head, results, passesWithTests }: Landed,
): Promise<Pick<StrengthFacts, "redFirst" | "shownLittle">> {
  const { deps } = lane;
  const { extraMs } = deps.rules;
  const failed = await failedBefore(lane, task, results);
  const quick = failed.filter(({ runs }) => (runs.at(-1)?.durationMs ?? 0) < extraMs);
  const gates = quick.map(({ gate }) => once(gate, extraMs));
  const check = { commit: head, gates, name: `again-${task.id}`, env: taskEnv({ task }) };
  const again = gates.length === 0 ? [] : await checkLanding(quietly(deps), check);
  const isRed = (result: GateResult): boolean =>
    !quick.includes(result) || again.some((other) => other.gate.id === result.gate.id && saysNo(other));
  const [redFirst, shownLittle]: [string[], string[]] = [[], []];
  for (const one of failed) {
    const said = before(one.gate);
    if (!isRed(one)) shownLittle.push(`${said}, and now passes without it, too`);
    else if (quick.includes(one) && (await passesWithTests(once(one.gate, extraMs))))
      shownLittle.push(`${said}, and passes without it if the new tests are there`);
    else redFirst.push(said);
  }
  return { redFirst, shownLittle };
}

/** A program that is missing, one that was stopped, and one that found no tests say nothing about the work. */
export const saysNo = ({ passed, runs, isEmpty }: GateResult): boolean => {
  const end = runs.at(-1)?.end;
  return !passed && isEmpty !== true && end?.kind === "exit" && end.code !== 126 && end.code !== 127;
};

/** Work that was reopened begins anew: what failed before the old work says nothing about the new. */
async function hadSession(store: Store, id: TaskId): Promise<boolean> {
  const outcomes = (await store.attempts(id)).map(({ outcome }) => outcome);
  return outcomes
    .slice(outcomes.lastIndexOf("verified") + 1)
    .some((outcome) => outcome !== undefined && outcome !== "released");
}

const keyOf = (task: TaskId): string => `red-first/${task}`;
