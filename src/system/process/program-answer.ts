import { spawn } from "node:child_process";
import { endGroup, signalGroup } from "./process-group.ts";

export interface Question {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

const MAX_LENGTH = 64 * 1024;
/** How long what a program left running may hold its output open. */
const OPEN_PIPE_MS = 250;

/** The output of a quick command; undefined if it cannot start, fails or takes too long. */
export async function programAnswer({ file, args, cwd, env, timeoutMs }: Question): Promise<string | undefined> {
  let text = "";
  const code = await new Promise<number | null>((resolve) => {
    const child = spawn(file, [...args], { cwd, env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
    const { pid } = child;
    const timer = setTimeout(() => void (pid !== undefined && signalGroup(pid, "SIGKILL")), timeoutMs);
    child.stdout.setEncoding("utf8").on("data", (more: string) => (text = (text + more).slice(0, MAX_LENGTH)));
    child.once("error", () => resolve(null));
    child.once("exit", (ended) => {
      clearTimeout(timer);
      if (pid !== undefined) endGroup(pid);
      const late = setTimeout(() => child.stdout.destroy(), OPEN_PIPE_MS);
      child.once("close", () => {
        clearTimeout(late);
        resolve(ended);
      });
    });
  });
  return code === 0 ? text : undefined;
}
