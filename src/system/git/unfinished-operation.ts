import { join } from "node:path";
import { pathExists } from "../folder.ts";
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

export const findUnfinishedOperations = ({ gitFolder }: Repository): UnfinishedOperation[] =>
  OPERATIONS.flatMap(({ file, ...operation }) => (pathExists(join(gitFolder, file)) ? [operation] : []));

/** Ends it and leaves files, index and HEAD as they are. */
export const quitOperation = async (
  repository: Repository,
  { abortArgs: [verb] }: UnfinishedOperation,
): Promise<void> => void (await git(repository, [...QUIET, verb!, "--quit"]));
