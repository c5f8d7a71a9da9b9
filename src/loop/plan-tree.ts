import { join, relative } from "node:path";
import type { Change } from "../domain/change.ts";
import { commitMessage } from "../domain/commit-message.ts";
import { buildTree, commitTree } from "../system/git-commit.ts";
import { keepUnder, keptRef, returnTo } from "../system/git-return.ts";
import { restoreFiles } from "../system/git-restore.ts";
import { changesBetween, snapshot } from "../system/git-snapshot.ts";
import { type Running, warn } from "./running.ts";
import type { Stock } from "./stock.ts";
import { acceptWork } from "./work-tree.ts";

export interface PlanTreeRequest {
  readonly stock: Pick<Stock, "now" | "changes">;
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
  running: Running,
  { stock, commitWith, iteration }: PlanTreeRequest,
): Promise<{ readonly commit: string | undefined; readonly aside: readonly string[] }> {
  const { parts, work } = running;
  const wanted = stock.changes.filter((change) => isPlanning(running, change));
  const others = stock.changes.filter((change) => !isPlanning(running, change) && !isOwn(running, change));
  const aside =
    others.length === 0 && stock.now.head === work.base.head ? [] : await putAside(running, stock, { wanted, others });
  const now = await snapshot(work.repository);
  if (commitWith === undefined || !parts.rules.commits) {
    acceptWork(work, { ...work.base, head: now.head });
    work.last = now;
    return { commit: undefined, aside };
  }
  const rules = { maxFileBytes: parts.rules.maxFileBytes, usersOwn: work.usersOwn };
  const built = await buildTree(work.repository, { base: { ...work.base, head: now.head }, now }, rules);
  if (built.paths.length === 0) {
    acceptWork(work, now);
    return { commit: undefined, aside };
  }
  const result = await commitTree(work.repository, { ...built, head: now.head, message: commitWith });
  if (result.kind === "moved") {
    warn(running, "HEAD moved while the plan was read, so it is not committed");
    acceptWork(work, await snapshot(work.repository));
    return { commit: undefined, aside };
  }
  await result.indexed;
  const [subject = ""] = commitWith.split("\n");
  const { commit } = result;
  const about = iteration === undefined ? {} : { iteration };
  parts.emit({ type: "commit.made", ...about, commit, subject, files: built.paths.length, leftOut: built.leftOut });
  acceptWork(work, await snapshot(work.repository));
  return { commit, aside };
}

/** On start, where there is nothing more to plan: what a planning session left that was cut off with its run. */
export async function finishPlanning(running: Running): Promise<void> {
  const { work } = running;
  if (!work.isPlanCut) return;
  const changes = await changesBetween(work.repository, work.base, work.last);
  const stock = { now: work.last, changes };
  const { aside } = await keepPlanOnly(running, { stock, commitWith: undefined, iteration: undefined });
  for (const sentence of aside) warn(running, sentence);
}

const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder.replace(/\/+$/, "")}/`);

/** Plan files, and specs that are new. */
const isPlanning = ({ parts }: Running, { path, kind }: Change): boolean =>
  parts.plans.files.includes(path) || (kind === "added" && parts.plans.specs.some((folder) => isInside(path, folder)));

/** What agents keep for themselves is nobody's to put aside. */
const isOwn = ({ parts, work }: Running, { path }: Change): boolean =>
  path === join(relative(work.repository.folder, parts.root), "AGENTS.md");

async function putAside(
  { parts, work }: Running,
  { now }: Pick<Stock, "now">,
  { wanted, others }: { readonly wanted: readonly Change[]; readonly others: readonly Change[] },
): Promise<string[]> {
  const ref = keptRef(parts.run, "plan");
  const span = { base: work.base, now };
  const message = commitMessage({
    subject: "What planning changed beside the plan",
    trailers: { "Ralph-Run": parts.run },
  });
  const commit = await keepUnder(work.repository, span, { ref, message });
  if (commit === undefined) return [];
  // Where it committed nothing but the plan itself, nothing is missing that anybody would look for.
  if (others.length > 0) parts.emit({ type: "work.kept", ref, commit, why: "planning changes nothing but the plan" });
  if (now.head === work.base.head) {
    await restoreFiles(
      work.repository,
      others.map(({ path, before }) => ({ path, state: before })),
    );
  } else {
    // It committed by itself: everything goes back, and what belongs to the plan comes again.
    const revert = commitMessage({ subject: "Revert what planning committed", trailers: { "Ralph-Run": parts.run } });
    await returnTo(work.repository, span, { usersOwn: work.usersOwn, message: revert });
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
