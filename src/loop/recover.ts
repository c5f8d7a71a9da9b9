import type { Evidence } from "../domain/gate.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { Rated } from "../domain/strength.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { OpenVerdict } from "../store/store.ts";
import { findCommit } from "../system/git/commit.ts";
import { readLanding } from "../system/git/landing.ts";
import { fetchCandidate } from "../system/git/remote.ts";
import { dropProving, dropWork, isWhole } from "../system/git/work-ref.ts";
import { asLanderOf } from "./desk.ts";
import { rememberLanded } from "./landed-at.ts";
import { follow, landTree } from "./land.ts";
import { keepLease } from "./lease.ts";
import { markBefore } from "./plan-texts.ts";
import type { RunDeps } from "./run-deps.ts";
import { tell, warn } from "./run-state.ts";
import { forgetSaid, rememberSaid } from "./said-done.ts";

/** The loop records this with a verdict, before it lands, so that the next run can finish it after a crash (P-41). */
export interface OpenEvidence extends Rated {
  readonly v: 2;
  /** The landing ref; undefined for the word of a person, which lands nothing. */
  readonly target: string | undefined;
  readonly lands: boolean;
  readonly message: string;
  readonly settlement: Settlement;
  readonly gates: readonly Evidence[];
  /** T-23: other tasks that the session named as done. */
  readonly said?: readonly TaskId[];
  /** T-23: the task whose session claimed this one, too. */
  readonly together?: TaskId;
  /** F-03: the commit that lands, which other machines find on the remote. */
  readonly candidate?: string;
  /** T-04: the set-up of the room, and the names of the variables that gates had. */
  readonly setup: string;
  readonly variables: readonly string[];
}

interface FinishedBy {
  readonly deps: RunDeps;
  /** The same with the plan files of the scope of a task. */
  readonly depsOf: (task: Task) => Promise<RunDeps>;
}

/** On start: finishes verdicts of a run that ended between (a) and (c) of step 9 (L-22). */
export async function finishVerdicts(by: FinishedBy): Promise<void> {
  const { deps } = by;
  for (const open of await deps.store.openVerdicts()) {
    const evidence = evidenceIn(open);
    if (evidence === undefined) continue;
    if (evidence.target === undefined || evidence.target === deps.target.ref) await finish(by, open, evidence);
  }
}

async function finish({ deps, depsOf }: FinishedBy, open: OpenVerdict, evidence: OpenEvidence): Promise<void> {
  const lease = await deps.store.adopt(open.lease, deps.owner);
  if (lease === undefined) return;
  const letGo = keepLease(deps.store, lease, { leaseMs: deps.leaseMs });
  try {
    const land = async (): Promise<string | undefined> => await landAgain(deps, open, evidence);
    const commit = evidence.lands ? await asLanderOf(deps, land) : undefined;
    await finishAdopted({ deps, depsOf }, { ...open, lease }, { evidence, commit });
  } finally {
    letGo();
  }
}

async function finishAdopted(
  { deps, depsOf }: FinishedBy,
  open: OpenVerdict,
  { evidence, commit }: { readonly evidence: OpenEvidence; readonly commit: string | undefined },
): Promise<void> {
  const { lease } = open;
  if (evidence.lands && commit === undefined) {
    const undone = { ...evidence.settlement, outcome: "unfinished", to: "pending", counted: false } as const;
    const settled = await deps.store.settle(lease, undone);
    if (settled.kind === "settled") await markBefore(await depsOf(settled.task), settled.task);
    await dropProving(deps.home, open.task.id);
    warn({ deps }, `${open.task.id} was proven, but ${deps.target.ref} has moved since; ralphctl verifies it again`);
    return;
  }
  if (commit !== undefined) {
    const { id, title } = open.task;
    await rememberLanded({ deps }, id, commit);
    await rememberSaid(deps.store, { task: id, title, commit }, evidence.said ?? []);
  }
  await forgetSaid(deps.store, open.task.id);
  const settled = await deps.store.settle(lease, evidence.settlement);
  if (settled.kind === "settled") await markBefore(await depsOf(settled.task), settled.task);
  await dropWork(deps.home, open.task.id);
  await follow({ deps, run: { notFollowing: undefined } });
  tell({ deps }, `An earlier run proved ${open.task.id} "${open.task.title}"; it is done now`);
}

/** The commit of the proven tree, which may have landed before the crash. Undefined if it cannot land any more. */
async function landAgain(
  deps: RunDeps,
  { verdict, lease }: OpenVerdict,
  evidence: OpenEvidence,
): Promise<string | undefined> {
  const { tree, commit: from } = verdict;
  const landing = await readLanding(deps.home, deps.target);
  const { fleet } = deps;
  if (fleet !== undefined) await fetchCandidate(deps.home, fleet.remote, lease);
  // The person may have committed on top of it.
  const landed = landing && (await findCommit(deps.home, { tree, parent: from, upTo: landing }));
  if (landed !== undefined) return landed;
  if (!(await isWhole(deps.home, { tree, head: from }))) return undefined;
  const { message, candidate } = evidence;
  const [subject = ""] = message.split("\n");
  // The files of the work may be gone, so that nothing can be written again.
  const rewrite = async (): Promise<void> => undefined;
  const commit = await landTree(deps, { tree, head: from, message, rewrite, commit: candidate, lease });
  if (commit === undefined) return undefined;
  deps.emit({ type: "commit.made", commit, subject, files: 0, leftOut: [] });
  return commit;
}

function evidenceIn({ verdict }: OpenVerdict): OpenEvidence | undefined {
  const evidence = verdict.evidence as Partial<OpenEvidence> | undefined;
  return evidence?.v === 2 && evidence.settlement !== undefined ? (evidence as OpenEvidence) : undefined;
}
