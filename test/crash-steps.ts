// Where a run can be killed, by the step of the program. What tells such a moment from outside (a write to the database,
// a git that starts or ends, a file) stands here and nowhere else: `test/die-at.mjs` sees these go by.

const CLAIMED = "SET own = 'in_progress'";
const AGENT_ENDED = "ended agent";
const VERDICT = `${AGENT_ENDED} then has_verdict`;
const COMMITTED = `${VERDICT} then ended git update-ref`;
const SETTLED = `${VERDICT} then UPDATE attempt SET ended_at then sql COMMIT`;
const FOLLOWED = `${SETTLED} then ended git merge`;
const KEPT = `${AGENT_ENDED} then ended git update-ref`;
const REJECTED = `${AGENT_ENDED} then UPDATE attempt SET ended_at`;
const PLANNED = `${AGENT_ENDED} then INSERT INTO task`;

/** Each is a chain of what must go by, one after the other; at the last of them it is killed. */
export const CRASH_STEPS = {
  "decide: the run's first event": "ended sh then file write ",
  "claim: task claimed": CLAIMED,
  "gather: the attempt's first event": `${CLAIMED} then file write `,
  "assemble: prompt to be written": `${CLAIMED} then writeFile`,
  "begin: lane to be filled": `${CLAIMED} then start git read-tree`,
  "begin: session to be remembered": `${CLAIMED} then INSERT OR REPLACE INTO meta`,
  "run: the session's first event": "started agent then file write ",
  "interpret: session ended": AGENT_ENDED,
  "verify: gate started": `${AGENT_ENDED} then started sh`,
  "verify: plan file to be marked": `${AGENT_ENDED} then rename .ralphctl-`,
  "settle: verdict to be recorded": `${VERDICT} then sql COMMIT`,
  "commit: commit to be written": `${VERDICT} then start git commit-tree`,
  "commit: ref to be moved": `${VERDICT} then start git update-ref`,
  "commit: ref moves": `${VERDICT} then started git update-ref`,
  "commit: ref moved": COMMITTED,
  "settle: claim to be closed": SETTLED,
  "after: result to be kept": `${SETTLED} then mkdir 1`,
  "follow: session to be forgotten": `${SETTLED} then DELETE FROM meta`,
  "follow: branch to be moved": `${SETTLED} then start git merge`,
  "follow: branch moves": `${SETTLED} then started git merge`,
  "follow: branch moved": FOLLOWED,
  "follow: branch to be remembered": `${FOLLOWED} then start git update-ref`,
  "after: result to be written": `${SETTLED} then mkdir 1 then writeFile`,
  "fail: work to be kept": `${AGENT_ENDED} then start git update-ref`,
  "fail: work kept": KEPT,
  "fail: claim to be closed": `${REJECTED} then sql COMMIT`,
  "fail: work to be shelved": `${REJECTED} then start git update-ref`,
  "fail: work shelved": `${REJECTED} then ended git update-ref`,
  "plan: tasks to be added": `${PLANNED} then sql COMMIT`,
  "plan: tasks added": `${PLANNED} then file write `,
  "plan: stray work to be kept": `${AGENT_ENDED} then start git update-ref`,
  "plan: ref to be moved": `${KEPT} then start git update-ref`,
  "plan: ref moved": `${KEPT} then ended git update-ref`,
  "plan: branch to be moved": `${KEPT} then start git merge`,
  "plan: branch moved": `${KEPT} then ended git merge`,
} as const;

export type CrashStep = keyof typeof CRASH_STEPS;

/** A point in each of the ten steps of an iteration. */
export const ITERATION_STEPS: readonly CrashStep[] = [
  "decide: the run's first event",
  "claim: task claimed",
  "gather: the attempt's first event",
  "assemble: prompt to be written",
  "begin: lane to be filled",
  "run: the session's first event",
  "interpret: session ended",
  "verify: gate started",
  "commit: ref moves",
  "after: result to be kept",
];
