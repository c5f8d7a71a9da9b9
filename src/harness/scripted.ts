import { join } from "node:path";
import type { AgentEvent, AgentOutcome, AgentReader } from "../domain/agent-event.ts";
import { agentEnding } from "../domain/agent-ending.ts";
import { RalphError } from "../domain/error.ts";
import { PROMPT_VARIABLE, wholePrompt, type Harness, type Session } from "./harness.ts";
import { asNumber, asObject, asText, dollars, jsonLine, type JsonObject, present, tokensIn } from "./json-line.ts";
import { countUnknownLines } from "./line-reader.ts";

/** The same for all agents that play something back. */
export const playedFacts = {
  stopOrder: [
    { signal: "SIGINT", waitMs: 2000 },
    { signal: "SIGTERM", waitMs: 2000 },
  ],
  usage: "session",
  cost: "reported",
  takesSystemPrompt: false,
  takesSessionId: false,
  isPlayed: true,
} as const;

/** An agent that plays a script: for the demo, for tests, and for trying things out. docs/guides/scripted-agent.md */
export const scripted: Harness = {
  start: (session) => ({ ...commandLine(session), stdin: wholePrompt(session), files: [] }),

  attended: (session) => {
    const { env, ...line } = commandLine(session);
    const path = join(session.folder, "prompt-for-script.md");
    return { ...line, env: { ...env, [PROMPT_VARIABLE]: path }, files: [{ path, text: wholePrompt(session) }] };
  },

  reader: createScriptedReader,

  facts: { title: "A script", ...playedFacts, quirks: [] },
};

function commandLine({ settings, self: [file, ...args] }: Session) {
  if (settings.script === null && settings.bin === null) {
    throw new RalphError("config", "The harness `scripted` has no script to play", {
      hint: "Set `harnesses.scripted.script` to a YAML or JSON file; docs/guides/scripted-agent.md shows one",
    });
  }
  const script = settings.script === null ? [] : [settings.script];
  return {
    // A program of one's own may speak the same lines.
    file: settings.bin ?? file,
    args: [...(settings.bin === null ? [...args, "scripted-agent"] : []), ...script, ...settings.args],
    env: settings.env,
  };
}

function createScriptedReader(): AgentReader {
  let reported: AgentOutcome | undefined;
  const unknown = countUnknownLines();
  return {
    line: (text) => {
      const message = jsonLine(text) ?? {};
      const outcome = outcomeOf(message["end"]);
      const event = outcome === undefined ? eventOf(message) : undefined;
      if (outcome === undefined && event === undefined) return unknown.add(text);
      unknown.known();
      reported = outcome ?? reported;
      return event === undefined ? [] : [event];
    },
    hasResult: () => reported !== undefined,
    end: (exit) => [...unknown.events(), { type: "agent.ended", outcome: agentEnding(reported, exit) }],
  };
}

/** Each line is a step as a script writes it. */
function eventOf(message: JsonObject): AgentEvent | undefined {
  const [[name, value] = ["", undefined]] = Object.entries(message);
  return Object.hasOwn(EVENTS, name) ? EVENTS[name]?.(value) : undefined;
}

const EVENTS: Readonly<Record<string, (value: unknown) => AgentEvent | undefined>> = {
  say: (value) => (typeof value === "string" ? { type: "agent.text", text: value } : undefined),
  think: (value) => (typeof value === "string" ? { type: "agent.thinking", text: value } : undefined),
  tool: (value) => {
    const tool = asObject(value);
    return tool && { type: "agent.tool", name: asText(tool["name"]) ?? "tool", input: asText(tool["input"]) ?? "" };
  },
  toolResult: (value) => {
    const result = asObject(value);
    return result && { type: "agent.tool-result", ok: result["ok"] !== false, output: asText(result["output"]) ?? "" };
  },
  usage: (value) => {
    const usage = asObject(value);
    return usage && { type: "agent.usage", ...tokensIn(usage, ["input", "output", "cacheRead", "cacheWrite"]) };
  },
  cost: (value) => {
    const usd = dollars(value);
    return usd === undefined ? undefined : { type: "agent.cost", usd };
  },
};

/** An outcome by its kind, or in full. Anything else is not a result. */
function outcomeOf(value: unknown): AgentOutcome | undefined {
  const given = asObject(typeof value === "string" ? { kind: value } : value);
  if (given === undefined) return undefined;
  const message = asText(given["message"]) ?? "scripted";
  switch (given["kind"]) {
    case "done":
    case "aborted":
      return { kind: given["kind"] };
    case "turn-limit":
      return { kind: "turn-limit", ...(given["isBudget"] === true && { isBudget: true }) };
    case "refused":
    case "context-too-long":
    case "login":
    case "model":
      return { kind: given["kind"], message };
    case "limit": {
      const limit = asText(given["limit"]) ?? "scripted";
      return present({ kind: "limit", limit, resetsAtMs: asNumber(given["resetsAtMs"]), message });
    }
    case "api-error": {
      const error = asText(given["error"]) ?? "scripted";
      const retryable = given["retryable"] !== false;
      return present({ kind: "api-error", status: asNumber(given["status"]), error, message, retryable });
    }
    default:
      return undefined;
  }
}
