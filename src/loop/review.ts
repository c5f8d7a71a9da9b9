import { join, relative } from "node:path";
import type { AgentOutcome } from "../domain/agent-event.ts";
import type { Gate, GateEnd, GateResult } from "../domain/gate.ts";
import { buildReviewPrompt, REVIEW_SYSTEM_PROMPT } from "../domain/prompt/review.ts";
import { harnessFailure, outcomeWithoutClaim } from "../domain/run/interpret.ts";
import type { AskedModel } from "../domain/run/next-agent.ts";
import type { IterationOutcome } from "../domain/run/outcome.ts";
import { readReview } from "../domain/sigil/read-review.ts";
import type { Task } from "../domain/task.ts";
import type { LockedTests } from "../domain/verdict.ts";
import { type SessionCost, costOf, totalTokens } from "../domain/usage.ts";
import { makeFolder } from "../system/folder.ts";
import { inCleanClone } from "../system/git/checkout.ts";
import { writeCommit } from "../system/git/commit.ts";
import { recordOutput } from "../system/output-file.ts";
import { resultFields } from "./check.ts";
import { modelSetting } from "./choose-agent.ts";
import type { Agent, Prompt, RunDeps } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";
import { reviewTree } from "./review-tree.ts";
import { reserve } from "./share.ts";
import { recordPrompt, runSession, type SessionEnd } from "./session.ts";
import { reportStopped } from "./stopped-session.ts";
import type { Attempted } from "./attempt.ts";
import { withTree } from "./unless-pruned.ts";

export interface ReviewRequest {
  readonly reviewer: Agent;
  /** The tree that would be committed, and the parent of that commit. */
  readonly tree: string;
  readonly head: string;
  /** T-11: tests whose change the work needs. */
  readonly tests?: LockedTests | undefined;
}

/** A reviewer that could not work, for reasons that have nothing to do with the work. */
export interface AbsentReviewer {
  readonly reviewer: Agent;
  readonly outcome: IterationOutcome;
  readonly ended: AgentOutcome;
  readonly asked?: AskedModel | undefined;
  /** By the monotonic clock. */
  readonly startedMs: number;
}

/** The result of a review, and its costs (P-44). */
export interface Reviewed extends SessionCost {
  readonly result: GateResult;
  /** Set if there was no review. */
  readonly absent?: AbsentReviewer;
}

/** P-15, the last gate: another session reviews the work in a private checkout. */
export async function review(lane: LaneState, attempt: Attempted, request: ReviewRequest): Promise<Reviewed> {
  const { deps } = lane;
  const { iteration } = attempt;
  const { reviewer } = request;
  const gate: Gate = {
    id: "reviewer",
    kind: "reviewer",
    run: reviewer.name,
    timeoutMs: deps.rules.session.wallMs,
    retries: 0,
  };
  deps.emit({ type: "gate.started", iteration, gate: gate.id, kind: gate.kind, command: gate.run });
  const folder = join(attempt.folder, "review");
  const startedMs = performance.now();
  const session = await runReviewer(lane, { ...attempt, folder }, request);
  // The gate's event reports processes that the reviewer left running.
  reportStopped(deps, { ...session, iteration, whose: "The reviewer", swept: 0 });
  const outcome = absenceOf(session);
  const { end, text } = judgeSession(session, outcome !== undefined);
  const output = await recordOutput(join(folder, "message.md"), text);
  const { durationMs, swept, usage } = session;
  const passed = end.kind === "exit" && end.code === 0;
  const result: GateResult = { gate, passed, runs: [{ end, durationMs, output, swept }] };
  deps.emit({ type: "gate.finished", iteration, ...resultFields(deps, result) });
  if (outcome === undefined) return { result, ...costOf(usage) };
  const asked = modelSetting(reviewer, modelOf(reviewer, deps), undefined);
  return { result, ...costOf(usage), absent: { reviewer, outcome, ended: session.outcome, asked, startedMs } };
}

