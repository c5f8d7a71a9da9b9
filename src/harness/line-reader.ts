import { agentEnding } from "../domain/agent-ending.ts";
import {
  type AgentEvent,
  type AgentExit,
  type AgentOutcome,
  type AgentReader,
  isAnswer,
  type OwnFile,
  type Usage,
} from "../domain/agent-event.ts";
import { estimatedCost } from "../domain/prices.ts";
import { stripAnsi } from "../domain/printable.ts";
import { isNoUsage } from "../domain/usage.ts";
import { failureOutcome, startFailure } from "./api-failure.ts";
import { cut } from "./brief.ts";
import { costEvents } from "./events.ts";
import { jsonLine, type JsonObject, present } from "./json-line.ts";
import { type Met, type RequestState, watchRequests } from "./request-watch.ts";

/** How one CLI's JSON lines differ. */
export interface LineDialect {
  /** What a line is; default: its `type`. */
  readonly typeOf?: (line: JsonObject) => unknown;
  /** The events of a line, by its type; undefined: unknown type. */
  readonly read: (type: string, line: JsonObject) => AgentEvent[] | undefined;
  readonly hasResult: () => boolean;
  readonly isWaiting?: () => boolean;
  /** The reported outcome; undefined: none, so there is no claim, whatever the text says. */
  readonly outcome: (exit: AgentExit) => AgentOutcome | undefined;
  /** What is known only at the end. */
  readonly last?: (exit: AgentExit) => AgentEvent[];
  readonly wants?: () => OwnFile | undefined;
  /** A line of that file, if it is an object. */
  readonly own?: (line: JsonObject) => void;
  /** Of the lines of that file, those that are worth parsing have one of these words. */
  readonly ownWords?: readonly string[];
  readonly unreported?: () => AgentEvent[];
  /** What a line says about the request under way, where its events do not tell. */
  readonly progress?: (type: string, line: JsonObject) => RequestState | undefined;
  /** An error that the session may go on after, if the line tells of one. Retries are known by their events. */
  readonly met?: (type: string, line: JsonObject) => Met | undefined;
  /** The events of a line of standard error. */
  readonly readError?: (text: string) => AgentEvent[];
}

/** A reader of NDJSON, for every CLI: lines that are not known are counted, and it ends exactly once. */
export function createLineReader(dialect: LineDialect): AgentReader {
  const { typeOf = typeIn, read, hasResult, isWaiting, outcome, last, wants, unreported, readError } = dialect;
  const unknown = countUnknownLines();
  const refusals = countRefusals();
  const requests = watchRequests();
  let hasAnswer = false;
  return {
    line: (text) => {
      const line = jsonLine(text);
      const type = line && typeOf(line);
      const events = line === undefined || typeof type !== "string" ? undefined : read(type, line);
      if (events === undefined) return unknown.add(text);
      unknown.known();
      refusals.note(events);
      const met = dialect.met?.(type as string, line!);
      if (met !== undefined) requests.fail(met);
      requests.note(events, dialect.progress?.(type as string, line!));
      hasAnswer ||= events.some(isAnswer);
      return events;
    },
    ...(readError && {
      errorLine: (text) => {
        const events = readError(stripAnsi(text));
        refusals.note(events);
        requests.note(events);
        return events;
      },
    }),
    hasResult,
    ...(isWaiting === undefined ? {} : { isWaiting }),
    limited: (atMs) => (hasResult() ? undefined : requests.limited(atMs)),
    isStuck: requests.isStuck,
    isRefused: () => refusals.isRefused() && !hasResult(),
    ...(wants === undefined ? {} : { wants, own: (text) => readOwn(dialect, text) }),
    ...(unreported === undefined ? {} : { unreported }),
    end: (exit) => {
      const couldBegin = hasAnswer || exit.code === 0 || exit.stoppedBy !== undefined;
      const said = outcome(exit) ?? (couldBegin ? undefined : startFailure(exit.stderr));
      // Stopped for that, a CLI says that it was interrupted, or nothing, or that it failed in some way.
      const wasRefused = exit.stoppedBy === "refused" || refusals.isRefused();
      const isRefused = wasRefused && (said === undefined || VAGUE.has(said.kind));
      return [
        ...(last?.(exit) ?? []),
        ...(unreported?.() ?? []),
        ...unknown.events(),
        {
          type: "agent.ended",
          outcome: requests.outcome(exit) ?? agentEnding(isRefused ? refusals.outcome() : said, exit),
        },
      ];
    },
  };
}

