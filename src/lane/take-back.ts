import { branchRef } from "../system/git/landing.ts";
import { RalphError } from "../domain/error.ts";
import { namesInLine } from "../domain/verdict-report.ts";
import type { FileChange } from "../domain/change.ts";
import { NESTED } from "../system/git/hash.ts";
import { isAmong } from "../system/git/ignored-files.ts";
import type { IndexEntry } from "../system/git/index-file.ts";
import { keepTree, type KeptTree } from "../system/git/keep-tree.ts";
import { type Loan, writeLoan } from "../system/git/loan.ts";
import { freeLocks, putHead, putIndex, stagedOn } from "../system/git/put-back.ts";
import { entriesSince, isFollow, isPersons } from "../system/git/reflog.ts";
import { readHead } from "../system/git/ref-files.ts";
import { readRefs } from "../system/git/ref.ts";
import type { Repository } from "../system/git/repository.ts";
import { restoreFiles } from "../system/git/restore.ts";
import { nextPlaceRef, saveRef } from "../system/git/saved-ref.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { findUnfinishedOperations, quitOperation } from "../system/git/unfinished-operation.ts";

/** Which files of the tree are the person's even while it is lent (L-03). */
export interface LentFiles {
  /** Plan files: never touched. */
  readonly isPlan: (path: string) => boolean;
  /** Plans, specs and prompts. */
  readonly isInput: (path: string) => boolean;
}

/** Who moved HEAD or the branch during a loan. */
export type Moved =
  /** The person switched to another branch. */
  | { readonly kind: "taken"; readonly to: string }
  | {
      readonly kind: "ours";
      /** The commit that the tree goes back to: that of the loan, or the person's own on top of it. */
      readonly head: string;
      /** The person's last commit during the loan. */
      readonly theirs: string | undefined;
    };

/** Tells by the reflogs. What they do not explain is the person's. */
export async function whoMoved(home: Repository, { branch, head, last }: Loan): Promise<Moved> {
  const ref = branchRef({ branch });
  const now = await readHead(home);
  const headEntries = entriesSince(home, "HEAD", last.head);
  if (now.ref !== ref && (headEntries === undefined || headEntries.some(isPersons))) {
    return { kind: "taken", to: now.ref?.replace("refs/heads/", "") ?? `commit ${now.commit?.slice(0, 10)}` };
  }
  const tip = ref === undefined ? now.commit : (await readRefs(home, [ref])).get(ref);
  if (tip === undefined || tip === head) return { kind: "ours", head, theirs: undefined };
  const entries = ref === undefined ? headEntries : entriesSince(home, ref, last.branch);
  const persons = entries?.findLast(isPersons);
  const isExplained = entries !== undefined && entries.at(-1)?.now === tip;
  // The branch may have followed the landing meanwhile.
  const followed = entries?.findLast(isFollow)?.now ?? head;
  if (isExplained && persons === undefined) return { kind: "ours", head: followed, theirs: undefined };
  return { kind: "ours", head: tip, theirs: isExplained ? persons!.now : tip };
}

export interface TakeBack {
  readonly home: Repository;
  readonly run: string;
  readonly loan: Loan;
  /** The commit for HEAD and index, and the tree of the files. */
  readonly to: { readonly head: string; readonly tree: string };
  readonly files: LentFiles;
  /** Specs and prompts go back to how they lay then; undefined: they stay as they are. */
  readonly laid: Snapshot | undefined;
  /** Index entries of inputs that the person had staged. */
  readonly staged: readonly IndexEntry[];
}

type Kept = KeptTree & { readonly ref: string };

export interface TakenBack {
  readonly now: Snapshot;
  /** All that would have been lost. More than one if the person saved files meanwhile. */
  readonly kept: readonly Kept[];
}

/**
 * T-40: the one function that resets files of the person's tree or moves its branch. It keeps everything that is there
 * first. Ignored files stay.
 */
export async function takeBack(request: TakeBack): Promise<TakenBack> {
  const { home, loan } = request;
  await freeLocks(home, loan.branch);
  let now = await snapshot(home);
  if (await isBack(request, now)) return { now, kept: [] };
  const kept: Kept[] = [];
  for (let tries = 1; ; tries += 1) {
    const still = await keepNow(request, now);
    if (still.kept !== undefined) kept.push(still.kept);
    now = await reset(request, still.now);
    const left = await entriesFor(request, now);
    if (left.length === 0) return { now, kept };
    // The person may have saved them since.
    if (tries === MOST_LOOKS || now.tree === still.now.tree) throw notReset(left, kept);
  }
}

