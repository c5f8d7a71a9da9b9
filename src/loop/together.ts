import { commitMessage } from "../domain/commit-message.ts";
import { evidenceOf, type Evidence, type GateResult } from "../domain/gate.ts";
import { cutStart } from "../domain/prompt/cut.ts";
import { NO_CHECK, ONLY_AGENTS_CHECKS, rate, type Rated } from "../domain/strength.ts";
import type { HookEvent } from "../domain/run/hook-event.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { Task } from "../domain/task.ts";
import type { Claim } from "../store/store.ts";
import type { Judged } from "./attempt.ts";
import { checkLanding } from "./check-landing.ts";
import { claimHere } from "./elsewhere.ts";
import { rememberLanded } from "./landed-at.ts";
import { landPlan } from "./land-plan.ts";
import { withLease } from "./lease.ts";
import { taskEnv } from "./naming.ts";
import { markDone } from "./plan-texts.ts";
import { definitionName } from "./proofs.ts";
import type { OpenEvidence } from "./recover.ts";
import { redBefore, tryOwnGates } from "./red-first.ts";
import { review } from "./review.ts";
import { type LaneState, spend, warn } from "./run-state.ts";
import { forgetSaid, isWork } from "./said-done.ts";
import type { Settled } from "./settle.ts";
import type { ClaimCheck } from "./verify.ts";

/** A task that is claimed together with another one, and what its own gates say. */
interface Checked {
  readonly task: Task;
  readonly own: readonly GateResult[];
  readonly redFirst: readonly string[];
}

/** The claim of the session, which has landed. */
interface Whole {
  readonly judged: Judged;
  readonly check: ClaimCheck;
  readonly rated: Rated;
  readonly commit: string | undefined;
}

/**
 * T-23: after a session that claimed the whole scope, settles the other tasks without a session: by their own gates, by
 * the reviewer, who is asked once about all, or as unbroken if the landed commit has work in it.
 * Returns an event for each task that it settled.
 */
export async function settleTogether(lane: LaneState, judged: Judged, settled: Settled): Promise<readonly HookEvent[]> {
  const { deps } = lane;
  const { said, claim, claimCheck: check, rated } = judged;
  if (settled.outcome !== "verified" || check === undefined || rated === undefined) return [];
  const { id: own } = claim.task;
  const { commit } = settled;
  const { others = [], isWhole } = said;
  const hasWork = commit !== undefined && isWork(deps.rules, check.built.paths);
  await forgetSaid(deps.store, own);
  if (isWhole !== true) return [];
  const whole: Whole = { judged, check, rated, commit };
  const checked: Checked[] = [];
  for (const id of others) {
    if (deps.stop.aborted) return [];
    const one = await checkOther(lane, whole, (await deps.store.get(id))!);
    if (one !== undefined && (one.own.length > 0 || hasWork || deps.reviewer !== undefined)) checked.push(one);
  }
  const opinion = await askReviewer(lane, whole, checked);
  if (checked.length === 0 || deps.stop.aborted || opinion?.passed === false) return [];
  const done = await settleAll(lane, whole, { checked, opinion });
  if (done.length > 0) await landMarks(lane, judged, checked);
  return done;
}

/** Runs the task's own gates without and with the work. Undefined if one of them fails with it. */
async function checkOther(lane: LaneState, { check }: Whole, task: Task): Promise<Checked | undefined> {
  const { deps, run } = lane;
  const gates = deps.gates.ofTask(task);
  if (gates.length === 0) return { task, own: [], redFirst: [] };
  await tryOwnGates(lane, task, { commit: check.built.head });
  const name = `together-${task.id}`;
  const own = await checkLanding(deps, {
    commit: run.landing,
    gates,
    name,
    env: taskEnv({ task }),
    base: check.built.head,
  });
  if (deps.stop.aborted || own.some(({ passed }) => !passed)) return undefined;
  return { task, own, redFirst: await redBefore(lane, task, own) };
}

/** Undefined without a reviewer. One that gives no answer has not passed anything. */
async function askReviewer(
  lane: LaneState,
  { judged, check }: Whole,
  checked: readonly Checked[],
): Promise<GateResult | undefined> {
  const { deps, run } = lane;
  if (deps.reviewer === undefined || checked.length === 0 || deps.stop.aborted) return undefined;
  const tasks = checked.map(({ task }) => task);
  const task: Task = {
    ...judged.claim.task,
    title: `${tasks.length} tasks that were claimed together`,
    description: tasks.map(({ title, description }) => `${title}\n\n${description}`.trim()).join("\n\n"),
    acceptance: tasks.flatMap(({ acceptance }) => acceptance),
    gates: [],
  };
  const folder = `${judged.folder}/together`;
  const { built } = check;
  const request = { reviewer: deps.reviewer, tree: built.tree, head: built.head };
  const reviewed = await review(lane, { ...judged, folder, claim: { ...judged.claim, task } }, request);
  spend(run, reviewed);
  return reviewed.result;
}

interface Accepted {
  readonly checked: readonly Checked[];
  readonly opinion: GateResult | undefined;
}

