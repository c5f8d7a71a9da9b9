// Where a run can be killed, by the step of the program. What tells such a moment from outside (a write to the database,
// a git that starts or ends, a file) stands here and nowhere else: `test/die-at.mjs` sees these go by.

const CLAIMED = "SET own = 'in_progress'";
const AGENT_ENDED = "ended agent";
const VERDICT = `${AGENT_ENDED} then has_verdict`;
const COMMITTED = `${VERDICT} then ended git update-ref`;
const SETTLED = `${VERDICT} then UPDATE attempt SET ended_at then sql COMMIT`;
const REJECTED = `${AGENT_ENDED} then UPDATE attempt SET ended_at`;
const PLANNED = `${AGENT_ENDED} then INSERT INTO task`;
const CLEANED = `${AGENT_ENDED} then ended git checkout-index`;

/** Each is a chain of what must go by, one after the other; at the last of them it is killed. */
export const CRASH_STEPS = {
  "decide: the run's first event": "ended sh then file write ",
  "claim: task claimed": CLAIMED,
  "gather: the attempt's first event": `${CLAIMED} then file write `,
  "assemble: prompt to be written": `${CLAIMED} then writeFile`,
  "snapshot: record of the tree to be made": `${CLAIMED} then mkdir ralph`,
  "run: the session's first event": "started agent then file write ",
  "interpret: session ended": AGENT_ENDED,
  "verify: gate started": `${AGENT_ENDED} then started sh`,
  "verify: plan file to be marked": `${AGENT_ENDED} then rename .ralphctl-`,
  "settle: verdict to be recorded": `${VERDICT} then sql COMMIT`,
  "commit: commit to be written": `${VERDICT} then start git commit-tree`,
  "commit: ref to be moved": `${VERDICT} then start git update-ref`,
  "commit: ref moves": `${VERDICT} then started git update-ref`,
  "commit: ref moved": COMMITTED,
  "commit: user's index to be synced": `${COMMITTED} then start git update-index`,
  "commit: user's index synced": `${COMMITTED} then ended git update-index`,
  "settle: claim to be closed": SETTLED,
  "after: result to be kept": `${SETTLED} then mkdir 1`,
  "after: record of the tree to be replaced": `${SETTLED} then rename .ralphctl-`,
  "after: result to be written": `${SETTLED} then mkdir 1 then writeFile`,
  "fail: work to be kept": `${REJECTED} then start git update-ref`,
  "fail: files to be put back": `${REJECTED} then start git checkout-index`,
  "fail: commits to be put back": `${REJECTED} then ended git checkout-index then start git update-ref`,
  "fail: all put back": `${REJECTED} then ended git checkout-index then ended git update-index`,
  "plan: tasks to be added": `${PLANNED} then sql COMMIT`,
  "plan: tasks added": `${PLANNED} then file write `,
  "plan: stray work to be kept": `${AGENT_ENDED} then start git update-ref`,
  "plan: stray work to be put back": `${AGENT_ENDED} then start git checkout-index`,
  "plan: ref to be moved": `${CLEANED} then start git update-ref`,
  "plan: ref moved": `${CLEANED} then ended git update-ref`,
} as const;

export type CrashStep = keyof typeof CRASH_STEPS;

/** A point in each of the ten steps of an iteration. */
export const ITERATION_STEPS: readonly CrashStep[] = [
  "decide: the run's first event",
  "claim: task claimed",
  "gather: the attempt's first event",
  "assemble: prompt to be written",
  "snapshot: record of the tree to be made",
  "run: the session's first event",
  "interpret: session ended",
  "verify: gate started",
  "commit: ref moves",
  "after: result to be kept",
];
