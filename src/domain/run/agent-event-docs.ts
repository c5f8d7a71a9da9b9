import type { EventDocs } from "./event-docs.ts";
import type { RunEvent } from "./event.ts";

const iteration = ["number", "which one, from 1"] as const;
const block = ["text?", "pieces with the same are one text that came in parts"] as const;
const parent = ["text?", "the tool call that it belongs to: it is from an agent that this agent started"] as const;
const estimated = [
  "true, false?",
  "true: a guess, because the session ended too early, or computed from a price list",
] as const;

/** What the events of a session mean; the rest of the table is in event-docs.ts. */
export const AGENT_EVENT_DOCS: EventDocs<Extract<RunEvent["type"], `agent.${string}`>> = {
  "agent.session": {
    doc: "The agent says who it is.",
    fields: {
      iteration,
      sessionId: ["text?", ""],
      model: ["text?", ""],
      version: ["text?", "of the agent"],
    },
  },
  "agent.text": { doc: "The agent says something.", fields: { iteration, text: ["text", ""], block, parent } },
  "agent.thinking": { doc: "The agent thinks aloud.", fields: { iteration, text: ["text", ""], block, parent } },
  "agent.tool": {
    doc: "The agent uses a tool.",
    fields: { iteration, id: ["text?", "of the call"], name: ["text", ""], input: ["text", "one line, cut"], parent },
  },
  "agent.tool-result": {
    doc: "What a tool gave back.",
    fields: {
      iteration,
      id: ["text?", "of the call"],
      ok: ["true, false", ""],
      output: ["text", "cut"],
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
    },
  },
  "agent.cost": {
    doc: "Cost since the last event of this type.",
    fields: { iteration, usd: ["number", "US dollars"], estimated },
  },
  "agent.retry": {
    doc: "The agent tries a request again by itself.",
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
    doc: "A usage limit comes near.",
    fields: {
      iteration,
      kind: ["text", "its name"],
      resetsAtMs: ["number?", "milliseconds since 1970"],
      utilization: ["number?", "0 to 1"],
    },
  },
  "agent.notice": { doc: "The agent's program says something.", fields: { iteration, text: ["text", ""] } },
  "agent.long-line": {
    doc: "A line of the agent's output was too long to be read. It counts for nothing, a result or a claim least of all.",
    fields: {
      iteration,
      bytes: ["number", "its length"],
      file: ["text", "the transcript, which has it whole, relative to the working tree"],
      offset: ["number", "how many bytes of the transcript come before it"],
    },
  },
  "agent.unknown": {
    doc: "Some of the agent's output was not understood.",
    fields: {
      iteration,
      lines: ["number", "how many"],
      of: ["number", "how many lines there were"],
      example: ["text", ""],
    },
  },
  "agent.ended": {
    doc: "The session is over; the last event of every session.",
    fields: { iteration, outcome: ["session outcome", ""] },
  },
};
