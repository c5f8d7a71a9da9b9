import type { AgentEvent } from "./agent-event.ts";
import { cutEnd } from "./prompt/cut.ts";
import { printableLine } from "./printable.ts";

/**
 * What a CLI answers to a tool that its settings do not allow, in one line; undefined: the tool failed otherwise. A file
 * that may not be read ("Permission denied") is none of these.
 */
export function deniedTool(output: string): string | undefined {
  const line = output.split("\n").find((one) => DENIED.test(one));
  return line === undefined ? undefined : cutEnd(printableLine(line.replaceAll(NOISE, "").trim()), 200);
}

/** Tags, and rules as data. */
const NOISE = /<\/?tool_use_error>| Here are some of the relevant rules.*/g;

const MOST_DENIED = 3;
const MOST_CALLS = 1000;

/** Collects what a CLI said of tools that its settings do not allow, the first few, each with its call. */
export function createDenials() {
  const found = new Set<string>();
  /** What calls that are not over are about. */
  const calls = new Map<string, string>();
  const note = (refusal: string | undefined, call = ""): void => {
    if (refusal === undefined || found.size >= MOST_DENIED) return;
    found.add(refusal.includes(call) ? refusal : `${cutEnd(printableLine(call), 100)}: ${refusal}`);
  };
  return {
    add: (event: AgentEvent): void => {
      if (event.type === "agent.notice") note(deniedTool(event.text));
      if (event.type !== "agent.tool" && event.type !== "agent.tool-result") return;
      const { id = "" } = event;
      if (event.type === "agent.tool") {
        if (calls.size < MOST_CALLS) calls.set(id, event.input);
        return;
      }
      if (!event.ok) note(deniedTool(event.output), calls.get(id));
      calls.delete(id);
    },
    list: (): readonly string[] => [...found],
  };
}

const DENIED = new RegExp(
  [
    "permission to (?:use|run) .{1,200} (?:has been|was) denied",
    "no such tool available",
    "(?:rejected|refused|declined) permission to use|permission was (?:declined|rejected|refused)",
    "rule which prevents you from using",
    "denied by (?:policy|a rule|permission|your? settings|the (?:policy|user|settings))",
    "could not request permission",
    "policy forbids commands",
  ].join("|"),
  "i",
);