const typeIn = (line: JsonObject): unknown => line["type"];

/** Endings that say less than what was refused until then. */
const VAGUE: ReadonlySet<AgentOutcome["kind"]> = new Set(["aborted", "api-error"]);

/** Most lines of such a file are about other things, and may be long. */
function readOwn({ own, ownWords = [] }: LineDialect, text: string): void {
  const line = ownWords.some((word) => text.includes(word)) ? jsonLine(text) : undefined;
  if (line !== undefined) own?.(line);
}

/** Turns a line into events and updates the state; undefined: it says nothing new. */
export type ReadLine<State> = (line: JsonObject, state: State) => AgentEvent[] | undefined;

/** Reads by a table of types. Own entries only: a line may call its type `constructor`. */
export const byType =
  <State>(table: Readonly<Record<string, ReadLine<State>>>, state: State): LineDialect["read"] =>
  (type, line) =>
    Object.hasOwn(table, type) ? (table[type]!(line, state) ?? []) : undefined;

/** For a line that is known and says nothing new. */
export const nothing = (): undefined => undefined;

/** Usage events, with the cost that the CLI reports or an estimated one from the price list. */
export function usageEvents(
  usage: Usage | undefined,
  model: string | undefined,
  { usd, isEstimated = false }: { readonly usd?: number | undefined; readonly isEstimated?: boolean } = {},
): AgentEvent[] {
  if (usage === undefined || isNoUsage(usage)) return costEvents(usd);
  // A CLI that has no price for a model reports 0, too.
  const cost = usd || estimatedCost(model, usage);
  const event: AgentEvent = {
    type: "agent.usage",
    ...usage,
    ...(isEstimated && { estimated: true }),
    ...(cost === undefined && { unpriced: true }),
  };
  return [event, ...costEvents(cost, !usd)];
}

type Retry = AgentEvent & { readonly type: "agent.retry" };

/** Not the first: the CLI may renew its token then. */
const ENOUGH = 2;

/**
 * Counts retries in a row of what no waiting makes good: a refused login, a region that is not served, an unpaid bill. Some
 * CLIs retry for minutes. Only the status of a request counts, never the agent's text (P-43).
 */
export function countRefusals() {
  let times = 0;
  let last: AgentOutcome = { kind: "login", message: "" };
  /** The last try and what it was judged to be: most are the same again. */
  let judged: { readonly retry: Retry; readonly outcome: AgentOutcome | undefined } | undefined;
  const outcomeOf = (retry: Retry): AgentOutcome | undefined => {
    const isSame = judged?.retry.reason === retry.reason && judged.retry.status === retry.status;
    if (!isSame || judged === undefined) judged = { retry, outcome: refusal(retry) };
    return judged.outcome;
  };
  return {
    note: (events: readonly AgentEvent[]): void => {
      for (const event of events) {
        if (event.type !== "agent.retry" && !isAnswer(event)) continue;
        const outcome = event.type === "agent.retry" ? outcomeOf(event) : undefined;
        times = outcome === undefined ? 0 : times + 1;
        last = outcome ?? last;
      }
    },
    isRefused: (): boolean => times >= ENOUGH,
    outcome: (): AgentOutcome => last,
  };
}

/** What such a retry comes to; undefined: it may help. A quota (429) may be one that begins anew. */
function refusal({ status, reason }: Retry): AgentOutcome | undefined {
  if (status === undefined || status === 429) return undefined;
  const outcome = failureOutcome({ message: reason, status, atMs: 0 });
  if (outcome.kind !== "login" && !(outcome.kind === "limit" && outcome.limit === "billing")) return undefined;
  return { ...outcome, message: reason.includes(String(status)) ? reason : `${status} ${reason}` };
}

/** Counts what a reader did not know: agents change, and a run must survive it without being silent about it. */
export function countUnknownLines() {
  let lines = 0;
  let known = 0;
  let example = "";
  return {
    known: (): void => void (known += 1),
    /** Yields nothing: a session can print millions of such lines. */
    add: (line: string): [] => {
      const text = line.trim();
      if (text === "") return [];
      if (lines === 0) example = cut(text, 200);
      lines += 1;
      return [];
    },
    events: (): AgentEvent[] => (lines === 0 ? [] : [{ type: "agent.unknown", lines, of: lines + known, example }]),
  };
}

/** Who the agent says it is, as far as it is known. */
export const sessionEvent = ({ sessionId, model }: { sessionId: string | undefined; model: string | undefined }) =>
  present({ type: "agent.session" as const, sessionId, model });
