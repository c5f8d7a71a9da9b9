import { spawn } from "node:child_process";
import type { Environment } from "../../domain/environment.ts";

/** Starts a program that goes on without us: in a session of its own, without our streams. Its failure is nobody's. */
export function startBeside(
  [file, ...args]: readonly [string, ...string[]],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): { readonly hasEnded: () => boolean } {
  let isOver = false;
  const end = (): void => void (isOver = true);
  spawn(file, args, { cwd, env: { ...env }, stdio: "ignore", detached: true })
    .on("error", end)
    .on("exit", end)
    .unref();
  return { hasEnded: () => isOver };
}
