import { agentEnding } from "../domain/agent-ending.ts";
import type { AgentEvent, AgentExit, AgentOutcome, AgentReader, OwnFile, Usage } from "../domain/agent-event.ts";
import { estimatedCost } from "../domain/prices.ts";
import { isNoUsage } from "../domain/usage.ts";
import { jsonLine, type JsonObject } from "./json-line.ts";
import { countRefusals } from "./refusals.ts";
import { countUnknownLines } from "./unknown-lines.ts";

/** What is particular to one CLI's lines of JSON. */
export interface LineDialect {
  /** What a line of a type means; undefined: no such type is known. */
  readonly read: (type: string, line: JsonObject) => AgentEvent[] | undefined;
  readonly hasResult: () => boolean;
  /** What the CLI reported; undefined: nothing, and that is no claim, whatever its text says. */
  readonly outcome: (exit: AgentExit) => AgentOutcome | undefined;
  /** What is known only at the end. */
  readonly last?: (exit: AgentExit) => AgentEvent[];
  readonly wants?: () => OwnFile | undefined;
}

/** A reader of NDJSON, for every CLI: lines that are not known are counted, and it ends exactly once. */
export function createLineReader({ read, hasResult, outcome, last, wants }: LineDialect): AgentReader {
  const unknown = countUnknownLines();
  const refusals = countRefusals();
  return {
    line: (text) => {
      const line = jsonLine(text);
      const type = line?.["type"];
      const events = line === undefined || typeof type !== "string" ? undefined : read(type, line);
      if (events === undefined) return unknown.add(text);
      unknown.known();
      refusals.note(events);
      return events;
    },
    hasResult,
    isRefused: () => refusals.isRefused() && !hasResult(),
    ...(wants === undefined ? {} : { wants }),
    end: (exit) => {
      const said = outcome(exit);
      // Stopped for that, a CLI says that it was interrupted, or nothing.
      const isRefused = refusals.isRefused() && (said === undefined || said.kind === "aborted");
      return [
        ...(last?.(exit) ?? []),
        ...unknown.events(),
        { type: "agent.ended", outcome: agentEnding(isRefused ? refusals.outcome() : said, exit) },
      ];
    },
  };
}

/** What a line means to a session. */
export type ReadLine<State> = (line: JsonObject, state: State) => AgentEvent[];

/** Reads by a table of types. Own entries only: a line may call its type `constructor`. */
export const byType =
  <State>(table: Readonly<Record<string, ReadLine<State>>>, state: State): LineDialect["read"] =>
  (type, line) =>
    Object.hasOwn(table, type) ? table[type]!(line, state) : undefined;

/** Nothing: a line that is known and says nothing new. */
export const nothing = (): [] => [];

/** What tokens are worth telling, with what they cost by the price list where the CLI does not say. */
export function usageEvents(usage: Usage | undefined, model: string | undefined): AgentEvent[] {
  if (usage === undefined || isNoUsage(usage)) return [];
  const usd = estimatedCost(model, usage);
  return [
    { type: "agent.usage", ...usage },
    ...(usd === undefined ? [] : [{ type: "agent.cost" as const, usd, estimated: true as const }]),
  ];
}
