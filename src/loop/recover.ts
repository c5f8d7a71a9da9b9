import type { Evidence } from "../domain/gate.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { Proof } from "../domain/verdict.ts";
import type { OpenVerdict } from "../store/store.ts";
import { commitTree, currentHead } from "../system/git/commit.ts";
import { nameTree } from "../system/git/tree.ts";
import type { RunDeps } from "./run-deps.ts";
import { type LaneState, tell, warn } from "./run-state.ts";
import { shelve } from "./shelve.ts";

/** The loop records this with a verdict, before the commit, so that the next run can finish it after a crash (P-41). */
export interface OpenEvidence {
  readonly v: 1;
  /** The git directory of the working tree: several working trees share one store. */
  readonly place: string;
  readonly commits: boolean;
  readonly message: string;
  readonly settlement: Settlement;
  readonly proof: Proof;
  readonly gates: readonly Evidence[];
}

/** On start: finishes verdicts of a run that ended between (a) and (c) of step 9. */
export async function finishVerdicts(deps: RunDeps): Promise<void> {
  for (const open of await deps.store.openVerdicts()) {
    const evidence = evidenceIn(open);
    if (open.holder === "live" || evidence?.place !== deps.repository.gitFolder) continue;
    await finish(deps, open, evidence);
  }
}

/** If HEAD has the recorded tree, the crash came after the commit, and only the store is behind. */
async function finish(deps: RunDeps, open: OpenVerdict, evidence: OpenEvidence): Promise<void> {
  const lease = await deps.store.adopt(open.lease, deps.owner);
  if (lease === undefined) return;
  const head = await currentHead(deps.repository);
  const isCommitted = head !== undefined && (await nameTree(deps.repository, head, [])).tree === open.verdict.tree;
  if (evidence.commits && !isCommitted) {
    const { tree, commit } = open.verdict;
    const result = await commitTree(deps.repository, { tree, head: commit, message: evidence.message });
    if (result.kind === "moved") {
      const undone = { ...evidence.settlement, outcome: "unfinished", to: "pending", counted: false } as const;
      const settled = await deps.store.settle(lease, undone);
      if (settled.kind === "settled") await deps.plans.mark(settled.task, "is");
      warn({ deps }, `${open.task.id} was proven, but HEAD has moved since; ralphctl verifies it again`);
      return;
    }
    await result.indexed;
    const [subject = ""] = evidence.message.split("\n");
    deps.emit({ type: "commit.made", commit: result.commit, subject, files: 0, leftOut: [] });
  }
  await deps.store.settle(lease, evidence.settlement);
  tell({ deps }, `An earlier run proved ${open.task.id} "${open.task.title}"; it is done now`);
}

function evidenceIn({ verdict }: OpenVerdict): OpenEvidence | undefined {
  const evidence = verdict.evidence as Partial<OpenEvidence> | undefined;
  return evidence?.v === 1 && evidence.settlement !== undefined ? (evidence as OpenEvidence) : undefined;
}

/** On start: shelves the work of a failed task, if the run was killed before it could do so. */
export async function finishFailure(lane: LaneState): Promise<string | undefined> {
  const { deps, work } = lane;
  const task = work.task === undefined ? undefined : await deps.store.get(work.task);
  if (task?.status !== "failed" || task.retry) return undefined;
  return await shelve(lane, { task, why: "the task failed", isRequired: true });
}
