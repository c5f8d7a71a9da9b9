import { type LaneInPlace, openInPlace } from "../src/lane/in-place.ts";
import { returnLoan } from "../src/lane/return-loan.ts";
import { noteKill, readLoan } from "../src/system/git/loan.ts";
import type { Repository } from "../src/system/git/repository.ts";
import type { SavedWork } from "../src/system/git/saved-ref.ts";

export const LENT_INPUTS = { plans: ["PLAN.md"], all: ["PLAN.md", "specs/**", ".ralph/**"] };
export const LENT_TARGET = { ref: "refs/ralph/target/main", branch: "main" };

export type Kept = SavedWork & { readonly why: string };

/** The working tree of a repository as lane 0. */
export const openLent = (home: Repository, kept: Kept[] = []): Promise<LaneInPlace> =>
  openInPlace({
    home,
    root: home.folder,
    run: "run-1",
    target: LENT_TARGET,
    env: {},
    inputs: LENT_INPUTS,
    onKept: (saved) => kept.push(saved),
  });

/** No file of the session has a change time that may also be later than the kill. */
export const A_STEP_MS = 20;

/** What the next run does after a kill. */
export async function afterKill(
  home: Repository,
  { isOpen = true, inPlace = true, killedAtMs = Date.now() + A_STEP_MS }: AfterKill = {},
): Promise<string[]> {
  const run = (await readLoan(home))?.run;
  if (run !== undefined) await noteKill(home, { run, atMs: killedAtMs });
  const about = { inputs: LENT_INPUTS, isOpen: async () => await Promise.resolve(isOpen) };
  return await returnLoan({ home, run: "run-2", inPlace, ...about });
}

interface AfterKill {
  readonly isOpen?: boolean;
  readonly inPlace?: boolean;
  readonly killedAtMs?: number;
}
