import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "../../domain/environment.ts";

/** Runs an editor at our terminal. The command may have arguments of its own; the file is one of them, never part of it. */
export async function runEditor(
  command: string,
  { file, env, cwd }: { readonly file: string; readonly env: Environment; readonly cwd: string },
): Promise<number> {
  const child = spawn("/bin/sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit", env: { ...env }, cwd });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
