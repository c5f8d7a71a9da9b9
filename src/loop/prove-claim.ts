import { join } from "node:path";
import type { GateResult } from "../domain/gate.ts";
import { cutMiddle } from "../domain/prompt/cut.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import type { TaskId } from "../domain/task.ts";
import { namesInLine, rejectionReport } from "../domain/verdict-report.ts";
import type { Store } from "../store/store.ts";
import { buildTree, commitsBetween, messageOf } from "../system/git/commit.ts";
import { readPatch } from "../system/git/patch.ts";
import { workRef } from "../system/git/work-ref.ts";
import type { Attempted } from "./attempt.ts";
import { LandingConflict } from "./candidate.ts";
import { checkTree } from "./check-landing.ts";
import { asLanderOf } from "./desk.ts";
import type { Ruling } from "./judge-attempt.ts";
import { holdLander, LandingBlocked } from "./lander.ts";
import { taskEnv } from "./naming.ts";
import { commitRules, inRoom, type LaneState, proving } from "./run-state.ts";
import { type ClaimCheck, verify } from "./verify.ts";

// L-25: with several lanes, other work may land between the start of a session and its claim.

/** A claim that can neither land nor be blamed on its session. */
interface Clash {
  /** A sentence about it. */
  readonly why: string;
  /** For the next session: conflicting lines, or the output of gates. */
  readonly details: string;
  readonly paths: readonly string[];
  readonly claimCheck?: ClaimCheck;
}

export type ProvenClaim = { readonly claimCheck: ClaimCheck } | { readonly ruling: Ruling };

/** Proves a claim on top of what has landed. If it clashes with that, the ruling sends it back to its task. */
export async function proveClaim(lane: LaneState, attempt: Attempted, said: Interpretation): Promise<ProvenClaim> {
  return await inRoom(lane, async () => {
    // Others may have been in the room for a long time.
    if (lane.run.lanes > 1 && lane.deps.stop.aborted) return { ruling: { outcome: "stopped" } };
    const checked = await proving(lane, async () => await proveOrClash(lane, attempt, said));
    // The next look at the branch says what is wrong with it.
    if (checked instanceof LandingBlocked) return { ruling: { outcome: "stopped", reason: checked.message } };
    return "verdict" in checked ? { claimCheck: checked } : { ruling: await rulingOf(lane, attempt, checked) };
  });
}

async function proveOrClash(
  lane: LaneState,
  attempt: Attempted,
  said: Interpretation,
): Promise<ClaimCheck | Clash | LandingBlocked> {
  const { deps, run, base } = lane;
  try {
    for (;;) {
      const check = await verify(lane, await withEdits(lane, attempt), said);
      const { kind } = check.verdict;
      if (kind === "rejected" && check.built.head !== base.head && !deps.stop.aborted) {
        return (await redTogether(lane, attempt, check)) ?? check;
      }
      if (kind !== "accepted" || deps.stop.aborted) return check;
      // Another room may have landed work, or be about to. Of a fleet, the lane is the lander until the claim is settled:
      // work that it has to prove again lands for sure.
      if (deps.fleet === undefined) await asLanderOf(deps, async () => await Promise.resolve());
      else await holdLander(lane);
      if (check.built.head === run.landing || deps.stop.aborted) return check;
    }
  } catch (error) {
    if (error instanceof LandingBlocked) return error;
    if (!(error instanceof LandingConflict)) throw error;
    return { why: error.message, details: error.text, paths: error.paths };
  }
}

/** T-10: with what a person added to the task during its session. What they took away still counts for this claim. */
async function withEdits({ deps }: LaneState, attempt: Attempted): Promise<Attempted> {
  const { task } = attempt.claim;
  const { gates = [], mayChange = [] } = (await deps.store.get(task.id)) ?? {};
  const added = gates.filter((gate) => !task.gates.some(({ run }) => run === gate.run));
  const edited = { ...task, gates: [...task.gates, ...added], mayChange: [...task.mayChange, ...mayChange] };
  return { ...attempt, claim: { ...attempt.claim, task: edited } };
}

