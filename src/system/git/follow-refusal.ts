import { namesInLine } from "../../domain/verdict-report.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { pathExists } from "../folder.ts";
import type { FollowStep, HiddenChanges, Overlap } from "./follow-overlap.ts";
import { locksOf } from "./locks.ts";
import type { Repository } from "./repository.ts";

/** Why a branch did not follow, and what the person can do about it. */
export interface FollowRefusal {
  readonly kind: "refused";
  readonly why: string;
  /** In a sentence. */
  readonly remedy: string;
  /** The same as lines to type. */
  readonly steps: readonly string[];
  /** Commits of the person's, which a run takes in by itself before it goes on. */
  readonly isTakenIn?: true;
}

export const LAND = "ralphctl land";
export const AGAIN = `then run ${LAND}`;

export const refused = (why: string, remedy: string, steps: readonly string[]): FollowRefusal => ({
  kind: "refused",
  why,
  remedy,
  steps,
});

/** A merge or rebase waits for the person. */
export function operationRefusal(why: string, { git, what }: { readonly git: string; readonly what: string }) {
  const abort = `${git} ${what} --abort`;
  const steps = [`${git} ${what} --continue  # or ${abort}`, LAND];
  return refused(why, `Finish it, or give it up with ${abort}, ${AGAIN}`, steps);
}

interface Hidden {
  readonly hidden?: HiddenChanges;
}

const SEEN: HiddenChanges = { assumed: [], skipped: [] };

/** Git sets tracked changes aside and brings them back; files that it does not track have to move. */
export function overlapRefusal(
  { staged, changed, untracked, hidden = SEEN }: Omit<Extract<Overlap, { kind: "overlap" }>, "kind"> & Hidden,
  { git, again = LAND }: Pick<FollowStep, "git" | "again">,
): FollowRefusal {
  const come = again === LAND ? "landed" : "would come";
  const unseen = [...new Set([...hidden.assumed, ...hidden.skipped])];
  const said = (paths: readonly string[], text: (shown: string) => string): string[] =>
    paths.length === 0 ? [] : [text(shownPaths(paths))];
  const whys = [
    ...said(staged, (paths) => `You staged other changes of ${paths} than those that ${come}`),
    ...said(changed, (paths) => `You changed ${paths} without a commit, and other changes of it ${come}`),
    ...said(unseen, (paths) => `You changed ${paths}, which you told git to ignore, and other changes of it ${come}`),
    ...said(untracked, (paths) => `What ${come} would overwrite ${paths}, which git does not track`),
  ];
  const isTracked = staged.length + changed.length + unseen.length > 0;
  const update = (flag: string, paths: readonly string[]): string[] =>
    paths.length === 0 ? [] : [`${git} update-index --no-${flag} ${paths.map(shellWord).join(" ")}`];
  const shows = [...update("assume-unchanged", hidden.assumed), ...update("skip-worktree", hidden.skipped)];
  const moves = untracked.map((path) => `mv -n ${shellWord(path)} ${shellWord(`${path}.mine`)}`);
  const line = [...moves, ...shows, ...(isTracked ? [`${git} stash`, again, `${git} stash pop`] : [again])].join(
    " && ",
  );
  const commits = isTracked && untracked.length + unseen.length === 0 ? `, or commit yours, then run ${again}` : "";
  return refused(whys.join(". "), `Run ${line}${commits}`, [line]);
}

export const unmergedRefusal = ({ folder }: Repository, git: string): FollowRefusal =>
  refused(`Git has unmerged files in ${folder}`, `Resolve their conflicts, ${git} add them, ${AGAIN}`, [
    `${git} status`,
    LAND,
  ]);

export function lockRefusal(tree: Repository, branch?: string): FollowRefusal {
  const lock = locksOf(tree, branch).find(pathExists);
  const killed = lock === undefined ? "" : `; if it was killed, remove ${lock} first`;
  return refused(`Another git is at work in ${tree.folder}`, `Wait for it, ${AGAIN}${killed}`, [LAND]);
}

export const shownPaths = (paths: readonly string[]): string => namesInLine(paths, 5);
