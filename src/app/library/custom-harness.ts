import type { AgentEvent, AgentReader } from "../../domain/agent-event.ts";
import { RalphError } from "../../domain/error.ts";
import { describeValue } from "../../domain/describe-value.ts";
import type { Harness } from "../../harness/harness.ts";
import type { AgentCommand } from "../../system/process/agent-process.ts";

/** Wraps a harness of the user's program: its errors name it, and are not bugs of ralphctl. */
export function wrapHarness(name: string, harness: Harness): Harness {
  const call = <Result>(part: string, work: () => Result): Result => {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof RalphError) throw cause;
      const why = cause instanceof Error ? cause.message : describeValue(cause);
      throw fault(name, `${part} of the harness ${name} failed: ${why}`, cause);
    }
  };
  const { facts, speaksLike, attended } = harness;
  return {
    facts,
    ...(speaksLike && { speaksLike }),
    ...(attended && { attended }),
    start: (session) => {
      const command = call("start", () => harness.start(session));
      return commandOf(name, command);
    },
    reader: (session) => {
      const reader = call("reader", () => harness.reader(session));
      return checkedReader(name, reader, call);
    },
  };
}

type Call = <Result>(part: string, work: () => Result) => Result;

function checkedReader(name: string, reader: AgentReader, call: Call): AgentReader {
  const { isRefused, wants, own, unreported } = reader;
  const events = (part: string, work: () => unknown): AgentEvent[] => {
    const answer = call(part, work);
    if (Array.isArray(answer)) return answer as AgentEvent[];
    throw fault(name, `${part} of the harness ${name} must return a list of events, not ${describeValue(answer)}`);
  };
  return {
    line: (text) => events("line", () => reader.line(text)),
    hasResult: () => call("hasResult", () => reader.hasResult()),
    end: (exit) => events("end", () => reader.end(exit)),
    ...(isRefused && { isRefused: () => call("isRefused", () => isRefused.call(reader)) }),
    ...(wants && { wants: () => call("wants", () => wants.call(reader)) }),
    ...(own && { own: (text) => call("own", () => own.call(reader, text)) }),
    ...(unreported && { unreported: () => events("unreported", () => unreported.call(reader)) }),
  };
}

function commandOf(name: string, answer: unknown): AgentCommand {
  const { file, args, env, files } = (answer ?? {}) as Partial<AgentCommand>;
  const isCommand =
    typeof file === "string" && Array.isArray(args) && Array.isArray(files) && typeof env === "object" && env !== null;
  if (isCommand) return answer as AgentCommand;
  throw fault(name, `start of the harness ${name} must return file, args, env and files, not ${describeValue(answer)}`);
}

const fault = (name: string, sentence: string, cause?: unknown): RalphError =>
  new RalphError("config", sentence, { hint: `Correct the harness ${name} of your program`, cause });
