import type { AgentReader } from "../domain/agent-event.ts";
import type { AgentCommand, StopStep } from "../system/agent-process.ts";

/**
 * How one agent CLI is driven: three pure things, and a fourth where a person can work with it. Spawning, framing, watchdogs and killing are the same for every
 * agent and live in system/agent-process.ts.
 */
export interface Harness {
  /** What to start for one unattended session. Throws a RalphError when the settings do not say enough. */
  readonly start: (session: Session) => AgentCommand;
  /** A reader for one session's output. */
  readonly reader: () => AgentReader;
  readonly facts: Facts;
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
  /** `scripted` only. */
  readonly script: string | null;
}

export interface Facts {
  /** Its usual program; undefined when it has none of its own. */
  readonly program?: string;
  /** The oldest version whose output was seen; undefined when any will do. */
  readonly minimumVersion?: string;
  /** Signals in the order in which they stop it, and how long each is given. SIGKILL always follows. */
  readonly stopOrder: readonly StopStep[];
  readonly reportsUsage: boolean;
  readonly reportsCost: boolean;
  /** Whether it takes a system prompt apart from the prompt. */
  readonly takesSystemPrompt: boolean;
  readonly takesSessionId: boolean;
}

/** The longest text that may stand on a command line: the system refuses an argument of 128 KiB. In bytes. */
export const MAX_ARGUMENT = 100 * 1024;

/** For agents without a system prompt of their own it is the first section of the prompt. */
export const wholePrompt = ({ systemPrompt, prompt }: Pick<Session, "systemPrompt" | "prompt">): string =>
  [systemPrompt, prompt].filter((text) => text !== "").join("\n\n---\n\n");
