import { shellWord } from "./shell-word.ts";

/** A scope as a sentence names it. */
export const scopeName = (key: string): string =>
  key === "workspace" ? "the workspace" : `the ${key.replace("/", " ")}`;

/** What a command needs to be about the same scope; empty for the workspace. */
export function scopeFlag(key = "workspace"): string {
  const slash = key.indexOf("/");
  return slash === -1 ? "" : ` --${key.slice(0, slash)} ${shellWord(key.slice(slash + 1))}`;
}
