import { join } from "node:path";
import type { AcpPermissions } from "../domain/acp.ts";
import type { AgentReader } from "../domain/agent-event.ts";
import type { Environment } from "../domain/environment.ts";
import { RalphError } from "../domain/error.ts";
import type { HomePlace } from "../domain/sandbox/places.ts";
import type { OutputFormat } from "../domain/output-format.ts";
import type { ToolServer } from "../domain/tool-server.ts";
import type { UserSettings } from "../domain/user-settings.ts";
import type { AgentCommand, StopStep } from "../system/process/agent-process.ts";
import { readTextFile } from "../system/text-file.ts";

/**
 * How ralphctl runs one agent CLI, as pure functions and facts. Spawning, framing, watchdogs and killing are the same for
 * every agent and live in system/process/agent-process.ts.
 */
export interface Harness {
  /** The command for one unattended session. Throws a RalphError if a setting is missing. */
  readonly start: (session: Session) => AgentCommand;
  /** A reader for the output of one session. */
  readonly reader: (session: Session) => AgentReader;
  readonly facts: Facts;
  /** The harness whose output format the settings name. Its facts about tokens and cost apply. */
  readonly speaksLike?: (settings: HarnessSettings) => Harness | undefined;
  /** Files of the person and the repository that a start depends on. */
  readonly ownFiles?: OwnFiles;
  /** The servers of tools (MCP) that a session would start, by those files, as far as they can be known. */
  readonly servers?: (about: Pick<Session, "own" | "settings" | "cwd">) => readonly ToolServer[];
  /** The program that is behind the one that `start` names; undefined if that is not known. */
  readonly behind?: (settings: HarnessSettings) => string | undefined;
  /** The harness with facts about the agent that the settings name. */
  readonly told?: (settings: HarnessSettings) => Harness;
  /** The command for a session with a person, in the agent's own interface. Absent: it has none. */
  readonly attended?: (session: Session) => AttendedCommand;
}

/** The CLI's own files, each with a name for its text. */
export type OwnFiles = (about: { readonly env: Environment; readonly cwd: string }) => Readonly<Record<string, string>>;

/** The texts of these files, as far as they exist. */
export type OwnTexts = Readonly<Record<string, string>>;

/** Its standard input is the terminal, so the prompt comes another way. */
export type AttendedCommand = Omit<AgentCommand, "stdin" | "collect">;

/** Names the prompt file of an attended program whose settings say standard input. */
export const PROMPT_VARIABLE = "RALPHCTL_PROMPT";

export interface Session {
  readonly prompt: string;
  readonly systemPrompt: string;
  readonly model?: string | undefined;
  /** Absolute path of the agent's working directory. */
  readonly cwd: string;
  /** Absolute path of a folder for files that the agent needs. */
  readonly folder: string;
  /** A UUID, for CLIs that accept one. */
  readonly sessionId?: string | undefined;
  /** In US dollars, for CLIs that can stop themselves. */
  readonly budgetUsd?: number | undefined;
  readonly settings: HarnessSettings;
  /** The texts of `ownFiles`. */
  readonly own?: OwnTexts | undefined;
  readonly isRoot: boolean;
  /** It runs in a sandbox of ours: one of its own inside would fail, or is not needed. */
  readonly isSandboxed?: boolean | undefined;
  /** The command line of ralphctl itself: program and first arguments. */
  readonly self: readonly [file: string, ...args: string[]];
}

/** The configuration of a harness; null means not set. */
export interface HarnessSettings {
  readonly bin: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly userSettings: UserSettings;
  /** `command` and `acp` only. */
  readonly run: string | null;
  /** `acp` only: the answer to requests for permission. */
  readonly permissions: AcpPermissions;
  readonly promptBy: "stdin" | "file" | "argument";
  /** `command` only. */
  readonly output: OutputFormat;
  /** `scripted` only. */
  readonly script: string | null;
  /** `replay` only: the folder of an iteration. */
  readonly recording: string | null;
}

