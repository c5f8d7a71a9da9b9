import type { InspectedAttempt, InspectedIteration, InspectedRun, InspectedSession } from "../app/inspect/inspect.ts";
import { countsOf } from "../domain/run/summary.ts";
import type { GateRecord } from "../domain/run/iteration-record.ts";
import type { Timeline, TimelineEntry } from "../domain/run/timeline.ts";
import { isoTime, taskJson } from "../domain/task-json.ts";
import type { Task } from "../domain/task.ts";
import { whySentence } from "./iteration-text.ts";
import { attemptJson } from "./task-page.ts";
import { isPartial } from "../domain/usage.ts";

// The output of `inspect --json`; null for missing values.

export function sessionJson({ record, folder, reopen }: InspectedSession) {
  const { run, scope, startedAtMs, endedAtMs, started, finished, sessionId } = record;
  return {
    run,
    iteration: started.iteration,
    scope,
    mode: started.mode,
    task: started.task ?? null,
    harness: started.harness,
    model: started.model ?? null,
    lane: started.lane ?? null,
    startedAt: isoTime(startedAtMs),
    endedAt: endedAtMs === undefined ? null : isoTime(endedAtMs),
    outcome: finished?.outcome ?? null,
    strength: finished?.strength ?? null,
    look: finished?.look ?? [],
    isCutOff: record.isCutOff,
    session: sessionId ?? null,
    commit: finished?.commit ?? null,
    costUsd: finished?.costUsd ?? null,
    tokens: finished?.tokens ?? null,
    folder,
    reopen: reopen ?? null,
  };
}

export function runJson({ timeline, isRunning, sessions }: InspectedRun) {
  const { run, summary, entries } = timeline;
  return {
    version: 1,
    kind: "run",
    run,
    scope: summary.started?.scope ?? null,
    state: summary.finished !== undefined ? "finished" : isRunning ? "running" : "ended",
    ...summaryJson(timeline),
    iterations: sessions.map((session) => ({ ...sessionJson(session), why: whySentence(session.record) ?? null })),
    waits: entries.flatMap(waitJson),
    checks: entries.flatMap(checkJson),
  };
}

/** The fields that every description of a run has. */
export function summaryJson({ startedAtMs, lastAtMs, summary }: Timeline) {
  const { started, finished } = summary;
  return {
    startedAt: isoTime(startedAtMs),
    lastAt: isoTime(lastAtMs),
    mode: started?.mode ?? null,
    harness: started?.harness ?? null,
    branch: started?.branch ?? null,
    lane: started?.lane ?? null,
    lanes: started?.lanes ?? 1,
    ending: finished?.ending ?? null,
    reason: finished?.reason ?? null,
    unfinished: finished?.unfinished ?? [],
    notFollowing: finished?.notFollowing ?? null,
    ...(finished?.isOnLane === true && { isOnLane: true }),
    tasks: countsOf(summary),
    commits: summary.commits,
    costUsd: summary.costUsd ?? null,
    isCostPartial: summary.isCostPartial,
    isCostEstimated: summary.isCostEstimated,
    tokens: summary.tokens,
  };
}

const waitJson = (entry: TimelineEntry) =>
  entry.kind === "wait"
    ? [{ for: entry.for, from: isoTime(entry.fromMs), to: entry.toMs === undefined ? null : isoTime(entry.toMs) }]
    : [];

const checkJson = (entry: TimelineEntry) =>
  entry.kind === "check"
    ? [{ check: entry.check, lane: entry.lane ?? null, at: isoTime(entry.atMs), red: entry.red ?? null }]
    : [];

export const iterationJson = (inspected: InspectedIteration) => {
  const { record, promptFile, transcriptFile, patch } = inspected;
  const { finished, verdict, changed } = record;
  return {
    version: 1,
    kind: "iteration",
    ...sessionJson(inspected),
    why: whySentence(record) ?? null,
    counted: finished?.counted ?? null,
    status: finished?.status ?? null,
    reason: finished?.reason ?? null,
    question: finished?.question ?? null,
    isEstimated: finished?.isEstimated ?? null,
    isCostPartial: finished === undefined ? null : isPartial(finished),
    ended: record.ended ?? null,
    stopped: record.stopped.map(({ why }) => why),
    claims: record.claims.map(({ claim, channel }) => ({ claim, channel })),
    notes: record.notes,
    tools: record.tools,
    gates: record.gates.map(gateJson),
    verdict:
      verdict === undefined ? null : { verdict: verdict.verdict, reasons: verdict.reasons, tree: verdict.tree ?? null },
    changed: changed === undefined ? null : { files: changed.files, paths: changed.paths },
    patch: patch ?? null,
    commits: record.commits.map(({ commit, subject, files }) => ({ commit, subject, files })),
    prompt: promptFile ?? null,
    transcript: transcriptFile ?? null,
  };
};

const gateJson = ({ gate, command, result }: GateRecord) => ({
  gate,
  command,
  passed: result?.passed ?? null,
  end: result?.end ?? null,
  runs: result?.runs ?? null,
  durationMs: result?.durationMs ?? null,
  output: result?.output ?? null,
  file: result === undefined || result.file === "" ? null : result.file,
});

export const attemptsJson = (task: Task, attempts: readonly InspectedAttempt[]) => ({
  version: 1,
  kind: "task",
  task: taskJson(task),
  attempts: attempts.map(({ attempt, iteration }) => ({
    ...attemptJson(attempt),
    record: iteration === undefined ? null : iterationJson(iteration),
  })),
});
