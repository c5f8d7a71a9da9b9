import { readAttemptRecord } from "../domain/run/attempt-record.ts";
import type { Interpretation } from "../domain/run/interpret.ts";
import { matchesAny } from "../domain/glob.ts";
import type { TaskId } from "../domain/task.ts";
import { NOTHING_USED } from "../domain/usage.ts";
import type { Claim, Store } from "../store/store.ts";
import { mergeTrees } from "../system/git/merge-trees.ts";
import { changesBetween } from "../system/git/snapshot.ts";
import { readWork } from "../system/git/work-ref.ts";
import { fillLane, type Judged, prepare } from "./attempt.ts";
import { gatherTask } from "./gather.ts";
import { judgeClaim } from "./judge-attempt.ts";
import { type LaneState, tell } from "./run-state.ts";
import type { SessionEnd } from "./session.ts";
import { noEffects, type SessionEffects } from "./session-effects.ts";

/**
 * T-10: verifies work that waited for a person's word about a change of how proof is done. Undefined: no such work, or it
 * conflicts with what has landed since, so that a session has to go on.
 */
export async function judgeAllowed(
  lane: LaneState,
  claim: Claim,
  lost: AbortSignal | undefined,
): Promise<Judged | undefined> {
  const { deps } = lane;
  const { task } = claim;
  if (!(await wasAllowed(deps.store, task.id)) || !(await fitsLanding(lane, task.id))) return undefined;
  const start = await prepare(lane, task);
  lane.agent = undefined;
  await fillLane(lane, start, task);
  tell(lane, `A person allowed the change that ${task.id} asked about: verifying its work without a session`);
  const { earlier } = await gatherTask(deps.store, task, deps.rules);
  const effects = await keptEffects(lane);
  const said: Interpretation = {
    claim: "done",
    channel: "person",
    promisesAll: false,
    nextModel: undefined,
    notes: [],
    text: task.summary ?? "",
  };
  deps.emit({ type: "claim.made", iteration: start.iteration, claim: "done", channel: "person" });
  return await judgeClaim(lane, { ...start, claim, earlier, lost, session: NO_SESSION, effects }, said);
}

const NO_SESSION: SessionEnd = {
  outcome: { kind: "done" },
  message: "",
  usage: NOTHING_USED,
  sessionId: undefined,
  stoppedBy: undefined,
  isOverBudget: false,
  swept: 0,
  durationMs: 0,
  given: "",
};

/** The last attempt that could work ended with the question, or was rejected only because nobody had allowed it, and a person has allowed it since. */
async function wasAllowed(store: Store, id: TaskId): Promise<boolean> {
  const word = (await store.log(id, ["allow"])).at(-1);
  if (word === undefined) return false;
  const last = (await store.attempts(id)).findLast(({ outcome }) => outcome !== undefined && !EMPTY.has(outcome));
  const isAfter = last?.endedAt !== undefined && last.endedAt <= word.at;
  const ask = readAttemptRecord(last?.details)?.ask;
  return isAfter && ask !== undefined && ask.isMore !== true;
}

/** Outcomes after which the work is the same as before. */
const EMPTY: ReadonlySet<string> = new Set(["stopped", "lost", "released"]);

async function fitsLanding({ deps, run }: LaneState, id: TaskId): Promise<boolean> {
  const work = await readWork(deps.home, id);
  if (work === undefined) return false;
  const merged = await mergeTrees(deps.home, { base: work.base, ours: run.landing, theirs: work.tree });
  return merged.kind === "clean";
}

/** The kept work, as if a session had just left it. */
async function keptEffects({ deps, place, base, last }: LaneState): Promise<SessionEffects> {
  const all = await changesBetween(place.repository, base, last);
  const changes = all.filter(({ path }) => !matchesAny(deps.rules.inputs, path));
  return { ...noEffects(last), changes, hasChanged: true };
}
