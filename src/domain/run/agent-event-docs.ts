import type { EventDocs } from "./event-docs.ts";
import type { RunEvent } from "./event.ts";

const iteration = ["number", "number of the iteration, from 1"] as const;
const block = ["text?", "parts with the same value belong to one text"] as const;
const parent = ["text?", "the tool call of the sub-agent that printed it; absent: the agent itself"] as const;
const estimated = [
  "true, false?",
  "true: an estimate, because the session ended early or the cost comes from a price list",
] as const;

/** What the events of a session mean. event-docs.ts has all others. */
export const AGENT_EVENT_DOCS: EventDocs<Extract<RunEvent["type"], `agent.${string}`>> = {
  "agent.session": {
    doc: "The agent identifies itself.",
    fields: { iteration, sessionId: ["text?", ""], model: ["text?", ""], version: ["text?", "of the agent"] },
  },
  "agent.text": { doc: "A message of the agent.", fields: { iteration, text: ["text", ""], block, parent } },
  "agent.thinking": { doc: "The agent's thinking.", fields: { iteration, text: ["text", ""], block, parent } },
  "agent.tool": {
    doc: "The agent uses a tool.",
    fields: {
      iteration,
      id: ["text?", "of the call"],
      name: ["text", ""],
      input: ["text", "one line, truncated"],
      parent,
    },
  },
  "agent.tool-result": {
    doc: "The result of a tool call.",
    fields: {
      iteration,
      id: ["text?", "of the call"],
      ok: ["true, false", ""],
      output: ["text", "truncated"],
      parent,
    },
  },
  "agent.usage": {
    doc: "Tokens since the last event of this type.",
    fields: {
      iteration,
      input: ["number", ""],
      output: ["number", ""],
      cacheRead: ["number", ""],
      cacheWrite: ["number", ""],
      estimated,
      unpriced: ["true, false?", "true: no cost is known for these tokens"],
    },
  },
  "agent.cost": {
    doc: "Cost since the last event of this type.",
    fields: { iteration, usd: ["number", "US dollars"], estimated },
  },
  "agent.retry": {
    doc: "The agent retries a request itself.",
    fields: {
      iteration,
      attempt: ["number?", ""],
      of: ["number?", ""],
      delayMs: ["number?", ""],
      status: ["number?", "HTTP status"],
      reason: ["text", ""],
    },
  },
  "agent.limit-warning": {
    doc: "A usage limit is close.",
    fields: {
      iteration,
      kind: ["text", "its name"],
      resetsAtMs: ["number?", "milliseconds since 1970"],
      utilization: ["number?", "0 to 1"],
    },
  },
  "agent.notice": { doc: "A notice from the agent's CLI.", fields: { iteration, text: ["text", ""] } },
  "agent.refused": {
    doc: "The sandbox kept a path from the agent, as far as its programs say.",
    fields: { iteration, access: ["text", "`read` or `write`"], path: ["text", ""] },
  },
  "agent.long-line": {
    doc: "A line of the agent's output was too long to parse. It never counts as a result or a claim.",
    fields: {
      iteration,
      bytes: ["number", "its length"],
      file: ["text", "the transcript, which contains the whole line, relative to the working tree"],
      offset: ["number", "its position in the transcript, in bytes"],
    },
  },
  "agent.unknown": {
    doc: "ralphctl did not understand some of the agent's output.",
    fields: {
      iteration,
      lines: ["number", "how many"],
      of: ["number", "total number of lines"],
      example: ["text", ""],
    },
  },
  "agent.ended": {
    doc: "The session is over; the last event of every session.",
    fields: { iteration, outcome: ["session outcome", ""] },
  },
};
