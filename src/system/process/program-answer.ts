import { spawn } from "node:child_process";
import { safeSearchPath } from "../../domain/search-path.ts";
import { endGroup, signalGroup } from "./process-group.ts";

export interface Question {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Ends it at once, without an answer. */
  readonly signal?: AbortSignal | undefined;
}

const MAX_LENGTH = 64 * 1024;
/** How long what a program left running may hold its output open. */
const OPEN_PIPE_MS = 250;

/** What a program printed on its standard output, and on its standard error. */
export interface Answer {
  readonly output: string;
  readonly errors: string;
}

/** Looking starts no program of the repository in which a person happens to be. */
const ownPath = (env: Question["env"]): Question["env"] =>
  env["PATH"] === undefined ? env : { ...env, PATH: safeSearchPath(env["PATH"]) };

/** The answer of a quick command; undefined if it cannot start, fails or takes too long. */
export async function programAnswer(question: Question): Promise<Answer | undefined> {
  const { code, ...answer } = await programEnd(question);
  return code === 0 ? answer : undefined;
}

/** How a quick command ended; without an exit code if it cannot start or takes too long. */
export async function programEnd(question: Question): Promise<Answer & { readonly code: number | null }> {
  const { file, args, cwd, env, timeoutMs, signal } = question;
  if (signal?.aborted === true) return { output: "", errors: "", code: null };
  const answer = { output: "", errors: "" };
  const code = await new Promise<number | null>((resolve) => {
    const child = spawn(file, [...args], { cwd, env: ownPath(env), detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const { pid } = child;
    const kill = (): void => void (pid !== undefined && signalGroup(pid, "SIGKILL"));
    const timer = setTimeout(kill, timeoutMs);
    signal?.addEventListener("abort", kill);
    const streams = { output: child.stdout, errors: child.stderr };
    for (const name of ["output", "errors"] as const) {
      streams[name].setEncoding("utf8").on("data", (more: string) => {
        answer[name] = (answer[name] + more).slice(0, MAX_LENGTH);
      });
    }
    child.once("error", () => resolve(null));
    child.once("exit", (ended) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", kill);
      if (pid !== undefined) endGroup(pid);
      const late = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, OPEN_PIPE_MS);
      child.once("close", () => {
        clearTimeout(late);
        resolve(ended);
      });
    });
  });
  return { ...answer, code };
}
