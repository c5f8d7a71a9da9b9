import { spawn } from "node:child_process";
import type { Environment } from "../../domain/environment.ts";

/** Shows a notification on the desktop of the person, if there is one. It waits for nothing, and its failure is nobody's. */
export function showDesktopNotice(
  { title, text }: { readonly title: string; readonly text: string },
  env: Environment,
): boolean {
  const command = commandFor(env, title, text);
  if (command === undefined) return false;
  const [file, ...args] = command;
  spawn(file, args, { stdio: "ignore", detached: true, env: { ...env } })
    .on("error", () => undefined)
    .unref();
  return true;
}

// The text reaches the programs as an argument, never as part of a script (W-05).
function commandFor(env: Environment, title: string, text: string): readonly [string, ...string[]] | undefined {
  if (env["SSH_CONNECTION"]) return undefined;
  if (process.platform === "darwin") {
    const script = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
    return ["osascript", ...script.flatMap((line) => ["-e", line]), title, text];
  }
  if (!env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) return undefined;
  // Desktops read markup in it.
  const body = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return ["notify-send", "--app-name=ralphctl", "--", title, body];
}