async function runReviewer(lane: LaneState, attempt: Attempted, request: ReviewRequest): Promise<SessionEnd> {
  const { deps } = lane;
  const { home } = deps;
  const { iteration, folder, claim } = attempt;
  const { reviewer, tree, head } = request;
  let instructions = "";
  const { usage } = attempt.session;
  const budget = await reserve(lane.run, lane, { costUsd: usage.costUsd, tokens: totalTokens(usage) });
  const build = async (): Promise<string> => {
    const shown = await reviewTree(home, { tree, head });
    ({ instructions } = shown);
    return await writeCommit(home, { tree: shown.tree, parents: [head], message: "Work under review\n" });
  };
  const inClone = async (checkout: string): Promise<SessionEnd> => {
    const prompt = promptFor(lane, claim.task, { head, instructions, tests: request.tests });
    recordPrompt(folder, prompt);
    const cwd = await workspaceIn(checkout, deps);
    return await runSession(deps, {
      agent: reviewer,
      model: modelOf(reviewer, deps),
      prompt,
      cwd,
      folder,
      env: {
        // It may read tasks, but has no task or fence of its own, so that it cannot make a claim (W-01).
        RALPHCTL_ATTEMPT: `${deps.runId}.${iteration}.review`,
        RALPHCTL_TASK: "",
        RALPHCTL_TASK_TITLE: claim.task.title,
        RALPHCTL_ITERATION: String(iteration),
      },
      name: `${iteration}.review`,
      onEvent: (event) => deps.emit({ ...event, iteration }),
      budget,
    });
  };
  // Several lanes may have a review at once.
  return await withTree(
    home,
    { head, use: `review-${lane.place.number}`, build },
    async (commit) => await lane.seat.aside(async () => await inCleanClone(home, commit, inClone)),
  );
}

interface ReviewedWork {
  readonly head: string;
  readonly instructions: string;
  readonly tests: LockedTests | undefined;
}

/** Reviews all work since the last verified state, including the agent's own commits. */
function promptFor({ deps, run }: LaneState, task: Task, work: ReviewedWork): Prompt {
  const gates = [...deps.gates.ofTask(task), ...deps.gates.gates, ...run.agentsGates];
  return {
    system: REVIEW_SYSTEM_PROMPT,
    text: buildReviewPrompt({ task, since: work.head, gates, instructions: work.instructions, tests: work.tests }),
  };
}

/** The workspace inside a checkout. It may be a folder of the repository in which git tracks nothing yet. */
export async function workspaceIn(checkout: string, { root, home }: RunDeps): Promise<string> {
  const inside = relative(home.folder, root);
  if (inside === "" || inside.startsWith("..")) return checkout;
  const folder = join(checkout, inside);
  await makeFolder(folder);
  return folder;
}

/** A review is worth the strongest model, unless one model is fixed for everything. */
const modelOf = ({ roles }: Agent, { rules }: RunDeps): string | undefined =>
  (rules.strategy === "fixed" ? roles.model : (roles.smart ?? roles.model)) ?? undefined;

const ABSENCES: ReadonlySet<IterationOutcome> = new Set(["limited", "outage", "login", "model"]);

/** P-20: a limit, an outage, a refused login or model is no verdict about the work. Undefined if the reviewer could work. */
function absenceOf({ outcome, stoppedBy }: SessionEnd): IterationOutcome | undefined {
  const early = outcomeWithoutClaim(outcome, {
    hasChanged: false,
    isStopped: stoppedBy === "abort",
    canShorten: false,
  });
  return early !== undefined && ABSENCES.has(early) ? early : undefined;
}

/** Reads the verdict of a session. One that could work but failed or gave no verdict counts as a fail. */
function judgeSession(
  { outcome, stoppedBy, message, given }: SessionEnd,
  isAbsent: boolean,
): { end: GateEnd; text: string } {
  const withNote = (sentence: string): string =>
    [message.trimEnd(), sentence].filter((text) => text !== "").join("\n\n");
  if (stoppedBy === "abort") return { end: STOPPED, text: withNote("The review was stopped.") };
  const failure = harnessFailure(outcome);
  if (failure !== undefined) {
    return { end: isAbsent ? STOPPED : FAILED, text: withNote(`The reviewer gave no answer. ${failure}`) };
  }
  const answer = readReview(message, given);
  if (answer.kind === "silent") return { end: FAILED, text: withNote(SILENT) };
  return { end: answer.kind === "pass" ? PASSED : FAILED, text: message };
}

const STOPPED: GateEnd = { kind: "stopped" };
const PASSED: GateEnd = { kind: "exit", code: 0 };
const FAILED: GateEnd = { kind: "exit", code: 1 };
const SILENT = "The reviewer said neither pass nor fail, which counts as a fail.";