export interface Facts {
  /** Display name. */
  readonly title: string;
  /** Its usual program; undefined if it has none. */
  readonly program?: string;
  /** Its npm package. */
  readonly package?: string;
  /** The oldest supported version; undefined: any. */
  readonly minimumVersion?: string;
  /** The version whose output is recorded. */
  readonly testedVersion?: string;
  /** The signals that stop it, in order, with the time to wait after each. SIGKILL always follows. */
  readonly stopOrder: readonly StopStep[];
  /** Tokens: not reported, of the session, or of all sessions with the same id. */
  readonly usage: "none" | "session" | "cumulative";
  /** Cost: unknown, reported, or estimated from tokens and a price list. */
  readonly cost: "none" | "reported" | "estimated";
  /** Whether it accepts a separate system prompt. */
  readonly takesSystemPrompt: boolean;
  readonly takesSessionId: boolean;
  /** B-08: what it may do without asking, as the end of the sentence "claude …"; absent: it does not say. */
  readonly permissions?: (settings: Pick<HarnessSettings, "permissions">) => string;
  /** The tool of its todo list, by the name that its model knows. */
  readonly todoTool?: string;
  /** It plays something back, and tells of tokens what it shall: no budget counts an estimate besides. */
  readonly isPlayed?: true;
  /** Arguments that reopen a recorded session in its own interface. */
  readonly reopen?: (sessionId: string) => readonly string[];
  /** What to do if its login is refused; begins with a verb. */
  readonly login?: string;
  /** How much of a person's own set-up it can be told to use; absent: always all of it. */
  readonly userSettings?: readonly UserSettings[];
  /** A notice for people before it starts; undefined: none. */
  readonly warning?: (about: Pick<Session, "isRoot" | "own" | "settings">) => string | undefined;
  /** Where it keeps login, settings and sessions: its own sandbox lets it write there, that of others hides it. */
  readonly places?: readonly HomePlace[];
  /** Agents that it is known to run. */
  readonly agents?: readonly KnownAgent[];
  /** Its quirks and how ralphctl handles them, a sentence each. */
  readonly quirks: readonly string[];
}

const MAX_OWN_FILE = 1024 * 1024;

/** Reads the files that a start depends on. One that cannot be read is for the CLI itself to report. */
export async function readOwnFiles(
  { ownFiles }: Pick<Harness, "ownFiles">,
  { env, cwd, settings }: Pick<Session, "cwd" | "settings"> & { readonly env: Environment },
): Promise<OwnTexts> {
  const texts: Record<string, string> = {};
  for (const [name, path] of Object.entries(ownFiles?.({ env: { ...env, ...settings.env }, cwd }) ?? {})) {
    const text = await readTextFile(path, { limitBytes: MAX_OWN_FILE, what: path }).catch(() => undefined);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

/** An agent that a harness for many can run. */
export interface KnownAgent {
  readonly title: string;
  readonly program: string;
  /** Its npm package. */
  readonly package?: string;
  /** Other names that may stand in a command line. */
  readonly aliases?: readonly string[];
  /** The value of `run`. */
  readonly run: string;
  /** What to do if its login is refused; begins with a verb. */
  readonly login: string;
  /** Variables that make it say on standard error what it waits for. */
  readonly env?: Readonly<Record<string, string>>;
  /** A variable that names a file for its log, if it tells of that nowhere else. */
  readonly logVariable?: string;
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

/** An option with its value; without a value none. */
export function option(name: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  // B-01: most CLIs would take it for another option of theirs, and a repository may name a model without being asked.
  if (!value.startsWith("-")) return [name, value];
  throw new RalphError("config", `${JSON.stringify(value)} is not the name of a model: it begins with a dash`, {
    hint: "Correct `model` of the harness; options for the agent belong in its `args`",
  });
}

/** An argument that fits; undefined when the text is too long to be one. */
export const argument = (text: string): string | undefined =>
  text !== "" && Buffer.byteLength(text) <= MAX_ARGUMENT ? text : undefined;

/** For agents that add to their own system prompt: as an argument, or from a file if it is too long for one. */
export function appendSystemPrompt({ systemPrompt, folder }: Session, fileOption = "--append-system-prompt") {
  if (systemPrompt === "") return { args: [], files: [] };
  const text = argument(systemPrompt);
  if (text !== undefined) return { args: ["--append-system-prompt", text], files: [] };
  const path = join(folder, "append-system-prompt.md");
  return { args: [fileOption, path], files: [{ path, text: systemPrompt }] };
}

/** The prompt of an attended session as an argument; a prompt that is too long is read from a file. */
export function firstWords({ folder }: Session, agent: string, text: string) {
  if (argument(text) !== undefined) return { text, files: [] };
  const path = join(folder, `prompt-for-${agent}.md`);
  return { text: `Read the file ${path} from beginning to end, and do what it says.`, files: [{ path, text }] };
}

export { repositoryFiles, type RepositoryFile } from "./repository-files.ts";
