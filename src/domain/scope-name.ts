import { RalphError } from "./error.ts";
import { shellWord } from "./shell-word.ts";

/** What a name is for, as it appears in messages. */
export type ScopeKind = "project" | "change" | "module" | "sprint";

const MAX_LENGTH = 64;

/**
 * Refuses a name that could leave its folder or spoil a line: every scope's name becomes part of a path, of prompts and
 * of messages. Returns the name, so that a check reads as a value.
 */
export function checkScopeName(kind: ScopeKind, name: string): string {
  const fault = faultOf(name);
  if (fault === undefined) return name;
  throw refused(kind, name.slice(0, MAX_LENGTH), fault);
}

const refused = (kind: ScopeKind, name: string, fault: string): RalphError =>
  new RalphError("usage", `The ${kind} name ${JSON.stringify(name)} ${fault}`, {
    hint: `Use letters, digits, "-", "_" and ".", for example --${kind} auth-system`,
  });

/** Whether a folder may be listed as a scope: what cannot be typed or printed safely is passed over. */
export const isScopeName = (name: string): boolean => faultOf(name) === undefined;

/** The same for a name that is about to be made: plain enough for every shell, path and branch. */
export function checkNewName(kind: ScopeKind, name: string): string {
  checkScopeName(kind, name);
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(name)) return name;
  throw refused(kind, name, "contains characters that are special to a shell");
}

function faultOf(name: string): string | undefined {
  if (name.trim() === "") return "is empty";
  if (name.trim() !== name) return "starts or ends with a space";
  if (name.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (/[/\\]/.test(name)) return "contains a path separator";
  if (name.startsWith(".")) return "starts with a dot";
  if (name.includes("..")) return 'contains ".."';
  if (UNPRINTABLE.test(name)) return "contains a control character";
  return undefined;
}

// Control characters, halves of a pair, line separators and the marks that reverse the direction of text.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The scope of a run that works on several changes at once. */
export const SEVERAL = "changes";

/** A scope as a sentence names it. */
export function describeScope(key: string): string {
  if (key === SEVERAL) return "several changes";
  return key === "workspace" ? "the workspace" : `the ${key.replace("/", " ")}`;
}

/** The flag that selects the scope; empty for the workspace. */
export function scopeFlag(key = "workspace"): string {
  const slash = key.indexOf("/");
  return slash === -1 ? "" : ` --${key.slice(0, slash)} ${shellWord(key.slice(slash + 1))}`;
}

/** The flag that makes a run work on the scope. */
export const runFlag = (key?: string): string => (key === SEVERAL ? " --continue-ready" : scopeFlag(key));

/** The folder of a project's scope, below the workspace; undefined for other scopes. */
export const projectFolder = (key: string): string | undefined =>
  key.startsWith("project/") ? key.replace("project/", "projects/") : undefined;
