import type { Hook, HookPoint } from "./hook.ts";

/** Hooks that come with ralphctl; all are off until the configuration uses them. */
export const SHIPPED_HOOKS = ["notify", "webhook", "learning"] as const;

export type ShippedHook = (typeof SHIPPED_HOOKS)[number];

/** The points that need a person's attention. */
export const CALLS: readonly HookPoint[] = ["needs-human", "limit", "run-end"];

// The text reaches the programs as an argument, never as part of a script (W-05).
const OSASCRIPT = `if ! command -v osascript >/dev/null; then
  echo "osascript is not on the PATH" >&2
  exit 1
fi
osascript -e 'on run argv' -e 'display notification (item 2 of argv) with title (item 1 of argv)' -e 'end run' \\
  "ralphctl: $RALPHCTL_HOOK_POINT" "$RALPHCTL_HOOK_TEXT\${RALPHCTL_HOOK_LINK:+ $RALPHCTL_HOOK_LINK}"`;

// Desktops read markup in it.
const NOTIFY_SEND = `if ! command -v notify-send >/dev/null; then
  echo "notify-send is not on the PATH" >&2
  exit 1
fi
body=$(printf %s "$RALPHCTL_HOOK_TEXT\${RALPHCTL_HOOK_LINK:+ $RALPHCTL_HOOK_LINK}" | sed 's/&/\\&amp;/g; s/</\\&lt;/g')
notify-send --app-name=ralphctl -- "ralphctl: $RALPHCTL_HOOK_POINT" "$body"`;

/** How a notification is shown on the desktop of a system, as Node names it. */
export const notifyCommand = (platform: string): string => (platform === "darwin" ? OSASCRIPT : NOTIFY_SEND);

const LEARNING = `Look at what this iteration did and how it went: its change, prompt, transcript and gate results.
Find what the next session would get wrong again without knowing it: a command that must be run in a certain way, an
unwritten rule of this code, a trap.

Add it to AGENTS.md (create the file if there is none), in at most three short lines, where a reader would look for it. Remove
or correct lines that the iteration proved wrong. Do not repeat what the code or its documentation already says, do not write
about this one task, and write nothing that you have not seen. Change no other file.

Most iterations teach nothing new. If so, change nothing, and say so.`;

/** A shipped hook as it would be written by hand. `url` is where a webhook sends to, `platform` as Node names it. */
export function shippedHook(
  name: ShippedHook,
  { url, platform }: { readonly url: string; readonly platform: string },
): Pick<Hook, "on" | "work"> {
  if (name === "notify") return { on: CALLS, work: { kind: "command", run: notifyCommand(platform) } };
  if (name === "webhook") return { on: CALLS, work: { kind: "webhook", url } };
  return { on: ["iteration-end"], work: { kind: "prompt", prompt: LEARNING } };
}
