import { spawn } from "node:child_process";
import { codeOf } from "../error-code.ts";

const MAX_OUTPUT = 1024 * 1024;

/** Runs a shell command to its own end; what it leaves in the background is not waited for. */
export function runShell(
  command: string,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<{ readonly ok: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], { ...place, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const hear = (text: string): void => {
      if (output.length < MAX_OUTPUT) output += text;
    };
    const streams = [
      child.stdout.setEncoding("utf8").on("data", hear),
      child.stderr.setEncoding("utf8").on("data", hear),
    ];
    child.on("error", (error) => resolve({ ok: false, output: codeOf(error) }));
    const finish = (): void => {
      for (const stream of streams) stream.destroy();
      resolve({ ok: child.exitCode === 0, output });
    };
    child.on("close", finish);
    // Who still holds the pipes is in the background.
    child.on("exit", () => setTimeout(finish, 200));
  });
}
