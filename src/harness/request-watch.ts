import type { AgentEvent, AgentExit, AgentOutcome } from "../domain/agent-event.ts";
import { failureInWords, failureOutcome } from "./api-failure.ts";

/** What a line says about the request to the model that is under way. */
export type RequestState = "asked" | "answered";

/** An error that a CLI met and goes on after. */
export interface Met {
  /** Two with the same text are the same error, whatever numbers are in it. */
  readonly text: string;
  /** What it would be if the session ended with it; `atMs` is when it was said. */
  readonly outcome: (atMs: number) => AgentOutcome;
  /** How long the CLI says that it waits. */
  readonly delayMs?: number | undefined;
}

type Said = Met & { saidAtMs?: number };

/** CLIs that try again at all give up after 11 tries or fewer. */
const MANY = 15;
/** A conversation that is too long after it was compacted twice stays so. */
const MANY_OVERFLOWS = 3;

/**
 * Follows the requests of a session: whether the model has answered the last one, which error the CLI met instead, and
 * how often the same. Only what the CLI reports counts, never the agent's text (P-43).
 */
export function watchRequests() {
  const tools = trackTools();
  let [isAnswered, wasAnswered] = [false, false];
  /** The last error since the last answer, and when it was first heard of. */
  let met: Said | undefined;
  /** The last limit that the session could be stopped for: words may still arrive during the stop. */
  let lastLimit: Said | undefined;
  const repeats = countErrors();
  const fail = (error: Met): void => {
    met = error;
    repeats.add(error);
  };
  const move = (progress: RequestState): void => {
    isAnswered = progress === "answered";
    wasAnswered ||= isAnswered;
    if (isAnswered) met = undefined;
  };
  return {
    fail,
    note: (events: readonly AgentEvent[], progress?: RequestState): void => {
      for (const event of events) {
        if (event.type === "agent.retry") fail(metBy(event));
        if (event.type === "agent.tool") repeats.clear();
        const moved = tools.note(event);
        if (moved !== undefined) move(moved);
      }
      // The CLI may say it more exactly.
      if (progress !== undefined) move(progress);
    },
    limited: (atMs: number): number | undefined => {
      if (met === undefined) return undefined;
      met.saidAtMs ??= atMs;
      const outcome = met.outcome(met.saidAtMs);
      // While a tool runs, the session is at work: another agent of it waits.
      if (outcome.kind !== "limit" || tools.isRunning()) return undefined;
      lastLimit = met;
      const isLengthKnown = met.delayMs !== undefined || outcome.resetsAtMs !== undefined;
      return Math.max(isLengthKnown ? 1 : 0, untilMs(met, outcome) - met.saidAtMs);
    },
    isStuck: (): boolean => repeats.stuckOn() !== undefined,
    outcome: (exit: AgentExit): AgentOutcome | undefined => {
      if (exit.stoppedBy === "limited" && lastLimit !== undefined) return limitOf(lastLimit, exit.atMs);
      if (exit.stoppedBy === "repeats") return repeats.stuckOn()?.outcome(exit.atMs);
      const isSilent = exit.stoppedBy === "inactivity" && !isAnswered && !tools.isRunning();
      const isUnanswered = isSilent || (exit.stoppedBy === "wall" && !wasAnswered);
      return isUnanswered ? noAnswer(met, exit.atMs) : undefined;
    },
  };
}

/** Counts errors by their text. Words of the model are no progress, only the use of a tool is. */
function countErrors() {
  const times = new Map<string, number>();
  let stuckOn: Met | undefined;
  return {
    clear: (): void => times.clear(),
    stuckOn: (): Met | undefined => stuckOn,
    add: (error: Met): void => {
      const text = error.text.replaceAll(/\d+/g, "#");
      const count = (times.get(text) ?? 0) + 1;
      if (times.size > MANY) times.clear();
      times.set(text, count);
      if (count < MANY_OVERFLOWS) return;
      if (count >= MANY || error.outcome(0).kind === "context-too-long") stuckOn ??= error;
    },
  };
}

function metBy({ reason, status, delayMs }: AgentEvent & { readonly type: "agent.retry" }): Met {
  const outcome = (atMs: number): AgentOutcome => {
    const words = failureInWords(reason, atMs);
    return failureOutcome({ ...words, status: status ?? words.status });
  };
  return { text: `${status} ${reason}`, outcome, delayMs };
}

type Limit = AgentOutcome & { readonly kind: "limit" };

const untilMs = ({ delayMs = 0, saidAtMs = 0 }: Said, { resetsAtMs = 0 }: Limit): number =>
  Math.max(resetsAtMs, saidAtMs + delayMs);

/** With what was said about its end, unless that has passed without an answer: then nobody knows. */
function limitOf(met: Said, atMs: number): AgentOutcome {
  const said = met.outcome(met.saidAtMs ?? atMs);
  if (said.kind !== "limit") return said;
  const { resetsAtMs: _, ...limit } = said;
  const resetsAtMs = untilMs(met, said);
  return resetsAtMs > atMs && limit.limit !== "billing" ? { ...limit, resetsAtMs } : limit;
}

/** The agent did nothing wrong: it waited for its model until it was stopped. */
function noAnswer(met: Said | undefined, atMs: number): AgentOutcome {
  const known = met && limitOf(met, atMs);
  if (known?.kind === "limit" || known?.kind === "login") return known;
  const last = known !== undefined && "message" in known ? `; its last error was: ${known.message}` : "";
  const message = `the model has not answered the last request, and the CLI waited in silence${last}`;
  return { kind: "api-error", error: "no answer", message, retryable: true };
}

/** Knows whether a tool runs. One that started an agent only waits for it, and that one's own calls count. */
function trackTools() {
  const open = new Set<string>();
  const agents = new Set<string>();
  const isRunning = (): boolean => [...open].some((id) => !agents.has(id));
  return {
    isRunning,
    note: (event: AgentEvent): RequestState | undefined => {
      if ("parent" in event && event.parent !== undefined) agents.add(event.parent);
      if (event.type === "agent.tool" && event.id !== undefined) open.add(event.id);
      if (event.type === "agent.tool-result") {
        if (event.id === undefined) open.clear();
        else open.delete(event.id);
        return isRunning() ? undefined : "asked";
      }
      const isAnswer = event.type === "agent.text" || event.type === "agent.thinking" || event.type === "agent.tool";
      return isAnswer ? "answered" : undefined;
    },
  };
}