/** In the order in which they can be claimed. Returns an event for each that was settled. */
async function settleAll(lane: LaneState, whole: Whole, { checked, opinion }: Accepted): Promise<HookEvent[]> {
  const left = new Map(checked.map((one) => [one.task.id, one]));
  const events: HookEvent[] = [];
  while (left.size > 0 && !lane.deps.stop.aborted) {
    const claim = await claimHere(lane, [...left.keys()]);
    if (claim === undefined) return events;
    const { own, redFirst } = left.get(claim.task.id)!;
    left.delete(claim.task.id);
    const opinions = opinion === undefined ? [] : [opinion];
    const event = await withLease(lane, claim, async () =>
      settleOther(lane, { ...whole, claim, own: [...own, ...opinions], redFirst }),
    );
    if (event !== undefined) events.push(event);
  }
  return events;
}

interface Other extends Whole, Pick<Checked, "own" | "redFirst"> {
  readonly claim: Claim;
}

/** As in step 9: records the verdict, marks the plan, closes the claim. The work has landed before. */
async function settleOther(lane: LaneState, other: Other): Promise<HookEvent | undefined> {
  const { deps, run } = lane;
  const { judged, check, claim, commit } = other;
  const { task, lease } = claim;
  const by = judged.claim.task;
  const rated = rateOther(lane, other);
  const settlement = settlementFor(judged);
  const { tree, head } = check.built;
  const evidence: OpenEvidence = {
    v: 2,
    target: deps.target.ref,
    lands: commit !== undefined,
    message: commitMessage({ subject: task.title, trailers: { "Ralph-Task": task.id, "Ralph-Run": deps.runId } }),
    settlement,
    ...rated,
    gates: evidenceFor(lane, other),
    together: by.id,
    ...check.room,
  };
  if ((await deps.store.recordVerdict(lease, { tree, commit: head, evidence })) === "fenced") return undefined;
  await markDone(lane, { ...task, ...(settlement.summary !== undefined && { summary: settlement.summary }) });
  if (commit !== undefined) await rememberLanded(lane, task.id, commit);
  const result = await deps.store.settle(lease, settlement);
  if (result.kind === "fenced") {
    warn(lane, `Another run took ${task.id} over, so it is not settled together with ${by.id}`);
    return undefined;
  }
  await forgetSaid(deps.store, task.id);
  const gates = [...deps.gates.ofTask(task), ...deps.gates.gates];
  run.settled.push({ task, strength: rated.strength, tree, gates, with: by.id });
  const { id, title } = task;
  const changed = { type: "tasks.changed", change: "claimed together", tasks: [{ id, title }] } as const;
  const event = { ...changed, strength: rated.strength, with: by.id };
  deps.emit(event);
  return event;
}

/** The gates of the workspace have passed on this very tree, for the claim that landed. */
const isShared = ({ gate }: GateResult): boolean => gate.kind !== "task" && gate.kind !== "reviewer";

function rateOther({ deps }: LaneState, { check, rated, own, redFirst }: Other): Rated {
  const results = [...own, ...check.results.filter(isShared)];
  const look = rated.look.filter((reason) => reason !== NO_CHECK && reason !== ONLY_AGENTS_CHECKS);
  return rate({ results, look, redFirst, shownLittle: [], isOnLane: deps.room.isLane === true });
}

function evidenceFor({ deps }: LaneState, { check, own }: Other): Evidence[] {
  const where = deps.room.isLane === true ? { isOnLane: true as const } : {};
  const at = { tree: check.built.tree, commit: check.built.head, root: deps.root, ...where };
  const shared = check.evidence.filter((_, index) => isShared(check.results[index]!));
  return [
    ...own.map((result) => evidenceOf(result, { ...at, definition: definitionName(result.gate, deps.gates.pinned) })),
    ...shared,
  ];
}

const LONGEST_SUMMARY = 1000;

function settlementFor({ claim, record, summary }: Judged): Settlement {
  const text = `Claimed together with ${claim.task.id}.${summary === undefined ? "" : ` ${summary}`}`;
  return {
    outcome: "verified",
    to: "done",
    counted: false,
    summary: cutStart(text, LONGEST_SUMMARY),
    details: { v: 1, ...record, notes: [] },
  };
}

/** L-03: the marks are ours, and land in one commit. The final check runs the gates on it. */
async function landMarks(
  lane: LaneState,
  { claim, iteration, effects }: Judged,
  checked: readonly Checked[],
): Promise<void> {
  const tasks = await Promise.all(checked.map(async ({ task }) => await lane.deps.store.get(task.id)));
  const done = tasks.filter((task) => task?.status === "done").map((task) => task!);
  const subject = `Mark ${done.length === 1 ? "a task" : `${done.length} tasks`} as done`;
  const trailers = { "Ralph-Run": lane.deps.runId };
  const body = `Claimed together with ${claim.task.id}.`;
  const message = commitMessage({ subject, body, trailers });
  await landPlan(lane, { effects: { changes: [], now: effects.now }, message, iteration, done });
}
