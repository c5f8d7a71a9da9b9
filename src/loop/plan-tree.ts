import { join, relative } from "node:path";
import type { FileChange } from "../domain/change.ts";
import { commitMessage } from "../domain/commit-message.ts";
import { buildTree, commitTree } from "../system/git/commit.ts";
import { saveAsRef, savedRef, rollbackTo } from "../system/git/rollback.ts";
import { restoreFiles } from "../system/git/restore.ts";
import { changesBetween, snapshot } from "../system/git/snapshot.ts";
import { type RunState, warn } from "./run-state.ts";
import type { SessionEffects } from "./session-effects.ts";
import { acceptWork } from "./work-tree.ts";

export interface PlanTreeRequest {
  readonly effects: Pick<SessionEffects, "now" | "changes">;
  /** The message of the commit; undefined: the plan is not ready to be committed. */
  readonly commitWith: string | undefined;
  /** Undefined for what an earlier run left. */
  readonly iteration: number | undefined;
}

/**
 * P-04: of what a planning session did, the plan files and new specs stay; changed specs are put back, everything else
 * is kept under `refs/ralph/` and taken out of the tree.
 */
export async function keepPlanOnly(
  state: RunState,
  { effects, commitWith, iteration }: PlanTreeRequest,
): Promise<{ readonly commit: string | undefined; readonly aside: readonly string[] }> {
  const { deps, work } = state;
  const wanted = effects.changes.filter((change) => isPlanning(state, change));
  const others = effects.changes.filter((change) => !isPlanning(state, change) && !isOwn(state, change));
  const aside =
    others.length === 0 && effects.now.head === work.base.head
      ? []
      : await putAside(state, effects, { wanted, others });
  const now = await snapshot(work.repository);
  if (commitWith === undefined || !deps.rules.commits) {
    acceptWork(work, { ...work.base, head: now.head });
    work.last = now;
    return { commit: undefined, aside };
  }
  const rules = { maxFileBytes: deps.rules.maxFileBytes, userPaths: work.userPaths };
  const built = await buildTree(work.repository, { base: { ...work.base, head: now.head }, now }, rules);
  if (built.paths.length === 0) {
    acceptWork(work, now);
    return { commit: undefined, aside };
  }
  const result = await commitTree(work.repository, { ...built, head: now.head, message: commitWith });
  if (result.kind === "moved") {
    warn(state, "HEAD moved while the plan was read, so it is not committed");
    acceptWork(work, await snapshot(work.repository));
    return { commit: undefined, aside };
  }
  await result.indexed;
  const [subject = ""] = commitWith.split("\n");
  const { commit } = result;
  const about = iteration === undefined ? {} : { iteration };
  deps.emit({ type: "commit.made", ...about, commit, subject, files: built.paths.length, leftOut: built.leftOut });
  acceptWork(work, await snapshot(work.repository));
  return { commit, aside };
}

/** On start, where there is nothing more to plan: what a planning session left that was cut off with its run. */
export async function finishPlanning(state: RunState): Promise<void> {
  const { work } = state;
  if (!work.planInterrupted) return;
  const changes = await changesBetween(work.repository, work.base, work.last);
  const effects = { now: work.last, changes };
  const { aside } = await keepPlanOnly(state, { effects, commitWith: undefined, iteration: undefined });
  for (const sentence of aside) warn(state, sentence);
}

const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder.replace(/\/+$/, "")}/`);

/** Plan files, and specs that are new. */
const isPlanning = ({ deps }: RunState, { path, kind }: FileChange): boolean =>
  deps.plans.files.includes(path) || (kind === "added" && deps.plans.specs.some((folder) => isInside(path, folder)));

/** What agents keep for themselves is nobody's to put aside. */
const isOwn = ({ deps, work }: RunState, { path }: FileChange): boolean =>
  path === join(relative(work.repository.folder, deps.root), "AGENTS.md");

async function putAside(
  { deps, work }: RunState,
  { now }: Pick<SessionEffects, "now">,
  { wanted, others }: { readonly wanted: readonly FileChange[]; readonly others: readonly FileChange[] },
): Promise<string[]> {
  const ref = savedRef(deps.run, "plan");
  const span = { base: work.base, now };
  const message = commitMessage({
    subject: "What planning changed beside the plan",
    trailers: { "Ralph-Run": deps.run },
  });
  const commit = await saveAsRef(work.repository, span, { ref, message });
  if (commit === undefined) return [];
  // Where it committed nothing but the plan itself, nothing is missing that anybody would look for.
  if (others.length > 0) deps.emit({ type: "work.kept", ref, commit, why: "planning changes nothing but the plan" });
  if (now.head === work.base.head) {
    await restoreFiles(
      work.repository,
      others.map(({ path, before }) => ({ path, state: before })),
    );
  } else {
    // It committed by itself: everything goes back, and what belongs to the plan comes again.
    const revert = commitMessage({ subject: "Revert what planning committed", trailers: { "Ralph-Run": deps.run } });
    await rollbackTo(work.repository, span, { userPaths: work.userPaths, message: revert });
    await restoreFiles(
      work.repository,
      wanted.map(({ path, after }) => ({ path, state: after })),
    );
  }
  const names = others
    .map(({ path }) => path)
    .slice(0, 10)
    .join(", ");
  return names === ""
    ? []
    : [`Only the plan and new specs are written while planning; this was set aside (${ref}): ${names}`];
}
