import { namesInLine } from "../domain/verdict-report.ts";
import type { Environment } from "../domain/environment.ts";
import { shellWord } from "../domain/shell-word.ts";
import { RalphError } from "../domain/error.ts";
import { matchesAny } from "../domain/glob.ts";
import type { KeptTree } from "../system/git/keep-tree.ts";
import { branchRef, type LandingTarget } from "../system/git/landing.ts";
import { readLanding } from "../system/git/landing.ts";
import { ignoredPaths, isAmong } from "../system/git/ignored-files.ts";
import { endLoan, type Loan, type KeptIgnored, writeLoan } from "../system/git/loan.ts";
import { stagedOn } from "../system/git/put-back.ts";
import { readHead } from "../system/git/ref-files.ts";
import { lastEntry, SESSION_ACTION } from "../system/git/reflog.ts";
import { keepContents } from "../system/git/restore.ts";
import type { Repository } from "../system/git/repository.ts";
import { removeRef } from "../system/git/saved-ref.ts";
import { committedBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import type { Status } from "../system/git/status.ts";
import { nameTree } from "../system/git/tree.ts";
import { findUnfinishedOperations } from "../system/git/unfinished-operation.ts";
import { readWork } from "../system/git/work-ref.ts";
import type { IndexEntry } from "../system/git/index-file.ts";
import { type IncludedFiles, includedFiles } from "./included-files.ts";
import { type Lane, LaneTaken, type Left, type Start } from "./lane.ts";
import { keepOwn, nameOwn, putBackOwn, type Saved } from "./own-ignored.ts";
import { keepAll, type LentFiles, lookingAgain, takeBack, whoMoved } from "./take-back.ts";

export interface InPlaceRequest {
  readonly home: Repository;
  /** The person's workspace. */
  readonly root: string;
  readonly run: string;
  readonly target: LandingTarget;
  readonly env: Environment;
  readonly inputs: LentPatterns;
  /** Hears about everything that was kept and is neither proven work nor a task's. */
  readonly onKept: (saved: Saved) => void;
}

/** Paths and patterns of files that stay the person's while the tree is lent. */
export interface LentPatterns {
  readonly plans: readonly string[];
  /** Plans, specs, prompts, and ralphctl's own files. */
  readonly all: readonly string[];
}

export const lentFiles = ({ plans, all }: LentPatterns): LentFiles => ({
  isPlan: (path) => plans.includes(path),
  isInput: (path) => matchesAny(all, path),
});

interface Lent {
  loan: Loan;
  /** When the session began. */
  readonly begun: Snapshot;
  readonly staged: readonly IndexEntry[];
  /** The files that gates get beside the tree (L-04). */
  readonly included: IncludedFiles;
  /** A session may have changed ignored files since they were kept. */
  isOut: boolean;
}

/** Lane 0, and the files that gates get from it beside the tree: a session must not decide which. */
export interface LaneInPlace extends Lane {
  readonly included: () => IncludedFiles;
}

/** L-01: lane 0, the person's own tree on loan. It has to be clean. */
export async function openInPlace(request: InPlaceRequest): Promise<LaneInPlace> {
  const { home, root, env } = request;
  const files = lentFiles(request.inputs);
  await refuseUnclean(request);
  let included = await includedFiles(home);
  let lent: Lent | undefined;
  const release = async (): Promise<void> => {
    if (lent === undefined) return;
    const current = lent;
    await lookingAgain(async () => await giveBack(request, current, files));
    lent = undefined;
  };
  return {
    number: 0,
    folder: home.folder,
    root,
    repository: home,
    env: { ...env, RALPHCTL_LANE: "0", ...SESSION_ACTION },
    isPersons: files.isInput,
    begin: async (start, task) => {
      lent = await lookingAgain(async () => await lend(request, { ...start, task }, { files, lent, included }));
      included = lent.included;
      return lent.begun;
    },
    wasIgnored: (path) => isAmong(lent?.loan.ignored ?? [], path),
    included: () => included,
    collect: async (look) => await collect(request, lent, look),
    release,
  };
}

/** Refuses a tree with changes of the person, as it cannot be lent. */
export async function refuseUnclean({
  home,
  target,
  inputs,
}: Pick<InPlaceRequest, "home" | "target" | "inputs">): Promise<void> {
  const { isInput } = lentFiles(inputs);
  const [operation] = findUnfinishedOperations(home);
  if (operation !== undefined) {
    throw unclean(`A ${operation.what} is in progress in ${home.folder}`, "Finish it");
  }
  const { ref, commit } = await readHead(home);
  if (ref !== branchRef(target)) {
    throw unclean(`${target.branch ?? "A detached HEAD"} is not checked out here`, "Switch to it");
  }
  const { changed } = await snapshot(home);
  const staged = await stagedOn(home, commit!);
  const paths = [...new Set([...changed, ...staged].map(({ path }) => path))].filter((path) => !isInput(path)).sort();
  if (paths.length === 0) return;
  const message = `Work in place needs a clean tree, but these files have changes: ${namesInLine(paths, 10)}`;
  throw unclean(message, "Commit or stash them");
}

const unclean = (message: string, remedy: string): RalphError =>
  new RalphError("config", message, { hint: `${remedy}, or leave out --in-place` });

interface LentStart extends Start {
  readonly task: string | undefined;
}

interface Lending {
  readonly files: LentFiles;
  readonly lent: Lent | undefined;
  readonly included: IncludedFiles;
}

/** Makes the files exactly those of the start, and writes the record that a session is at work in them. */
async function lend(
  request: InPlaceRequest,
  start: LentStart,
  { files, lent, included: before }: Lending,
): Promise<Lent> {
  const { home, run, target } = request;
  const ref = branchRef(target);
  const now = await readHead(home);
  const moved = lent && (await whoMoved(home, lent.loan));
  if (moved?.kind === "taken") throw await taken(request, now.ref, lent?.loan.own);
  if (moved === undefined && now.ref !== ref) throw takenError(request, now.ref);
  const head = moved?.head ?? now.commit!;
  if (lent !== undefined) await settleIgnored(request, lent);
  const own = await keepOwn(ownPlace(request), before.files, lent?.loan.own);
  const ignored = lent?.loan.ignored ?? (await ignoredPaths(home));
  const loan: Loan = lent?.loan ?? newLoan(request, { head, start, own, ignored });
  const index = lent?.staged ?? (await stagedOn(home, head)).filter(({ path }) => files.isInput(path));
  const back = { home, run, loan, to: { head, tree: start.tree }, files, staged: index };
  const { now: begun, kept } = await takeBack({ ...back, laid: lent?.begun });
  for (const each of kept) await report(request, each, { files, task: loan.task });
  const inputs = begun.changed.filter(({ path }) => files.isInput(path) && !files.isPlan(path));
  await keepContents(home, { changed: inputs });
  const staged = (await stagedOn(home, head)).filter(({ path }) => files.isInput(path));
  // Gates may begin in the files of a session.
  const about = { ...start, task: start.task ?? lent?.loan.task };
  const next = newLoan(request, { head, start: about, own, ignored });
  await writeLoan(home, next);
  // Unproven work may say otherwise.
  const isProven = (await nameTree(home, start.head, [])).tree === start.tree;
  const included = isProven ? await includedFiles(home) : before;
  return { loan: next, begun, staged, included, isOut: true };
}

const ownPlace = ({ home, run, target: { branch } }: InPlaceRequest) => ({ home, run, branch });

/** T-40: once after each session, before gates get any of these files. */
async function settleIgnored(request: InPlaceRequest, lent: Lent): Promise<void> {
  const { own } = lent.loan;
  if (!lent.isOut || own === undefined) return;
  const told = await putBackOwn(ownPlace(request), own);
  lent.isOut = false;
  for (const each of told) request.onKept(each);
  // Told once; and the ref stays.
  const others = told.some(({ ref }) => ref === own.ref) ? [] : own.others;
  lent.loan = { ...lent.loan, own: { ...own, others, isTold: own.isTold === true || told.length > 0 } };
}

const newLoan = (
  { home, run, target: { branch } }: InPlaceRequest,
  { head, start, own, ignored }: Pick<Loan, "head" | "own" | "ignored"> & { readonly start: LentStart },
): Loan => ({
  run,
  task: start.task,
  base: start.head,
  head,
  branch,
  last: { head: lastEntry(home, "HEAD"), branch: branch === undefined ? "" : lastEntry(home, branchRef({ branch })!) },
  phase: "lent",
  ignored,
  own,
});

/** The files as the session left them, unless the person took the tree away from it. */
async function collect(request: InPlaceRequest, lent: Lent | undefined, look?: Promise<Status>): Promise<Left> {
  const { home } = request;
  const now = await snapshot(home, lent?.begun, look);
  const moved = lent && (await whoMoved(home, lent.loan));
  if (moved === undefined) return now;
  if (moved.kind === "taken") throw await taken(request, branchRef({ branch: moved.to }), lent?.loan.own);
  await settleIgnored(request, lent!);
  return { ...now, theirs: moved.theirs };
}

/** Gives the tree back clean, at the commit of the branch. The record goes last. */
async function giveBack(request: InPlaceRequest, lent: Lent, files: LentFiles): Promise<void> {
  const { home, run } = request;
  const { begun: laid, staged } = lent;
  const moved = await whoMoved(home, lent.loan);
  if (moved.kind === "ours") {
    await settleIgnored(request, lent);
    const { loan } = lent;
    const { head } = moved;
    const { tree } = await nameTree(home, head, []);
    const { kept } = await takeBack({ home, run, loan, to: { head, tree }, files, laid, staged });
    for (const each of kept) await report(request, each, { files, task: loan.task });
  }
  const { own } = lent.loan;
  await endLoan(home);
  if (own !== undefined && own.isTold !== true && moved.kind === "ours") await removeRef(home, own.ref);
}

/** T-41: the person switched to something else. Their files stay as they are, with those of the session; a ref has both. */
async function taken(request: InPlaceRequest, ref: string | undefined, own?: KeptIgnored): Promise<LaneTaken> {
  const { home, run, target, onKept } = request;
  for (const each of own === undefined ? [] : await nameOwn(home, own)) onKept(each);
  const now = await snapshot(home);
  if (now.changed.length > 0) {
    const { ref: name, commit } = await keepAll(home, { run, now, branch: target.branch });
    onKept({ ref: name, commit, why: "you switched to another branch" });
  }
  return takenError(request, ref, now.changed.length > 0);
}

/** Files of the session may be among those of the person, and the next run needs a clean tree. */
function takenError({ target }: InPlaceRequest, ref: string | undefined, isDirty = false): LaneTaken {
  const to = ref?.replace("refs/heads/", "") ?? "another commit";
  const back = target.branch === undefined ? "git switch --detach -" : `git switch ${shellWord(target.branch)}`;
  return new LaneTaken(`You switched to ${to} while the run worked in your tree`, {
    hint: isDirty ? `git stash --include-untracked && ${back}` : back,
  });
}

/** Tells of what was kept, unless it has landed or is the work of the task. */
async function report(
  { home, target, onKept }: InPlaceRequest,
  kept: KeptTree & { readonly ref: string },
  { files, task }: { readonly files: LentFiles; readonly task: string | undefined },
): Promise<void> {
  const work = task === undefined ? undefined : await readWork(home, task);
  for (const known of [await readLanding(home, target), work?.commit]) {
    if (known === undefined) continue;
    const more = await committedBetween(home, known, kept.tree);
    if ([...more.keys()].every(files.isInput)) return;
  }
  onKept({ ref: kept.ref, commit: kept.commit, why: "ralphctl reset the tree" });
}
