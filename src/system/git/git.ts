import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { FLEET_VARIABLE } from "../../domain/environment.ts";
import { RalphError } from "../../domain/error.ts";
import { safeSearchPath } from "../../domain/search-path.ts";
import { GIT_PLACE_VARIABLES } from "../../domain/git-variables.ts";
import { closePipesAtExit } from "../process/close-pipes-at-exit.ts";
import { codeOf } from "../error-code.ts";
import { decodePath, encodePaths, splitNul } from "./path.ts";
import type { GitShells } from "./shell.ts";

/** Where git runs, and with what environment. */
export interface GitPlace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The git directory of our view on a place (`view.ts`), in which the folder's own `.git` has no say. Undefined: git
   * finds the directory by itself.
   */
  readonly gitDir?: string | undefined;
  /** Settings of the repository that are wrong here, put right: words of each command. */
  readonly corrections?: readonly string[] | undefined;
  /** Shells that start git faster. They have the same environment. */
  readonly shells?: GitShells;
}

export interface GitBytes {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export type GitAnswer = Omit<GitBytes, "stdout"> & { readonly stdout: string };

/** The exit code of a killed git, as a shell reports SIGKILL. */
export const ENDED = 128 + 9;
/** Above it codes speak of signals; up to here git itself chooses them. */
const HIGHEST_CODE = 129;

export interface GitInput {
  readonly stdin?: string | Uint8Array;
  /** On top of the place's own, such as another index. */
  readonly env?: Readonly<Record<string, string>>;
  /** It is killed if it takes longer: for a git that waits for others. */
  readonly timeoutMs?: number;
}

/** The address of a database is nothing for programs that git starts (F-08). */
const FOREIGN = new Set([...GIT_PLACE_VARIABLES, "GIT_EXTERNAL_DIFF", FLEET_VARIABLE]);

/** The environment for git: English messages, no prompts, no pager. */
export const gitEnvironment = (env: GitPlace["env"]): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !FOREIGN.has(name))),
  ...(env["PATH"] !== undefined && { PATH: safeSearchPath(env["PATH"]) }),
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  ...safeSettings(env),
});

/**
 * B-02: settings of a repository by which git starts programs that the repository names, switched off in every git of
 * ours: hooks, the file monitor, and repositories that lie bare among the files of another. After the person's own.
 */