/** Keeps what is there, as long as the person saves files. */
async function keepNow(request: TakeBack, before: Snapshot): Promise<{ now: Snapshot; kept: Kept | undefined }> {
  const { home, run, loan } = request;
  let now = before;
  const keep = async (): Promise<Kept | undefined> =>
    (await isCommitted(request, now)) ? undefined : await keepAll(home, { run, now, branch: loan.branch });
  let kept = await keep();
  await writeLoan(home, { ...loan, phase: "back" });
  for (let tries = 1; tries < MOST_LOOKS; tries += 1) {
    const again = await snapshot(home, now);
    if (again.tree === now.tree) break;
    now = again;
    kept = await keep();
  }
  return { now, kept };
}

/** T-41: the person moved HEAD or the branch since the caller looked. */
class MovedMeanwhile extends Error {}

/** Looks again if the person commits or switches before the tree is taken back. */
export async function lookingAgain<Result>(action: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof MovedMeanwhile)) throw error;
    }
  }
}

async function reset(request: TakeBack, now: Snapshot): Promise<Snapshot> {
  const { home, loan, to, staged } = request;
  const moved = await whoMoved(home, loan);
  if (moved.kind === "taken" || moved.head !== to.head) throw new MovedMeanwhile();
  for (const operation of findUnfinishedOperations(home)) await quitOperation(home, operation);
  await putHead(home, { ref: branchRef(loan), commit: to.head });
  const { restored } = await restoreFiles(home, await entriesFor(request, now));
  await putIndex(home, to.head, { own: staged, rewritten: restored });
  return await snapshot(home);
}

function notReset(left: readonly IndexEntry[], kept: readonly Kept[]): RalphError {
  const paths = namesInLine(left.map(({ path }) => path));
  const refs = kept.map(({ ref }) => ref).join(" and ");
  return new RalphError(
    "io",
    `ralphctl could not reset ${paths}${refs === "" ? "" : `; ${refs} has all that was there`}`,
    {
      hint: "Move away what is in their place, then run this command again",
    },
  );
}

const MOST_LOOKS = 5;

interface KeepRequest {
  readonly run: string;
  readonly now: Snapshot;
  readonly branch: string | undefined;
  /** Ignored files to keep whatever their size. */
  readonly more?: readonly string[];
}

/** Keeps everything in the tree under a ref of the run. */
export async function keepAll(home: Repository, { run, now, branch, more }: KeepRequest): Promise<Kept> {
  const ref = branchRef({ branch });
  const tip = ref === undefined ? undefined : (await readRefs(home, [ref])).get(ref);
  const message = `Files of ${home.folder} before ralphctl reset them\n\nRalph-Run: ${run}\n`;
  const kept = await keepTree(home, now, { message, others: tip === undefined ? [] : [tip], more });
  const name = await nextPlaceRef(home, run);
  await saveRef(home, name, kept.commit);
  return { ...kept, ref: name };
}

/** Whether all that is there is in the commit that HEAD stays at. */
async function isCommitted({ home, to, files }: TakeBack, now: Snapshot): Promise<boolean> {
  if (now.head !== to.head || now.changed.some(({ path }) => !files.isPlan(path))) return false;
  return findUnfinishedOperations(home).length === 0 && (await stagedOn(home, to.head)).length === 0;
}

/** Whether the tree is already as it shall be. */
async function isBack(request: TakeBack, now: Snapshot): Promise<boolean> {
  const { home, loan, to, files, staged } = request;
  const head = await readHead(home);
  if (head.ref !== branchRef(loan) || head.commit !== to.head) return false;
  if (findUnfinishedOperations(home).length > 0 || (await entriesFor(request, now)).length > 0) return false;
  const index = await stagedOn(home, to.head);
  const isStaged = ({ path, state }: IndexEntry): boolean =>
    staged.some((entry) => entry.path === path && entry.state?.hash === state?.hash);
  return index.every((entry) => files.isInput(entry.path) && isStaged(entry));
}

/** The files that differ from how they shall be. */
async function entriesFor({ home, loan, to, files, laid }: TakeBack, now: Snapshot): Promise<IndexEntry[]> {
  const target: Snapshot = { ...now, head: to.tree, tree: to.tree, changed: [] };
  // A session may have changed the rules by which git ignored files of the person.
  const isTheirs = (path: string): boolean => isAmong(loan.ignored ?? [], path);
  const all = (await changesBetween(home, now, target)).filter(
    ({ path, after }) => after !== undefined || !isTheirs(path),
  );
  const work = all.filter(({ path }) => !files.isInput(path));
  const inputs = laid === undefined ? [] : await changesBetween(home, now, laid);
  const own = inputs.filter(({ path }) => files.isInput(path) && !files.isPlan(path));
  return [...work, ...own].filter(isFile).map(({ path, after }) => ({ path, state: after }));
}

/** Repositories inside the tree keep their own files and commits. */
const isFile = ({ before, after }: FileChange): boolean =>
  [before, after].every((state) => state?.mode !== "160000" && state?.hash !== NESTED.hash);
