import type { ForeignSettings } from "./settings.ts";

/** What these variables are called here. A timeout is for a whole session there. */
const LIMITS: Readonly<Record<string, readonly [key: string, unit: string]>> = {
  CLAUDE_TIMEOUT_MINUTES: ["attempt", "m"],
  CB_NO_PROGRESS_THRESHOLD: ["noProgress", ""],
  CB_SAME_ERROR_THRESHOLD: ["errors", ""],
};

/** They are about the project, or ours is as good without them. */
const NEUTRAL = /^(?:PROJECT_\w+|CLAUDE_CODE_CMD|CLAUDE_OUTPUT_FORMAT|RALPH_VERBOSE)$/;

/** `.ralphrc` of ralph-claude-code: a file of shell variables, which is read and never run. */
export function readRalphRc(text: string): ForeignSettings {
  const limits: Record<string, string> = {};
  const unused: string[] = [];
  for (const line of text.split("\n")) {
    const [, name, written = ""] = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name === undefined || NEUTRAL.test(name)) continue;
    const number = /^["']?(?:\$\{\w+:-)?([1-9]\d{0,4})\}?["']?\s*(?:#.*)?$/.exec(written.trim())?.[1];
    const [key, unit] = Object.hasOwn(LIMITS, name) ? LIMITS[name]! : [];
    if (key !== undefined && number !== undefined) limits[key] = `${number}${unit}`;
    else unused.push(name);
  }
  return { specs: [], limits, unused };
}
