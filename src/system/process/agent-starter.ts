import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { delimiter, join, resolve } from "node:path";
import { shellWord } from "../../domain/shell-word.ts";
import { type AgentChild, type AgentCommand, type AgentPlace, giveInput, spawnAgent } from "./spawn-agent.ts";

/** Starts one agent after the other. */
export interface AgentStarter {
  /** Soon, when we have nothing else to do: the next agent then begins sooner. */
  readonly prepare: () => void;
  /** Like `spawnAgent`. */
  readonly start: (command: AgentCommand, place: AgentPlace) => Promise<AgentChild>;
  /** Ends the waiting shell and waits for it, so that no process is left. */
  readonly close: () => Promise<void>;
}

/**
 * To start a program takes a process of our size longer than everything else about it. So a small shell can be started
 * beforehand, while we wait for something else: it waits for one line, and becomes the next agent. Its first word then
 * comes in 0.22 of the time (`npm run bench quick`). However we end, its input ends with us, and so does it. Where the
 * shell could not hand everything on exactly, and without one, `spawnAgent` starts the agent.
 */
export function openAgentStarter(usual: AgentPlace): AgentStarter {
  let waiting: ChildProcess | undefined;
  let folder: string | undefined;
  let isClosed = false;
  const startWaiting = (): void => {
    if (isClosed || isAlive(waiting)) return;
    folder = folderAt(usual.cwd);
    waiting = startShell(usual);
  };
  const lineToBecome = (command: AgentCommand, place: AgentPlace): string | undefined =>
    isPlainProgram(command.file, place) && folderAt(place.cwd) === folder ? lineFor(command, place, usual) : undefined;
  return {
    prepare: () => void setImmediate(startWaiting),
    start: async (command, place) => {
      const line = isAlive(waiting) ? lineToBecome(command, place) : undefined;
      if (!isAlive(waiting) || line === undefined) return await spawnAgent(command, place);
      const agent = waiting;
      waiting = undefined;
      for (const handle of handlesOf(agent)) handle.ref();
      giveInput(agent, command.stdin, line);
      return agent;
    },
    close: async () => {
      isClosed = true;
      const shell = waiting;
      waiting = undefined;
      if (!isAlive(shell)) return;
      for (const handle of handlesOf(shell)) handle.ref();
      const ended = new Promise((resolve) => shell.once("close", resolve));
      shell.kill("SIGKILL");
      await ended;
    },
  };
}

const isAlive = (shell: ChildProcess | undefined): shell is AgentChild =>
  shell?.pid !== undefined && shell.exitCode === null && shell.signalCode === null;

/**
 * A shell reads such a line byte by byte, so that all that follows is left for the program that it becomes. A variable
 * that came from outside goes on to the agent: these have names that none has.
 */
const WAIT = `ralphctl_n='
'
IFS= read -r ralphctl_line && eval "$ralphctl_line"`;

/** Without one, for whatever reason, the next agent is started all the same. */
function startShell({ cwd, env }: AgentPlace): ChildProcess | undefined {
  try {
    const shell = spawn("/bin/sh", ["-c", WAIT, "ralphctl-next"], { cwd, env, detached: true });
    shell.on("error", () => undefined);
    if (shell.pid === undefined) return undefined;
    // It must not keep our process alive.
    for (const handle of handlesOf(shell as AgentChild)) handle.unref();
    return shell;
  } catch {
    return undefined; // some errors are thrown, and the others told
  }
}

/** Which folder has that name now. A shell stays in the one that it was started in, whatever becomes of its name. */
function folderAt(cwd: string): string | undefined {
  try {
    const { dev, ino } = statSync(cwd, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined; // whoever starts something there is told why that cannot be
  }
}

/** Pipes are sockets, which Node's types do not say. */
const handlesOf = (shell: AgentChild): readonly { readonly ref: () => void; readonly unref: () => void }[] => [
  shell,
  shell.stdin as Socket,
  shell.stdout as Socket,
  shell.stderr as Socket,
];

/** Read byte by byte, more than this would take longer than a start. */
const MAX_LENGTH = 2000;
/** Others a shell would not hand on. */
const NAME = /^[A-Za-z_]\w*$/;
/** Variables that shells set themselves, or that are read-only. */
const OWN = new Set(
  `BASH BASHOPTS BASHPID BASH_VERSINFO BASH_VERSION EUID HISTCMD IFS KSH_VERSION LINENO OPTIND POSIXLY_CORRECT
  PPID RANDOM SHELLOPTS UID`.split(/\s+/),
);
/** Variables that shells change at their start, and that can be set again. */
const CHANGED = ["OLDPWD", "PS1", "PS4", "PWD"];
/** Not every shell gets all others right. */
const PLAIN = /^[ -~]*$/;

/** The line that turns the shell into the agent; undefined if that is impossible or slow. */
function lineFor({ file, args, stdin }: AgentCommand, place: AgentPlace, usual: AgentPlace): string | undefined {
  if (place.cwd !== usual.cwd || file.startsWith("-")) return undefined;
  if (place.env["PATH"]?.includes("%") === true) return undefined; // has a meaning of its own there in some shells
  const names = Object.keys(place.env).filter((name) => place.env[name] !== undefined);
  if (names.some((name) => !NAME.test(name) || OWN.has(name))) return undefined;
  const set = names.filter((name) => place.env[name] !== usual.env[name] || CHANGED.includes(name));
  const known = Object.keys(usual.env).filter((name) => usual.env[name] !== undefined);
  const unset = [...new Set([...known, ...CHANGED])].filter((name) => !names.includes(name));
  const words = [
    ...set.map((name) => `export ${name}=${word(place.env[name]!)};`),
    ...unset.map((name) => `unset ${name};`),
    "exec",
    ...[file, ...args].map(word),
    ...(stdin === undefined ? ["</dev/null"] : []),
  ];
  const line = words.join(" ");
  return line.length <= MAX_LENGTH && PLAIN.test(line) ? `${line}\n` : undefined;
}

const word = (text: string): string => shellWord(text).replaceAll("\n", `'"$ralphctl_n"'`);

/** Whether a name leads to a program that the system itself can start: one in machine code, or one that names another. */
function isPlainProgram(file: string, { cwd, env }: AgentPlace): boolean {
  const folders = file.includes("/") ? [""] : (env["PATH"]?.split(delimiter) ?? []);
  const found = folders.map((folder) => resolve(cwd, join(folder, file))).find(isExecutable);
  return found !== undefined && beginsAsProgram(found);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not for us: that is the answer
  }
}

const BEGINNINGS = ["#!", "\x7fELF"];

function beginsAsProgram(path: string): boolean {
  let opened: number | undefined;
  try {
    opened = openSync(path, "r");
    const head = Buffer.alloc(4);
    const text = head.toString("latin1", 0, readSync(opened, head));
    return BEGINNINGS.some((beginning) => text.startsWith(beginning));
  } catch {
    return false; // it may be executed, but not read
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
