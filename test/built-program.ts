import { homeOf } from "./temporary-folder.ts";
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Answer } from "./recording-io.ts";

export const PROGRAM = join(process.cwd(), "dist", "bin.js");

export interface Start {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Starts a program as a user would, and waits for its end. */
export function start(file: string, args: readonly string[], { cwd, env = {}, input = "" }: Start): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], { cwd, env: { PATH: process.env["PATH"], ...homeOf(cwd), ...env } });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
    // A program may end without reading what it was given.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** The built program itself. */
export const ralphctl = async (args: readonly string[], options: Start): Promise<Answer> =>
  await start(process.execPath, [PROGRAM, ...args], options);
