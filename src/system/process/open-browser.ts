import { spawn } from "node:child_process";
import type { Environment } from "../../domain/environment.ts";

/** Opens an address in the browser of the person, if there is a desktop. It waits for nothing, and its failure is nobody's. */
export function openBrowser(url: string, env: Environment): boolean {
  const file = programFor(env);
  if (file === undefined) return false;
  spawn(file, [url], { stdio: "ignore", detached: true, env: { ...env } })
    .on("error", () => undefined)
    .unref();
  return true;
}

function programFor(env: Environment): string | undefined {
  if (env["SSH_CONNECTION"] || env["CI"]) return undefined;
  if (process.platform === "darwin") return "open";
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? "xdg-open" : undefined;
}
