import { landedPlanRecords, type LandedPlan } from "../../loop/landed-plans.ts";
import { isSameChange } from "../../system/git/line.ts";
import { isAncestor } from "../../system/git/ref.ts";
import type { Repository } from "../../system/git/repository.ts";
import { readHistory } from "../../system/git/revert.ts";
import { allRunLogs, runNamed } from "../run/run-logs.ts";
import { findLanded, type LandedAttempt, type LandedCommit, landedWorks, stillThere } from "./landed-work.ts";
import type { UndoPlace } from "./plan-undo.ts";

/** What is to be taken back. */
export interface UndoSubject {
  /** The run or the task; empty if there is none. */
  readonly about: string;
  /** Newest first. Empty: nothing of it is there. */
  readonly commits: readonly LandedCommit[];
  /** They are plans. */
  readonly isPlan: boolean;
  /** The run also wrote a plan, which stays. */
  readonly leavesPlan: boolean;
}

const NO_PLAN = { isPlan: false, leavesPlan: false };

/** Of a run, the work first, and once that is gone its plan: the tasks of the plan are those of the work. */
export async function findSubject(place: UndoPlace, subject: string | undefined): Promise<UndoSubject> {
  const { store, home, head, root } = place;
  const open = async (works: readonly LandedAttempt[]): Promise<LandedCommit[]> =>
    await stillThere({ store, home }, head, await findLanded(home, head, works));
  const log = subject === undefined ? undefined : runNamed(subject, await allRunLogs(root));
  if (subject !== undefined && log === undefined) {
    const task = await store.resolve(subject);
    return { about: task, commits: await open(await landedWorks(store, task)), ...NO_PLAN };
  }
  const works = await landedWorks(store);
  const plans = await landedPlanRecords(store);
  // Their names begin with the time.
  const runs = new Set([...works, ...plans].flatMap(({ run }) => run ?? []));
  for (const run of log === undefined ? [...runs].toSorted().reverse() : [log.run]) {
    const ofRun = plans.filter((plan) => plan.run === run);
    const planned = await stillThere({ store, home }, head, await findPlans(home, head, ofRun));
    const commits = await open(works.filter((work) => work.run === run));
    if (commits.length > 0) return { about: run, commits, isPlan: false, leavesPlan: planned.length > 0 };
    if (planned.length > 0) return { about: run, commits: planned, isPlan: true, leavesPlan: false };
  }
  return { about: log?.run ?? "", commits: [], ...NO_PLAN };
}

/** The commits of plans in a history, newest first. Those that were only rebased are found, too. */
async function findPlans(home: Repository, head: string, plans: readonly LandedPlan[]): Promise<LandedCommit[]> {
  const [oldest] = plans;
  if (oldest === undefined) return [];
  const since = (await isAncestor(home, oldest.parent, head)) ? { since: oldest.parent } : {};
  const history = await readHistory(home, head, since);
  const found = new Map<string, string>();
  for (const { run, tree, parent } of plans) {
    const exact = history.find((commit) => commit.tree === tree && commit.parents[0] === parent);
    if (exact !== undefined) found.set(exact.id, run);
    const alike =
      exact === undefined ? history.filter(({ subject, parents }) => PLAN.test(subject) && parents.length === 1) : [];
    for (const { id, parents } of alike) {
      if (!(await isSameChange(home, [parent, tree], [parents[0]!, id]))) continue;
      found.set(id, run);
      break;
    }
  }
  return history.flatMap(({ id, parents, subject }) => {
    const planOf = found.get(id);
    return planOf === undefined ? [] : [{ id, parent: parents[0] ?? "", subject, tasks: [], planOf }];
  });
}

/** Only for not comparing every commit. */
const PLAN = /^Plan the /;
