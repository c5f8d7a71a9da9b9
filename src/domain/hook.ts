import type { NotifyTarget } from "./notify.ts";

/** The moments at which hooks can run, in the order in which a run comes to them. */
export const HOOK_POINTS = [
  "run-start",
  "iteration-start",
  "iteration-end",
  "task-done",
  "task-failed",
  "needs-human",
  "limit",
  "run-end",
] as const;

export type HookPoint = (typeof HOOK_POINTS)[number];

/** Something that runs alongside the loop. Its result never changes a verdict or an exit code. */
export interface Hook {
  readonly id: string;
  readonly on: readonly HookPoint[];
  readonly work: HookWork;
  /** The next iteration does not wait for it. */
  readonly parallel: boolean;
  readonly timeoutMs: number;
}

/** What a hook does: a command, agent sessions, or a POST to a URL. */
export type HookWork =
  | { readonly kind: "command"; readonly run: string }
  | { readonly kind: "prompt"; readonly prompt: string }
  | { readonly kind: "workflow"; readonly name: string; readonly phases: readonly HookPhase[] }
  | ({ readonly kind: "webhook" } & NotifyTarget);

export type HookKind = HookWork["kind"];

/** One session of a workflow that runs as a hook. */
export interface HookPhase {
  readonly id: string;
  readonly prompt: string;
}

/** What a hook starts, for display. A URL may be a secret, so only its host is shown. */
export function hookCommand(work: HookWork): string {
  if (work.kind === "command") return work.run;
  if (work.kind === "prompt") return work.prompt;
  if (work.kind === "workflow") return work.name;
  return work.service === "telegram" ? "api.telegram.org" : hostOf(work.url);
}

const hostOf = (url: string): string => /^[a-z]+:\/\/(?:[^/@]*@)?([^/?#]*)/i.exec(url)?.[1] ?? "";
