import type { AgentEvent } from "../domain/agent-event.ts";
import { briefInput, briefOutput } from "./brief.ts";
import { asNumber, asText, type JsonObject, present } from "./json-line.ts";

// Events from values of a CLI's lines, whatever they turn out to be.

export const toolEvent = (
  call: { readonly id: unknown; readonly name: unknown; readonly input: unknown },
  parent?: unknown,
): AgentEvent =>
  within(parent, {
    type: "agent.tool" as const,
    id: asText(call.id),
    name: asText(call.name) ?? "tool",
    input: briefInput(call.input),
  });

export const toolResult = (
  result: { readonly id: unknown; readonly ok: boolean; readonly output: unknown },
  parent?: unknown,
): AgentEvent =>
  within(parent, {
    type: "agent.tool-result" as const,
    id: asText(result.id),
    ok: result.ok,
    output: briefOutput(result.output),
  });

/** Words of the agent; none where there are none. */
export function spoken(type: "agent.text" | "agent.thinking", text: unknown, parent?: unknown): AgentEvent[] {
  return typeof text === "string" && text !== "" ? [within(parent, { type, text })] : [];
}

/** `parent`: the tool call of an agent inside the agent. */
const within = <Event extends object>(parent: unknown, event: Event) =>
  present(typeof parent === "string" ? { ...event, parent } : event);

export const costEvents = (usd: number | undefined, isEstimated = false): AgentEvent[] =>
  usd === undefined ? [] : [{ type: "agent.cost", usd, ...(isEstimated && { estimated: true }) }];

type Retry = Readonly<Record<"reason", unknown> & Partial<Record<"attempt" | "of" | "delayMs" | "status", unknown>>>;

export const retryEvent = ({ attempt, of, delayMs, status, reason }: Retry): AgentEvent =>
  present({
    type: "agent.retry" as const,
    attempt: asNumber(attempt),
    of: asNumber(of),
    delayMs: asNumber(delayMs),
    status: asNumber(status),
    reason: asText(reason) ?? "unknown",
  });

/** A request that Claude Code repeats, in its own words. */
export const claudeRetry = (message: JsonObject): AgentEvent =>
  retryEvent({
    attempt: message["attempt"],
    of: message["max_retries"],
    delayMs: message["retry_delay_ms"],
    status: message["error_status"],
    reason: message["error"],
  });
