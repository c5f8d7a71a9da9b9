import { spawn } from "node:child_process";
import { RalphError } from "../domain/error.ts";
import { codeOf } from "./error-code.ts";

export interface GitAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// A hook's or another git's variables would point us at another repository, index or object store.
const FOREIGN = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_COMMON_DIR",
  "GIT_PREFIX",
]);

/** Runs git with exactly these arguments. A non-zero code is an answer, not an error. */
export function git(folder: string, args: readonly string[], stdin = ""): Promise<GitAnswer> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.has(name)));
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...args], { cwd: folder, env: { ...env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" } });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", (cause) => {
      reject(new RalphError("unavailable", `Cannot start git: ${codeOf(cause)}`, { hint: "Install git", cause }));
    });
    child.on("close", (code) => {
      resolve({ code: code ?? 1, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    });
    // Git may end without reading what it was given.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
  });
}

/** The top folder of the working tree that contains a folder; refused outside a repository and in a bare one. */
export async function workingTree(folder: string): Promise<string> {
  const answer = await git(folder, ["rev-parse", "--is-bare-repository", "--show-toplevel"]);
  if (answer.code === 0) return answer.stdout.split("\n")[1]!;
  if (answer.stdout.startsWith("true")) {
    throw new RalphError("config", `${folder} is a bare repository: it has no files to work on`, {
      hint: "Use a clone with a working tree: git worktree add ../work",
    });
  }
  if (/dubious ownership/.test(answer.stderr)) {
    throw new RalphError("config", `Git does not trust ${folder}: it belongs to somebody else`, {
      hint: `Run git config --global --add safe.directory ${folder}`,
    });
  }
  throw new RalphError("config", `${folder} is not in a git repository`, { hint: "Run git init first" });
}

/** Those of the paths that git would never commit, because an ignore rule names them. */
export async function ignoredPaths(root: string, paths: readonly string[]): Promise<string[]> {
  const answer = await git(root, ["check-ignore", "-z", "--stdin"], paths.map((path) => `${path}\0`).join(""));
  return answer.stdout.split("\0").filter((path) => path !== "");
}

/**
 * Commits exactly these paths and leaves everything else, staged or not, as it is. Hooks and signing are skipped, and
 * a name is made up where the user has none: nobody is there to answer.
 */
export async function commitPaths(root: string, paths: readonly string[], message: string): Promise<string> {
  await must(root, ["add", "--", ...paths]);
  const who = await git(root, ["var", "GIT_COMMITTER_IDENT"]);
  const identity = who.code === 0 ? [] : ["-c", "user.name=ralphctl", "-c", "user.email=ralphctl@localhost"];
  const flags = ["--quiet", "--no-verify", "--no-gpg-sign", "--only", "--message", message];
  await must(root, [...identity, "commit", ...flags, "--", ...paths]);
  return (await must(root, ["rev-parse", "--short", "HEAD"])).stdout.trim();
}

async function must(root: string, args: readonly string[]): Promise<GitAnswer> {
  const answer = await git(root, args);
  if (answer.code === 0) return answer;
  const reason = answer.stderr.trim().split("\n")[0] ?? "";
  throw new RalphError(
    "io",
    `git ${args.find((word) => /^[a-z]/.test(word) && !word.includes("="))} failed: ${reason}`,
    {
      hint: "Run git status to see the state of the repository",
    },
  );
}
