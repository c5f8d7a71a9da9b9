import type { AgentEvent, AgentOutcome } from "../domain/agent-event.ts";
import { failureOutcome } from "./api-failure.ts";

type Retry = AgentEvent & { readonly type: "agent.retry" };

/** Not the first: what an agent logs in with may be renewed then. */
const ENOUGH = 2;

/** What there is only when the model was asked and has answered. A cost may be told of that is none. */
const ANSWERS: ReadonlySet<AgentEvent["type"]> = new Set([
  "agent.text",
  "agent.thinking",
  "agent.tool",
  "agent.tool-result",
  "agent.usage",
]);

/**
 * How often in a row a CLI tried again because its login was refused. Some do that for minutes, and no try can help.
 * Only what a CLI says of a request counts, by its status; never what an agent writes (P-43).
 */
export function countRefusals() {
  let times = 0;
  let last = "";
  /** The last try and what it was judged to be: most are the same again. */
  let judged: { readonly retry: Retry; readonly words: string | undefined } | undefined;
  const wordsOf = (retry: Retry): string | undefined => {
    const isSame = judged?.retry.reason === retry.reason && judged.retry.status === retry.status;
    if (!isSame || judged === undefined) judged = { retry, words: refusal(retry) };
    return judged.words;
  };
  return {
    note: (events: readonly AgentEvent[]): void => {
      for (const event of events) {
        if (event.type !== "agent.retry" && !ANSWERS.has(event.type)) continue;
        const words = event.type === "agent.retry" ? wordsOf(event) : undefined;
        times = words === undefined ? 0 : times + 1;
        last = words ?? last;
      }
    },
    isRefused: (): boolean => times >= ENOUGH,
    outcome: (): AgentOutcome => ({ kind: "login", message: last }),
  };
}

/** What it was refused with; undefined: it tries again for another reason, such as a bill or a limit. */
function refusal({ status, reason }: Retry): string | undefined {
  if (status !== 401 && status !== 403) return undefined;
  if (failureOutcome({ message: reason, status, atMs: 0 }).kind !== "login") return undefined;
  return reason.includes(String(status)) ? reason : `${status} ${reason}`;
}
