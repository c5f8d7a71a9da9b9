import { stat } from "node:fs/promises";
import { join } from "node:path";
import { filesBelow, pathExists } from "../folder.ts";
import { git } from "./git.ts";
import { QUIET, type Repository } from "./repository.ts";

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

/** Whether anything is half done: a few looks at files. */
export const hasUnfinishedOperation = (repository: Repository): boolean =>
  findUnfinishedOperations(repository).length > 0;

export const findUnfinishedOperations = ({ gitFolder }: Repository): UnfinishedOperation[] =>
  OPERATIONS.flatMap(({ file, ...operation }) => (pathExists(join(gitFolder, file)) ? [operation] : []));

/** Whether git gave it up: files, index and branch are as they were before it was begun. */
export const abortOperation = async (repository: Repository, { abortArgs }: UnfinishedOperation): Promise<boolean> =>
  (await git(repository, [...QUIET, ...abortArgs])).code === 0;

/** Whether all unfinished operations began in this time, and have not continued since. */
export async function beganOperationIn(
  { gitFolder }: Repository,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<boolean> {
  const found = OPERATIONS.map(({ file }) => join(gitFolder, file)).filter(pathExists);
  const files = await Promise.all(found.map(filesIn));
  const times = await Promise.all([...found, ...files.flat()].map(async (path) => (await stat(path)).mtimeMs));
  return times.every((ms) => ms >= fromMs && ms <= toMs);
}

const filesIn = async (path: string): Promise<string[]> => ((await stat(path)).isDirectory() ? filesBelow(path) : []);
