import { type Conclusion, type CommitLook, nextStep } from "../domain/culprit.ts";
import { type Check, checkName, type DecayFinding } from "../domain/decay.ts";
import type { GateResult } from "../domain/gate.ts";
import type { CommitLine, LineCommit } from "../system/git/line.ts";
import { openBreak } from "./breaks.ts";
import { type DecayDeps, type Looked, lookAtCommit } from "./look-at-commit.ts";
import { greenTrees } from "./proofs.ts";
import type { VerdictRecords } from "./verdict-records.ts";

/** A gate that was red on the newest commit, once or more. */
export interface RedCheck {
  readonly check: Check;
  /** The looks at the newest commit so far. */
  readonly looks: readonly Looked[];
}

/** Called before each look. */
export type OnLook = (check: Check, commit: LineCommit) => void;

/** A culprit keeps its place in the line, by which its task is found. */
export type Searched = DecayFinding & { readonly at?: LineCommit };

/** Looks at the newest commit until it is clear whether the gate holds there: once if it is green, else twice. */
export async function lookAtNewest(
  deps: DecayDeps,
  check: Check,
  commit: LineCommit,
): Promise<"holds" | "stopped" | RedCheck> {
  const looks: Looked[] = [];
  for (;;) {
    const step = nextStep(
      1,
      looks.map((look) => ({ ...look, at: 0 })),
    );
    if (step.kind === "holds") return "holds";
    if (step.kind !== "look") return { check, looks };
    looks.push(await lookAtCommit(deps, check, { commit, isNewest: true, isAgain: true }));
    if (deps.stop.aborted) return "stopped";
  }
}

interface Search {
  readonly deps: DecayDeps;
  readonly line: CommitLine;
  readonly records: VerdictRecords;
  readonly onLook: OnLook;
}

/** Finds out since when a gate is red. Undefined: it holds after all. */
export async function searchCulprit(search: Search, red: RedCheck): Promise<Searched | "holds" | "stopped"> {
  const { deps, line, records } = search;
  const newest = line.commits.length - 1;
  const first = red.looks.findLast(({ passed }) => passed === false)?.result;
  const found = { check: red.check, candidates: [], skipped: [], action: "none" } as const;
  const isTwice = red.looks.filter(({ passed }) => passed === false).length > 1;
  if (isTwice && first !== undefined) {
    const known = await openBreak(deps, red.check, line.commits[newest]!.id);
    if (known !== undefined) return { ...found, result: first, kind: "known", ...known, action: "open" };
    if (deps.room.isLane === true) return { ...found, result: first, kind: "not searched" };
  }
  const looks: CommitLook[] = red.looks.map((look) => ({ ...look, at: newest }));
  const believed = await newestGreen(deps, red.check, { line, records });
  if (believed !== -1) looks.push({ at: believed, passed: true, isRemembered: true });
  let result = first;
  for (;;) {
    const step = nextStep(line.commits.length, looks);
    if (step.kind === "holds") return "holds";
    if (step.kind !== "look") return findingOf(step, { search, looks, found: { ...found, result: result! } });
    const commit = line.commits[step.at]!;
    search.onLook(red.check, commit);
    const look = await lookAtCommit(deps, red.check, { commit, isNewest: step.at === newest, isAgain: step.isAgain });
    if (deps.stop.aborted) return "stopped";
    looks.push({ ...look, at: step.at });
    if (step.at === newest && look.passed === false) result = look.result ?? result;
  }
}

/** By the verdicts of all tasks and by earlier searches. */
async function newestGreen(
  { store, gates: { pinned } }: DecayDeps,
  check: Check,
  { line, records }: Pick<Search, "line" | "records">,
): Promise<number> {
  const verdicts = records.green.get(checkName(check));
  const memory = new Set(await greenTrees(store, check.gate, { pinned, task: check.task?.id }));
  return line.commits.findLastIndex(({ tree }) => verdicts?.has(tree) === true || memory.has(tree));
}

interface Ended {
  readonly search: Search;
  readonly looks: readonly CommitLook[];
  readonly found: Omit<DecayFinding, "kind"> & { readonly result: GateResult };
}

function findingOf(end: Exclude<Conclusion, { kind: "holds" }>, { search, looks, found }: Ended): Searched {
  const { commits, end: why } = search.line;
  const skipped = commits.filter((_, at) => looks.some((look) => look.at === at && look.passed === undefined));
  const all = { ...found, skipped };
  if (end.kind === "unchecked") return { ...all, kind: "unchecked" };
  if (end.kind === "one of") return { ...all, kind: "one of", candidates: commits.slice(end.from, end.to + 1) };
  const commit = commits[end.at]!;
  if (end.kind === "culprit") return { ...all, kind: "broken", commit, at: commit };
  return { ...all, kind: end.kind, commit, ...(end.kind === "inherited" && end.at === 0 && { end: why }) };
}
