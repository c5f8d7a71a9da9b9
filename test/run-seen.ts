import type { EventOf, RunEvent } from "../src/domain/run/event.ts";
import type { LoopRun, LoopWorkspace } from "./loop-workspace.ts";

/** What every case about a run compares: how it ended, and what it left behind. */
export interface Seen {
  readonly code: number;
  readonly outcomes: readonly string[];
  readonly states: Readonly<Record<string, string>>;
  readonly commits: readonly string[];
}

export const seen = async (place: LoopWorkspace, { code, outcomes }: LoopRun): Promise<Seen> => ({
  code,
  outcomes,
  states: await place.states(),
  commits: place.commits(),
});

/** The events of a type, in order, without what every line of them has. */
export const eventsOf = <Type extends RunEvent["type"]>({ events }: LoopRun, type: Type): EventOf<Type>[] =>
  events.flatMap((event) => {
    if (event.type !== type) return [];
    const { v: _v, at: _at, run: _run, ...rest } = event as EventOf<Type> & Record<"v" | "at" | "run", unknown>;
    return [rest as unknown as EventOf<Type>];
  });

/** Claims as `iteration claim channel`. */
export const claimsOf = (run: LoopRun): string[] =>
  eventsOf(run, "claim.made").map(({ iteration, claim, channel }) => `${iteration} ${claim} ${channel}`);

/** Notes about the protocol by iteration. */
export const notesOf = (run: LoopRun): [iteration: number, note: string][] =>
  eventsOf(run, "protocol.broken").map(({ iteration, note }) => [iteration, note]);

/** Verdicts as `iteration verdict: reasons`. */
export const verdictsOf = (run: LoopRun): string[] =>
  eventsOf(run, "verdict.reached").map(
    ({ iteration, verdict, reasons }) => `${iteration} ${verdict}: ${reasons.join("; ")}`,
  );

/** A script in which each session says one text: the n-th in iteration n. */
export const sayings = (...texts: readonly string[]): string => JSON.stringify(texts.map((say) => [{ say }]));
