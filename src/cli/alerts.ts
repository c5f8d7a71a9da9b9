import { showDesktopNotice, terminalNotice } from "../app/desktop-notice.ts";
import type { RunEvent } from "../domain/run/event.ts";
import { type HookEvent, hookPointsOf, hookText } from "../domain/run/hook-event.ts";
import { CALLS } from "../domain/shipped-hook.ts";
import type { Input } from "./command.ts";
import { surroundings } from "./flags.ts";
import type { Io, Terminal } from "./io.ts";

const BELL = "\u0007";

/** How a terminal shows a notification, by the name that it gives itself; without one, the bell alone. */
export function alertSequence(
  env: Io["env"],
  { title, text }: { readonly title: string; readonly text: string },
): string {
  const name = `${env["TERM_PROGRAM"] ?? ""} ${env["TERM"] ?? ""}`;
  // Through tmux and screen only the bell comes.
  if (env["TMUX"] || /^(?:tmux|screen)/.test(env["TERM"] ?? "")) return BELL;
  if (/wezterm|ghostty|rxvt|foot/i.test(name)) {
    return `${BELL}\u001b]777;notify;${plain(title)};${plain(text)}${BELL}`;
  }
  return /iterm|kitty/i.test(name) ? `${BELL}\u001b]9;${plain(`${title}: ${text}`)}${BELL}` : BELL;
}

/** The text stands between marks of the sequence. */
const plain = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f;]/g, " ").slice(0, 200);

/** A person does not need a window for what they have just seen. */
const WATCHED_MS = 30_000;

export interface Alerts {
  readonly hear: (event: RunEvent, atMs: number) => void;
  /** Resolves once it is known whether the person wants them. */
  readonly ready: Promise<void>;
}

/**
 * Calls the person at the terminal when a run ends or needs somebody. It never fails and never waits: whether it is wanted
 * is read while the run begins.
 */
export function createAlerts(terminal: Pick<Terminal, "write"> | undefined, input: Input, io: Io): Alerts {
  if (terminal === undefined) return { hear: () => undefined, ready: Promise.resolve() };
  let isWanted = false;
  let startedAtMs: number | undefined;
  const read = async (): Promise<void> => {
    isWanted = (await terminalNotice(surroundings(input, io))) === "on";
  };
  // The run itself reports what is wrong with the configuration.
  const ready = read().catch(() => undefined);
  return {
    ready,
    hear: (event, atMs) => {
      startedAtMs ??= atMs;
      const point = isWanted ? pointOf(event) : undefined;
      if (point === undefined) return;
      const notice = { title: "ralphctl", text: hookText(event as HookEvent, point) };
      const sequence = alertSequence(io.env, notice);
      terminal.write(sequence);
      if (sequence === BELL && atMs - startedAtMs >= WATCHED_MS) showDesktopNotice(notice, io.env);
    },
  };
}

/** A person who ends a run knows it. */
function pointOf(event: RunEvent) {
  if (event.type === "run.finished" && event.ending === "interrupted") return undefined;
  return hookPointsOf(event as HookEvent).find((point) => CALLS.includes(point));
}
