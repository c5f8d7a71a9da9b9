import { namesInLine } from "../domain/verdict-report.ts";
import { commitMessage } from "../domain/commit-message.ts";
import { RalphError } from "../domain/error.ts";
import { changedAfter, indexChangedAtMs } from "../system/git/changed-after.ts";
import { treeWith } from "../system/git/commit.ts";
import { endLoan, type Loan, readLoan, writeLoan } from "../system/git/loan.ts";
import { isAncestor } from "../system/git/ref.ts";
import type { Repository } from "../system/git/repository.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { nameTree } from "../system/git/tree.ts";
import { removeRef } from "../system/git/saved-ref.ts";
import { keepWork } from "../system/git/work-ref.ts";
import { type LentPatterns, lentFiles } from "./in-place.ts";
import { markSessionCommits } from "./session-commits.ts";
import { nameOwn, putBackOwn, type Saved } from "./own-ignored.ts";
import { keepAll, lookingAgain, takeBack, whoMoved } from "./take-back.ts";

export interface ReturnRequest {
  readonly home: Repository;
  readonly run: string;
  readonly inputs: LentPatterns;
  readonly isOpen: (task: string) => Promise<boolean>;
  /** Whether this run needs the tree for itself. */
  readonly inPlace: boolean;
}

/**
 * T-40: gives back a tree that a killed run had on loan. Its unproven work goes to its task. T-41: if the person may have
 * changed anything since the kill, the tree stays as it is. Returns notices.
 */
export const returnLoan = async (request: ReturnRequest): Promise<string[]> =>
  await lookingAgain(async () => await giveBack(request));

async function giveBack(request: ReturnRequest): Promise<string[]> {
  const { home, run } = request;
  const loan = await readLoan(home);
  if (loan === undefined) return [];
  // One that was not killed could not reset it.
  const how =
    loan.killedAtMs === undefined ? "could not give your tree back" : "was killed while it worked in your tree";
  const killed = `Run ${loan.run} ${how}`;
  const moved = await whoMoved(home, loan);
  if (moved.kind === "taken") {
    const unproven = await markSessionCommits(home, loan);
    const own = loan.own === undefined ? [] : await nameOwn(home, loan.own);
    await endLoan(home);
    return [`${killed}. You switched to ${moved.to} since, so it stays as it is`, ...unproven, ...own.map(sentence)];
  }
  const files = lentFiles(request.inputs);
  const now = await snapshot(home);
  const later = await changedAfter(home, now, { atMs: loan.killedAtMs, isInput: files.isInput });
  if (later.length > 0) return await leaveTree(request, { loan, now, later, killed });
  // Its commits stay on the branch below the person's.
  const unproven = moved.theirs === undefined ? [] : await markSessionCommits(home, loan);
  const isFresh = loan.phase === "lent" && loan.kept === undefined;
  const task = isFresh ? await keepKilled(request, loan, moved.theirs ?? loan.base) : undefined;
  const saved = await putBackAfterKill(request, loan);
  const { head } = moved;
  const to = { head, tree: (await nameTree(home, head, [])).tree };
  // From here on it is this run that writes, and that may be killed.
  const own: Loan = { ...loan, run, killedAtMs: undefined };
  const { kept } = await takeBack({ home, run, loan: own, to, files, laid: undefined, staged: [] });
  await endLoan(home);
  if (kept.length === 0) return [...unproven, ...saved];
  const goesOn = task === undefined ? "" : `, and ${task} goes on with its work`;
  return [
    `${killed}. The tree is clean again${goesOn}; all of it is ${kept.map(({ ref }) => ref).join(" and ")}`,
    ...unproven,
    ...saved,
  ];
}

const sentence = ({ ref, why }: Saved): string => `Saved as ${ref}: ${why}`;

async function putBackAfterKill({ home, run }: ReturnRequest, { own, branch, killedAtMs }: Loan): Promise<string[]> {
  if (own === undefined) return [];
  const told = await putBackOwn({ home, run, branch }, own, { byMs: killedAtMs ?? 0 });
  if (told.length === 0 && own.isTold !== true) await removeRef(home, own.ref);
  return told.map(sentence);
}

interface Left {
  readonly loan: Loan;
  readonly now: Snapshot;
  readonly later: readonly string[];
  readonly killed: string;
}

/** The loan stays on record: once the person has put away their changes, the rest is taken back. */
async function leaveTree({ home, run, inPlace }: ReturnRequest, { loan, now, later, killed }: Left): Promise<string[]> {
  const state = `${now.head} ${now.tree} ${indexChangedAtMs(home)}`;
  const isKept = loan.kept?.state === state;
  const ref = isKept ? loan.kept.ref : (await keepAll(home, { run, now, branch: loan.branch })).ref;
  const unproven = await markSessionCommits(home, loan);
  const own = loan.own === undefined ? [] : await nameOwn(home, loan.own);
  unproven.push(...own.map(sentence));
  await writeLoan(home, { ...loan, kept: { ref, state } });
  const message = `${killed}, and these may be your changes since: ${namesInLine(later, 10)}. The tree stays as it is; all of it is also ${ref}`;
  const hint = `Commit or stash what is yours; git checkout ${ref} -- FILE brings a file back`;
  if (inPlace) throw new RalphError("config", [message, ...unproven].join(". "), { hint });
  return [`${message}. ${hint}`, ...unproven];
}

/** Returns the task that has the work now. */
async function keepKilled(
  { home, inputs, isOpen }: ReturnRequest,
  { task, run }: Loan,
  base: string,
): Promise<string | undefined> {
  if (task === undefined || !(await isOpen(task))) return undefined;
  const { isInput } = lentFiles(inputs);
  const now = await snapshot(home);
  const changes = await changesBetween(home, { ...now, head: base, changed: [] }, now);
  const work = changes.filter(({ path }) => !isInput(path));
  if (work.length === 0) return undefined;
  const agentHead = now.head === undefined || (await isAncestor(home, now.head, base)) ? undefined : now.head;
  const message = commitMessage({
    subject: `Unproven work: ${task}`,
    trailers: { "Ralph-Task": task, "Ralph-Run": run },
  });
  await keepWork(home, { task, tree: await treeWith(home, base, work), base, agentHead, message });
  return task;
}
