import type { AgentReader } from "../domain/agent-event.ts";
import type { OutputFormat } from "../domain/output-format.ts";
import type { AgentCommand, StopStep } from "../system/process/agent-process.ts";

/**
 * How one agent CLI is driven: three pure things, and a fourth where a person can work with it. Spawning, framing, watchdogs and killing are the same for every
 * agent and live in system/process/agent-process.ts.
 */
export interface Harness {
  /** What to start for one unattended session. Throws a RalphError when the settings do not say enough. */
  readonly start: (session: Session) => AgentCommand;
  /** A reader for the output of one session. */
  readonly reader: (session: Session) => AgentReader;
  readonly facts: Facts;
  /** Where the settings say whose output it prints: that one. Its facts about tokens and cost hold. */
  readonly speaksLike?: (settings: HarnessSettings) => Harness | undefined;
  /** What to start for a session that a person attends, in the agent's own interface. Absent: it has none. */
  readonly attended?: (session: Session) => AttendedCommand;
}

/** Its standard input is the terminal, so the prompt comes another way. */
export type AttendedCommand = Omit<AgentCommand, "stdin" | "collect">;

/** Where an attended program finds its prompt when its settings say standard input. */
export const PROMPT_VARIABLE = "RALPHCTL_PROMPT";

export interface Session {
  readonly prompt: string;
  readonly systemPrompt: string;
  readonly model?: string | undefined;
  /** Absolute. Where the agent works. */
  readonly cwd: string;
  /** Absolute. Where files that the agent needs may be put; nobody else writes there. */
  readonly folder: string;
  /** A UUID, for CLIs that let us choose. */
  readonly sessionId?: string | undefined;
  /** In dollars, for CLIs that can stop themselves. */
  readonly budgetUsd?: number | undefined;
  readonly settings: HarnessSettings;
  readonly isRoot: boolean;
  /** How ralphctl itself is started: program and first arguments. */
  readonly self: readonly [file: string, ...args: string[]];
}

/** What the configuration says of a harness; null is "not set". */
export interface HarnessSettings {
  readonly bin: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `command` only. */
  readonly run: string | null;
  readonly promptBy: "stdin" | "file" | "argument";
  /** `command` only. */
  readonly output: OutputFormat;
  /** `scripted` only. */
  readonly script: string | null;
  /** `replay` only: the folder of an iteration. */
  readonly recording: string | null;
}

export interface Facts {
  /** What people call it. */
  readonly title: string;
  /** Its usual program; undefined when it has none of its own. */
  readonly program?: string;
  /** What npm calls it. */
  readonly package?: string;
  /** The oldest version whose output was seen; undefined when any will do. */
  readonly minimumVersion?: string;
  /** The version whose output is recorded. */
  readonly testedVersion?: string;
  /** Signals in the order in which they stop it, and how long each is given. SIGKILL always follows. */
  readonly stopOrder: readonly StopStep[];
  /** Tokens: not reported, those of the session, or those of all sessions that share its id. */
  readonly usage: "none" | "session" | "cumulative";
  /** Dollars: not known, reported, or estimated by a price list from the tokens of a model that is on it. */
  readonly cost: "none" | "reported" | "estimated";
  /** Whether it takes a system prompt apart from the prompt. */
  readonly takesSystemPrompt: boolean;
  readonly takesSessionId: boolean;
  /** Arguments that reopen a recorded session in its own interface. */
  readonly reopen?: (sessionId: string) => readonly string[];
  /** What to do when its login is refused; begins with a verb. */
  readonly login?: string;
  /** What a person should know before it starts; undefined: nothing. */
  readonly warning?: (about: Pick<Session, "isRoot">) => string | undefined;
  /** What is done about its ways, a sentence each. */
  readonly quirks: readonly string[];
}

/** The command line that reopens a session where a person can look at it; undefined where there is none. */
export function reopenCommand(
  { facts }: Harness,
  { bin }: Pick<HarnessSettings, "bin">,
  sessionId: string,
): readonly string[] | undefined {
  const program = bin ?? facts.program;
  return program === undefined || facts.reopen === undefined ? undefined : [program, ...facts.reopen(sessionId)];
}

/** The longest text that may stand on a command line: the system refuses an argument of 128 KiB. In bytes. */
export const MAX_ARGUMENT = 100 * 1024;

/** For agents without a system prompt of their own it is the first section of the prompt. */
export const wholePrompt = ({ systemPrompt, prompt }: Pick<Session, "systemPrompt" | "prompt">): string =>
  [systemPrompt, prompt].filter((text) => text !== "").join("\n\n---\n\n");

/** An argument that fits; undefined when the text is too long to be one. */
export const argument = (text: string): string | undefined =>
  text !== "" && Buffer.byteLength(text) <= MAX_ARGUMENT ? text : undefined;

/** What a person's session is told first, as an argument: a prompt that is too long for that is read from a file. */
export function firstWords(text: string, path: string) {
  if (argument(text) !== undefined) return { text, files: [] };
  return { text: `Read the file ${path} from beginning to end, and do what it says.`, files: [{ path, text }] };
}