/** L-20: gates that are red only together with work that landed meanwhile. Undefined if the session's own tree is red. */
async function redTogether(lane: LaneState, attempt: Attempted, check: ClaimCheck): Promise<Clash | undefined> {
  const { deps, base, place } = lane;
  const { claim, effects, folder, iteration } = attempt;
  const red = check.results.filter(({ passed }) => !passed);
  const gates = red.map(({ gate }) => gate).filter(({ kind }) => kind !== "reviewer");
  if (check.verdict.kind !== "rejected" || check.verdict.reasons.some(({ kind }) => kind !== "gate")) return undefined;
  if (gates.length < red.length) return undefined;
  const { tree } = await buildTree(place.repository, { base, changes: effects.changes }, commitRules(lane, claim.task));
  const own = await checkTree(deps, {
    head: base.head!,
    tree,
    gates,
    name: `${iteration}.own`,
    iteration,
    outputFolder: join(folder, "own-tree"),
    env: taskEnv(claim, iteration),
  });
  if (deps.stop.aborted || !own.every(({ passed }) => passed)) return undefined;
  const names = namesInLine(gates.map(({ id }) => id));
  const why = `These gates fail only together with work that landed during the session: ${names}`;
  const details = rejectionReport(red.map((result: GateResult) => ({ kind: "gate", result })));
  return { why, details, paths: effects.changes.map(({ path }) => path), claimCheck: check };
}

/** Not an attempt: the session worked on what it was given. A task that clashed even alone is a person's to look at. */
async function rulingOf(lane: LaneState, attempt: Attempted, clash: Clash): Promise<Ruling> {
  const { deps, run } = lane;
  const { claim, iteration } = attempt;
  const { id } = claim.task;
  const { why, claimCheck } = clash;
  const isLast = (await countConflicts(deps.store, id)) >= deps.rules.conflicts;
  deps.emit({ type: "verdict.reached", iteration, verdict: isLast ? "parked" : "rejected", reasons: [why] });
  const common = claimCheck && { claimCheck };
  if (isLast) {
    const refs = `its work is ${workRef(id)}, what landed is ${deps.target.ref}`;
    return { ...common, outcome: "parked", question: `${why}. It happened again with no other task at work: ${refs}` };
  }
  const landed = await landedSince(lane, clash);
  run.bell.ring();
  return { ...common, outcome: "conflict", reason: why, report: [why, clash.details, landed].join("\n\n") };
}

/** How often a task came back because of work that landed meanwhile. */
const countConflicts = async (store: Store, id: TaskId): Promise<number> =>
  (await store.attempts(id)).filter(({ outcome }) => outcome === "conflict").length;

/** L-25: whether a task came back so often that it works alone now. */
export const worksAlone = async ({ deps, run }: LaneState, id: TaskId): Promise<boolean> =>
  run.lanes > 1 && (await countConflicts(deps.store, id)) >= deps.rules.conflicts;

const MOST_COMMITS = 20;
const LONGEST_PATCH = 4000;

/** The titles of what landed during the session, and its changes in the same files. */
async function landedSince({ deps, run, base }: LaneState, { paths }: Clash): Promise<string> {
  const commits = (await commitsBetween(deps.home, base.head!, run.landing)).slice(-MOST_COMMITS);
  const messages = await Promise.all(commits.map(async (commit) => await messageOf(deps.home, commit)));
  const titles = messages.map((message, at) => `- ${commits[at]!.slice(0, 10)} ${message.split("\n")[0]}`);
  const patch = await readPatch(deps.home, { from: base.head!, to: run.landing, paths });
  return ["Landed during the session:", ...titles, "", cutMiddle(patch, LONGEST_PATCH)].join("\n").trimEnd();
}
