import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { RalphError } from "../../domain/error.ts";
import { namesInLine } from "../../domain/verdict-report.ts";
import { pathExists, textIn } from "../folder.ts";
import { gitFolder } from "./folder.ts";
import { git, type GitInput, type GitPlace, mustBytes, workingTree } from "./git.ts";
import { decodePath, splitNul } from "./path.ts";
import { openRepository, QUIET, type Repository } from "./repository.ts";

/** A git operation that waits to be continued or aborted. */
export interface UnfinishedOperation {
  readonly what: string;
  /** Arguments for git to abort it. */
  readonly abortArgs: readonly string[];
}

const OPERATIONS: readonly (UnfinishedOperation & { readonly file: string })[] = [
  { file: "MERGE_HEAD", what: "merge", abortArgs: ["merge", "--abort"] },
  { file: "CHERRY_PICK_HEAD", what: "cherry-pick", abortArgs: ["cherry-pick", "--abort"] },
  { file: "REVERT_HEAD", what: "revert", abortArgs: ["revert", "--abort"] },
  { file: "rebase-merge", what: "rebase", abortArgs: ["rebase", "--abort"] },
  { file: "rebase-apply/rebasing", what: "rebase", abortArgs: ["rebase", "--abort"] },
  { file: "rebase-apply/applying", what: "patch series", abortArgs: ["am", "--abort"] },
];

export const findUnfinishedOperations = ({ gitFolder: own }: Pick<Repository, "gitFolder">): UnfinishedOperation[] =>
  OPERATIONS.flatMap(({ file, ...operation }) => (pathExists(join(own, file)) ? [operation] : []));

const isOnBranch = (own: string): boolean => textIn(join(own, "HEAD"))?.startsWith("ref:") === true;

const PAUSE_MS = 10;
const LONGEST_MS = 2000;

/**
 * Waits while a rebase begins or ends: HEAD is still, or again, on a branch. With `--autostash` it sets the person's changes
 * aside and then wants a clean tree: a file that somebody writes between the two ends it there, where `git rebase --abort`
 * does not help. Returns whether still none has begun, for the last moment before the write. One that broke off there says
 * nothing.
 */
export async function rebaseBegun({ gitFolder: own }: Pick<Repository, "gitFolder">): Promise<() => boolean> {
  const begins = (): boolean => pathExists(join(own, "rebase-merge")) && isOnBranch(own);
  for (let waitedMs = 0; waitedMs < LONGEST_MS; waitedMs += PAUSE_MS) {
    if (!begins()) return () => !begins();
    await wait(PAUSE_MS);
  }
  return () => true;
}

/** Refuses a working tree with an unfinished merge or rebase: our commit would become part of it. */
export function checkNoUnfinishedOperation(tree: string): void {
  const own = gitFolder(tree)?.own ?? tree;
  const [operation] = findUnfinishedOperations({ gitFolder: own });
  if (operation === undefined && pathExists(join(own, "BISECT_LOG")) && !isOnBranch(own)) {
    throw new RalphError("config", "A bisect is in progress, and work would land on the commit that it tries", {
      hint: "Finish it first: git bisect reset",
    });
  }
  if (operation === undefined) return;
  const command = `git ${operation.abortArgs[0]}`;
  throw new RalphError("config", `A ${operation.what} is in progress`, {
    hint: `Finish it first: ${command} --continue, or ${command} --abort`,
  });
}

/** P-30: refuses what a run cannot work on (bare, half-done merge), with the command that helps. */
export async function checkRepository(place: GitPlace): Promise<Repository> {
  checkNoUnfinishedOperation(await workingTree(place));
  return await openRepository(place);
}

/** Ends it and leaves files, index and HEAD as they are. */
export const quitOperation = async (
  repository: Repository,
  { abortArgs: [verb] }: UnfinishedOperation,
): Promise<void> => void (await git(repository, [...QUIET, verb!, "--quit"]));

/** The files in conflict. `input`: for another index. */
export async function unmergedPaths(repository: Repository, input: GitInput = {}): Promise<string[]> {
  const entries = splitNul((await mustBytes(repository, [...QUIET, "ls-files", "-z", "--unmerged"], input)).stdout);
  return [...new Set(entries.map((entry) => decodePath(entry.subarray(entry.indexOf(0x09) + 1))))];
}

/** Refuses files in conflict: git cannot commit them, so that a proof would be about a tree without them. */
export async function checkNoConflict(repository: Repository): Promise<void> {
  const paths = await unmergedPaths(repository);
  if (paths.length === 0) return;
  const [operation] = findUnfinishedOperations(repository);
  const about = operation === undefined ? "A conflict is not resolved" : `A ${operation.what} is in progress`;
  const end = operation === undefined ? "" : `, or end it: git ${operation.abortArgs.join(" ")}`;
  throw new RalphError("config", `${about}, and these are unresolved: ${namesInLine(paths)}`, {
    hint: `Resolve them and git add them${end}`,
  });
}
