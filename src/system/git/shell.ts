import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { shellWord } from "../../domain/shell-word.ts";
import { closePipesAtExit } from "../process/close-pipes-at-exit.ts";
import { ENDED, type GitBytes } from "./git.ts";

/**
 * Small shells that start git for us. Node copies the page tables of the whole process to start a program: a git takes
 * 0.16 to 0.24 of the time when a shell starts it (`npm run bench quick`). Without shells, `gitBytes` starts git itself.
 */
export interface GitShells {
  /** Git's answer; undefined when it was not started: no shell was free, too much input, no git, or no such folder. */
  readonly run: (request: GitWords) => Promise<GitBytes | undefined>;
  /** Ends them and waits for it, so that no process is left. Another request starts new ones. */
  readonly close: () => Promise<void>;
}

export interface GitWords {
  readonly folder: string;
  readonly args: readonly string[];
  /** On top of what the shell was given. */
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: none. */
  readonly stdin?: string | Uint8Array | undefined;
}

/** Of input that is told to a shell. */
const MAX_INPUT = 4096;

/** One is enough for a run in one lane most of the time; several lanes use git at the same time. */
const MAX_SHELLS = 8;

/** Started when they are first needed; they end when this process does, however that ends. */
export function openGitShells(env: Readonly<Record<string, string | undefined>>): GitShells {
  const shells: Shell[] = [];
  return {
    run: async (request) => {
      if (request.args.some((word) => word.includes("\0"))) return undefined; // which no shell can say
      if ((request.stdin?.length ?? 0) > MAX_INPUT) return undefined;
      const living = shells.filter((shell) => shell.isAlive());
      const idle = living.find((shell) => !shell.isBusy());
      if (idle === undefined && living.length === MAX_SHELLS) return undefined;
      const shell = idle ?? startShell(env);
      shells.splice(0, shells.length, ...living, ...(idle === undefined ? [shell] : []));
      return await shell.run(request);
    },
    close: async () => {
      await Promise.all(shells.splice(0).map((shell) => shell.end()));
    },
  };
}

interface Shell {
  readonly isAlive: () => boolean;
  readonly isBusy: () => boolean;
  readonly run: (request: GitWords) => Promise<GitBytes | undefined>;
  readonly end: () => Promise<void>;
}

/** What a shell itself says when a program is not there; here also for the folder. */
const NOT_FOUND = 127;

const NO_SHELL: Shell = {
  isAlive: () => false,
  isBusy: () => false,
  run: async () => undefined,
  end: async () => undefined,
};

/** What git wrote; undefined when the shell died. */
type Said = readonly [Marked, Marked] | "refused" | undefined;

function startShell(env: Readonly<Record<string, string | undefined>>): Shell {
  // In a group of its own: Ctrl-C is for us, and must not break off a git that writes.
  const child = spawn("/bin/sh", [], { env, detached: true });
  const died = new Promise<undefined>((resolve) => {
    child.once("error", () => resolve(undefined)).once("close", () => resolve(undefined));
  });
  if (child.pid === undefined) return NO_SHELL;
  closePipesAtExit(child);
  // Pipes are sockets, which Node's types do not say.
  const [stdin, stdout, stderr] = [child.stdin as Socket, child.stdout as Socket, child.stderr as Socket];
  const mark = randomUUID();
  const [answers, complaints] = [readMarked(stdout, mark), readMarked(stderr, mark)];
  let state: "idle" | "busy" | "dead" = "idle";
  let answer: (said: Said) => void = () => undefined;
  // A race of each request with this promise would keep the answers of all of them as long as the shell lives.
  const onDeath = (): void => {
    state = "dead";
    answer(undefined);
  };
  void died.then(onDeath);
  stdin.on("error", () => undefined); // it died, which is seen by the other pipes
  // An idle shell does not keep our process alive; a busy one does.
  const handles = [child, stdin, stdout, stderr];
  const hold = (): void => handles.forEach((handle) => handle.ref());
  let isEnding = false;
  const letGo = (): void => {
    if (!isEnding) for (const handle of handles) handle.unref();
  };
  letGo();
  return {
    isAlive: () => state !== "dead",
    isBusy: () => state === "busy",
    run: async (request) => {
      state = "busy";
      hold();
      const said = await new Promise<Said>((resolve) => {
        answer = resolve;
        void Promise.all([answers.next(), complaints.next()]).then(resolve);
        stdin.write(scriptFor(request, mark), (error) => error && resolve("refused"));
      });
      if (said === "refused") {
        state = "dead"; // somebody ended it, and what it has not read it has not begun
        return undefined;
      }
      if (said === undefined) return { code: ENDED, stdout: Buffer.alloc(0), stderr: "git was ended" };
      letGo();
      state = "idle";
      const [{ code, bytes }, complaint] = said;
      return code === NOT_FOUND ? undefined : { code, stdout: bytes, stderr: complaint.bytes.toString() };
    },
    end: async () => {
      if (state === "dead") return;
      isEnding = true;
      hold();
      stdin.end();
      await died;
    },
  };
}

/** After git, each stream ends with an unguessable mark. */
function scriptFor({ folder, args, env, stdin }: GitWords, mark: string): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  const words = [...settings, "git", ...args.map(shellWord)].join(" ");
  const git = stdin === undefined ? `${words} </dev/null` : `printf '${escaped(stdin)}' | ${words}`;
  // In bash, the environment may contain functions of these names.
  const run = `unset -f printf git; if cd ${shellWord(folder)} 2>/dev/null; then ${git}; code=$?; else code=${NOT_FOUND}; fi`;
  return `${run}; echo ${mark} $code; echo ${mark} 0 >&2\n`;
}

/** Bytes for `printf`. */
const escaped = (input: string | Uint8Array): string =>
  Array.from(Buffer.from(input), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9 ./_]/.test(character) ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  }).join("");

interface Marked {
  readonly code: number;
  /** What came before the mark. */
  readonly bytes: Buffer;
}

/**
 * Reads a stream piece by piece, each up to a mark. Ignores output between two requests: a process that git left running
 * may write there.
 */
function readMarked(stream: Socket, mark: string): { readonly next: () => Promise<Marked> } {
  let chunks: Buffer[] = [];
  /** The end of what came before, in which a mark may have begun. */
  let tail: Buffer = Buffer.alloc(0);
  let found: ((piece: Marked) => void) | undefined;
  stream.on("data", (chunk: Buffer) => {
    if (found === undefined) return;
    chunks.push(chunk);
    const end = Buffer.concat([tail, chunk]);
    const at = end.indexOf(`${mark} `);
    tail = at === -1 ? end.subarray(-mark.length) : end.subarray(at);
    if (at === -1 || !tail.includes(LINE_END)) return;
    const all = Buffer.concat(chunks);
    const code = Number.parseInt(tail.toString("latin1", mark.length + 1), 10);
    found({ bytes: all.subarray(0, all.length - tail.length), code });
  });
  return {
    next: () =>
      new Promise((resolve) => {
        chunks = [];
        tail = Buffer.alloc(0);
        found = (piece) => {
          found = undefined;
          chunks = [];
          resolve(piece);
        };
      }),
  };
}

const LINE_END = 0x0a;
