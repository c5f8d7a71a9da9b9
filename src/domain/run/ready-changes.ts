import { addLeft, type Limit, type RunEnding } from "./policy.ts";
import type { IterationStarted, RunStarted } from "./event.ts";
import type { RunFinished } from "./run-finished.ts";

/** How the run of one change ended. */
export interface ChangeEnd {
  readonly change: string;
  readonly ending: RunEnding;
  readonly reason: string;
  readonly limit?: Limit | "wait" | undefined;
}

/** How the work of one scope stands when the run does nothing more for it. */
export type ScopeOutcome = Pick<
  RunFinished,
  | "ending"
  | "reason"
  | "help"
  | "limit"
  | "left"
  | "waiting"
  | "failed"
  | "blocked"
  | "outside"
  | "verified"
  | "proven"
  | "unverified"
  | "done"
  | "look"
  | "together"
  | "dropped"
  | "droppedTasks"
  | "unfinished"
>;

/** What the runs of a command have used so far. */
export type Spent = Readonly<Record<"costUsd" | "tokens" | "durationMs", number>>;

export const nothingSpent: Spent = { costUsd: 0, tokens: 0, durationMs: 0 };

export function addSpent(spent: Spent, run: Pick<RunFinished, keyof Spent>): Spent {
  return {
    costUsd: spent.costUsd + (run.costUsd ?? 0),
    tokens: spent.tokens + run.tokens,
    durationMs: spent.durationMs + run.durationMs,
  };
}

/** Worst first: one change that did not succeed is what the whole comes to. */
const ORDER: readonly RunEnding[] = [
  "interrupted",
  "login",
  "config",
  "failure",
  "blocked",
  "limit",
  "unverified",
  "nothing",
  "complete",
];

/** The ending of several changes: complete only if each of them is. */
export const overallEnding = (ends: readonly ChangeEnd[]): RunEnding =>
  ORDER.find((ending) => ends.some((end) => end.ending === ending)) ?? "nothing";

/** Whether the next change would end the same way: the user stopped the command, or the reason holds for all. */
export const endsAll = ({ ending, limit }: ChangeEnd): boolean =>
  ending === "interrupted" ||
  ending === "login" ||
  ending === "config" ||
  (ending === "limit" && limit !== undefined && limit !== "iterations");

/** The scopes that a run works on. */
export const scopesOfRun = ({ scope, changes }: Pick<RunStarted, "scope" | "changes">): string[] =>
  changes?.map((change) => `change/${change}`) ?? [scope];

/** What a run is about, as its iterations tell: a change may become ready during it. */
export function withChangeOf(started: RunStarted, { scope }: Pick<IterationStarted, "scope">): RunStarted {
  if (scope === undefined || scopesOfRun(started).includes(scope)) return started;
  return { ...started, changes: [...(started.changes ?? []), changeIn(scope)] };
}

/** The change of a scope: `change/ID`. */
export const changeIn = (scope: string): string => scope.replace(/^change\//, "");

export const changeEnd = (scope: string, { ending, reason, limit }: Omit<ChangeEnd, "change">): ChangeEnd => ({
  change: changeIn(scope),
  ending,
  reason,
  ...(limit !== undefined && { limit }),
});

/** The most tasks of each kind in the final event. */
export const MOST_NAMED = 20;

/** Several changes as one outcome. `refused`: changes that could not be opened. */
export function joinOutcomes(
  outcomes: readonly (readonly [scope: string, ScopeOutcome])[],
  refused: readonly ChangeEnd[],
): ScopeOutcome & Required<Pick<RunFinished, "changes">> {
  const changes = [...outcomes.map(([scope, outcome]) => changeEnd(scope, outcome)), ...refused];
  const all = outcomes.map(([, outcome]) => outcome);
  const ending = overallEnding(changes);
  const complete = changes.filter((change) => change.ending === "complete").length;
  const worst = all.find((outcome) => outcome.ending === ending);
  const lists = <Item>(of: (outcome: ScopeOutcome) => readonly Item[] | undefined): Item[] =>
    all.flatMap((outcome) => of(outcome) ?? []).slice(0, MOST_NAMED);
  const sum = (of: (outcome: ScopeOutcome) => number | undefined): number =>
    all.reduce((total, outcome) => total + (of(outcome) ?? 0), 0);
  const done = doneIn(all);
  return {
    changes,
    ending,
    reason: changes.length === 1 ? changes[0]!.reason : `${complete} of ${changes.length} changes are complete`,
    ...(worst?.help !== undefined && { help: worst.help }),
    ...(worst?.limit !== undefined && { limit: worst.limit }),
    left: all.map(({ left }) => left).reduce(addLeft),
    waiting: lists(({ waiting }) => waiting),
    failed: lists((outcome) => outcome.failed),
    blocked: lists(({ blocked }) => blocked),
    ...some(
      "outside",
      lists(({ outside }) => outside),
    ),
    verified: sum(({ verified }) => verified),
    proven: sum(({ proven }) => proven),
    unverified: sum(({ unverified }) => unverified),
    ...(done !== undefined && refused.length === 0 && { done }),
    ...some(
      "look",
      lists(({ look }) => look),
    ),
    ...some(
      "together",
      lists(({ together }) => together),
    ),
    dropped: sum(({ dropped }) => dropped),
    droppedTasks: lists(({ droppedTasks }) => droppedTasks),
    ...some(
      "unfinished",
      lists(({ unfinished }) => unfinished),
    ),
  };
}

/** Undefined while some are open. */
function doneIn(outcomes: readonly ScopeOutcome[]): RunFinished["done"] {
  const all = outcomes.map(({ done }) => done).filter((done) => done !== undefined);
  if (all.length < outcomes.length) return undefined;
  return all.reduce((one, other) => ({
    proven: one.proven + other.proven,
    unbroken: one.unbroken + other.unbroken,
    word: one.word + other.word,
    look: one.look + other.look,
    unrecorded: one.unrecorded + other.unrecorded,
  }));
}

const some = <Name extends string, Item>(name: Name, items: readonly Item[]): Partial<Record<Name, readonly Item[]>> =>
  items.length === 0 ? {} : ({ [name]: items } as Record<Name, readonly Item[]>);