function safeSettings({ GIT_CONFIG_COUNT: own = "0" }: GitPlace["env"]): Record<string, string> {
  const first = /^\d{1,4}$/.test(own) ? Number(own) : 0;
  const settings = Object.entries(SAFE).flatMap(([key, value], at): [string, string][] => [
    [`GIT_CONFIG_KEY_${first + at}`, key],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(first + Object.keys(SAFE).length), ...Object.fromEntries(settings) };
}

const SAFE = { "core.hooksPath": "/dev/null", "core.fsmonitor": "false", "safe.bareRepository": "explicit" };

/**
 * How every git of ours is started. What a terminal sends to our process group (Ctrl-C) is for us to hear: a git that
 * died of it could not be told from one that refused, and what it was doing would be half done.
 */
export const GIT_START = { detached: true } as const;

/** The first words of each git that is started for a place. */
export const gitWords = ({ folder, gitDir, corrections = [] }: GitPlace): string[] => [
  ...corrections,
  ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`, `--work-tree=${folder}`]),
];

/** Runs git with exactly these arguments. A non-zero code is an answer, not an error; a killed git is an error. */
export async function git(place: GitPlace, args: readonly string[], input: GitInput | string = ""): Promise<GitAnswer> {
  const answer = await gitBytes(place, args, typeof input === "string" ? { stdin: input } : input);
  return { ...answer, stdout: answer.stdout.toString() };
}

/** The same with bytes: a path is any bytes but NUL. */
export async function gitBytes(place: GitPlace, words: readonly string[], input: GitInput = {}): Promise<GitBytes> {
  // check-ignore takes paths, not pathspecs, and refuses the option.
  const literal = words.includes("check-ignore") ? [] : ["--literal-pathspecs"];
  const args = [...gitWords(place), ...literal, ...words];
  const { stdin = "" } = input;
  const asked = { folder: place.folder, args, env: input.env ?? {}, ...(stdin.length > 0 && { stdin }) };
  const answer = await place.shells?.run(asked);
  const { code, ...said } = answer ?? (await startGit(place, args, input));
  if (code <= HIGHEST_CODE) return { code, ...said };
  // A non-zero code can mean "no": no such commit, not an ancestor. A killed git has not said that.
  throw new RalphError("io", `git ${verbIn(words)} was killed by signal ${code - 128}`, {
    hint: "Check the free memory, and try again",
  });
}

const verbIn = (args: readonly string[]): string | undefined => args.find((word) => /^[a-z][a-z-]+$/.test(word));

/** Signals that reach a whole process group. */
const TO_GROUPS = new Set(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"].map((name) => signalCode(name)));

/**
 * A signal to our process group also reaches a git that was just forked and has not left the group yet. It has done
 * nothing by then, so it is started again.
 */
async function startGit(place: GitPlace, args: readonly string[], input: GitInput): Promise<GitBytes> {
  const answer = await startOnce(place, args, input);
  return TO_GROUPS.has(answer.code) ? await startOnce(place, args, input) : answer;
}

/** As a shell says it. */
function signalCode(name: string): number {
  return 128 + (constants.signals[name as NodeJS.Signals] ?? 9);
}

function startOnce({ folder, env }: GitPlace, args: readonly string[], input: GitInput): Promise<GitBytes> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...args], {
      cwd: folder,
      env: { ...gitEnvironment(env), ...input.env },
      ...GIT_START,
    });
    const timer = input.timeoutMs === undefined ? undefined : setTimeout(() => endGroup(child), input.timeoutMs);
    closePipesAtExit(child);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", (cause) => {
      const hint = `Install git, and check that ${folder} exists`;
      reject(new RalphError("unavailable", `Cannot start git: ${codeOf(cause)}`, { hint, cause }));
    });
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      const code = status ?? signalCode(signal ?? "");
      resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() });
    });
    // Git may end without reading what it was given.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input.stdin ?? "");
  });
}

/** Its helpers, such as ssh, wait as well. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

/** The top folder of the working tree that a folder is in; refused outside a repository and in a bare one. */
export async function workingTree(place: GitPlace): Promise<string> {
  const answer = await git(place, ["rev-parse", "--is-bare-repository", "--show-toplevel"]);
  const [isBare = "", ...top] = answer.stdout.replace(/\n$/, "").split("\n");
  if (answer.code === 0) return top.join("\n");
  if (isBare === "true" || /cannot use bare repository/.test(answer.stderr)) {
    throw new RalphError("config", `${place.folder} is a bare repository: it has no files to work on`, {
      hint: "Use a clone with a working tree: git worktree add ../work",
    });
  }
  if (/must be run in a work tree/.test(answer.stderr)) {
    throw new RalphError("config", `${place.folder} is inside the .git folder`, {
      hint: "Change to the repository's files",
    });
  }
  if (/dubious ownership/.test(answer.stderr)) {
    throw new RalphError("config", `Git does not trust ${place.folder}: it belongs to another user`, {
      hint: `Run git config --global --add safe.directory ${place.folder}`,
    });
  }
  throw new RalphError("config", `${place.folder} is not in a git repository`, { hint: "Run git init first" });
}

/** Those of the paths that git would never commit, because an ignore rule names them. `env`: as for `gitBytes`. */
export async function ignoredPaths(
  place: GitPlace,
  paths: readonly string[],
  env: GitInput["env"] = {},
): Promise<string[]> {
  const args = ["check-ignore", "-z", "--stdin"];
  // A colon at the beginning would have a meaning.
  const answer = await gitBytes(place, args, { stdin: encodePaths(paths.map((path) => `./${path}`)), env });
  if (answer.code > NONE_IGNORED) throw gitRefused(args, answer);
  return splitNul(answer.stdout).map((bytes) => decodePath(bytes).slice("./".length));
}

const NONE_IGNORED = 1;

/** The files and folders that git ignores, folders as a whole. */
export async function ignoredEntries(place: GitPlace): Promise<string[]> {
  const list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  return (await must(place, list)).stdout.split("\0").filter((path) => path !== "" && !path.startsWith(".ralph/"));
}

/** Those of the paths that the last commit has. */
export async function committedPaths(place: GitPlace, paths: readonly string[]): Promise<string[]> {
  const answer = await must(place, ["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", ...paths]);
  return answer.stdout.split("\0").filter((path) => path !== "");
}

/** Those of the paths that git knows: committed or staged. */
export async function trackedPaths(place: GitPlace, paths: readonly string[]): Promise<string[]> {
  const answer = await must(place, ["ls-files", "-z", "--", ...paths]);
  return answer.stdout.split("\0").filter((path) => path !== "");
}

/**
 * Commits exactly these paths and leaves everything else, staged or not, as it is; undefined when they hold nothing
 * new. Skips hooks and signing, and makes up a name if the user has none: no one can answer.
 */
export async function commitPaths(
  place: GitPlace,
  paths: readonly string[],
  message: string,
): Promise<string | undefined> {
  const status = await must(place, ["status", "--porcelain", "-z", "--untracked-files=all", "--", ...paths]);
  if (status.stdout === "") return undefined;
  const who = await git(place, ["var", "GIT_COMMITTER_IDENT"]);
  const identity = who.code === 0 ? [] : ["-c", "user.name=ralphctl", "-c", "user.email=ralphctl@localhost"];
  const flags = ["--quiet", "--no-verify", "--no-gpg-sign", "--only", "--message", message];
  try {
    await must(place, ["add", "--", ...paths]);
    await must(place, [...identity, "commit", ...flags, "--", ...paths]);
  } catch (error) {
    // What was staged for a commit that never came is taken back.
    await git(place, ["reset", "--quiet", "--", ...paths]);
    throw error;
  }
  return (await must(place, ["rev-parse", "--short", "HEAD"])).stdout.trim();
}

async function must(place: GitPlace, args: readonly string[]): Promise<GitAnswer> {
  const answer = await mustBytes(place, args);
  return { ...answer, stdout: answer.stdout.toString() };
}

/** Git's answer where it cannot well refuse; when it does, that is an error in its own words. */
export async function mustBytes(place: GitPlace, args: readonly string[], input: GitInput = {}): Promise<GitBytes> {
  const answer = await gitBytes(place, args, input);
  if (answer.code === 0) return answer;
  throw gitRefused(args, answer);
}

export function gitRefused(args: readonly string[], answer: GitBytes): RalphError {
  const reason = `${answer.stderr}\n${answer.stdout.toString()}`.trim().split("\n")[0] ?? "";
  return new RalphError("io", `git ${verbIn(args)} failed: ${reason}`, {
    hint: "Run git status to see the state of the repository",
  });
}
